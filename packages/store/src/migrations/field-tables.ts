import type { Dialect } from './dialect.ts';

const FIRST_CONFIGURATION = {
  base: null,
  geofence: null,
  motion: { speed_m_s: 1.5 },
  battery: { reserve_percent: 20, percent_per_km: 4, percent_per_hour: 6 },
  thresholds: { low_battery: 25, critical_battery: 10 },
  failsafe: {
    link_loss_action: 'return_to_base',
    low_battery_action: 'return_to_base',
    geofence_breach_action: 'hold',
  },
};

/** Commands, missions, the ways that devices took, and the plants of the sample store. */
export function field(dialect: Dialect, nowMs: number): string[] {
  // The first configuration of a field device, as it was when this migration was released.
  const maintenance = {
    next_scheduled: new Date(nowMs + 2_160 * 3_600_000).toISOString(),
    interval_hours: 2_160,
  };
  const configuration = JSON.stringify({ ...FIRST_CONFIGURATION, maintenance });
  return [
    `CREATE TABLE commands (
      command_no ${dialect.generatedKey},
      command_id ${dialect.idText} NOT NULL UNIQUE,
      device_no BIGINT NOT NULL REFERENCES devices,
      command TEXT NOT NULL,
      status TEXT NOT NULL,
      is_settled BIGINT NOT NULL,
      ticked_at_ms BIGINT NOT NULL,
      body TEXT NOT NULL
    )`,
    'CREATE INDEX commands_of_device ON commands (device_no, command_no)',
    'CREATE INDEX commands_unsettled ON commands (device_no) WHERE is_settled = 0',
    `CREATE TABLE missions (
      mission_no ${dialect.generatedKey},
      mission_id ${dialect.idText} NOT NULL UNIQUE,
      device_no BIGINT NOT NULL REFERENCES devices,
      status TEXT NOT NULL,
      claims_device BIGINT NOT NULL,
      is_settled BIGINT NOT NULL,
      due_at_ms BIGINT NOT NULL,
      ended_at_ms BIGINT,
      ticked_at_ms BIGINT NOT NULL,
      body TEXT NOT NULL
    )`,
    // A mission claims its device from its dispatch to its first end. One that runs on after that claims nothing.
    'CREATE UNIQUE INDEX missions_claim ON missions (device_no) WHERE claims_device = 1',
    'CREATE INDEX missions_of_device ON missions (device_no, mission_no)',
    'CREATE INDEX missions_ended ON missions (device_no, ended_at_ms)',
    'CREATE INDEX missions_unsettled ON missions (due_at_ms, device_no) WHERE is_settled = 0',
    // Why there are tracks, and blocks of them: see tracks.ts.
    `CREATE TABLE tracks (
      block BIGINT NOT NULL,
      device_no BIGINT NOT NULL,
      ts_ms BIGINT NOT NULL,
      latitude BIGINT,
      longitude BIGINT,
      altitude BIGINT,
      PRIMARY KEY (block, device_no, ts_ms)
    ) ${dialect.clustered}`,
    `CREATE TABLE plants (
      id BIGINT PRIMARY KEY,
      body TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL
    ) ${dialect.clustered}`,
    // Field devices that were registered before there was anything to configure or to watch.
    `INSERT INTO configurations (device_no, version, body)
     SELECT device_no, 1, '${configuration}' FROM devices WHERE kind = 'field'`,
    `INSERT INTO watches (device_no, check_at_ms) SELECT device_no, 0 FROM devices WHERE kind = 'field'`,
  ];
}
