/** Commands, missions, tracks, and the plants of the sample store. */
export const FIELD: readonly string[] = [
  `CREATE TABLE commands (
      command_no {{generatedKey}},
      command_id {{idText}} NOT NULL UNIQUE,
      device_no BIGINT NOT NULL REFERENCES devices,
      command TEXT NOT NULL,
      status TEXT NOT NULL,
      is_settled BIGINT NOT NULL,
      ticked_at_ms BIGINT NOT NULL,
      body TEXT NOT NULL
    )`,
  `CREATE INDEX commands_of_device ON commands (device_no, command_no)`,
  `CREATE INDEX commands_unsettled ON commands (device_no) WHERE is_settled = 0`,
  `CREATE TABLE missions (
      mission_no {{generatedKey}},
      mission_id {{idText}} NOT NULL UNIQUE,
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
  `CREATE UNIQUE INDEX missions_claim ON missions (device_no) WHERE claims_device = 1`,
  `CREATE INDEX missions_of_device ON missions (device_no, mission_no)`,
  `CREATE INDEX missions_ended ON missions (device_no, ended_at_ms)`,
  `CREATE INDEX missions_unsettled ON missions (due_at_ms, device_no) WHERE is_settled = 0`,
  `CREATE TABLE tracks (
      block BIGINT NOT NULL,
      device_no BIGINT NOT NULL,
      ts_ms BIGINT NOT NULL,
      latitude BIGINT,
      longitude BIGINT,
      altitude BIGINT,
      PRIMARY KEY (block, device_no, ts_ms)
    ) {{clustered}}`,
  `CREATE TABLE plants (
      id BIGINT PRIMARY KEY,
      body TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL
    ) {{clustered}}`,
  // Field devices that were registered before they had a configuration or were evaluated for alerts.
  `INSERT INTO configurations (device_no, version, body)
     SELECT device_no, 1, '{"base":null,"geofence":null,"motion":{"speed_m_s":1.5},"battery":{"reserve_percent":20,"percent_per_km":4,"percent_per_hour":6},"thresholds":{"low_battery":25,"critical_battery":10},"failsafe":{"link_loss_action":"return_to_base","low_battery_action":"return_to_base","geofence_breach_action":"hold"},"maintenance":{"next_scheduled":"{{in90Days}}","interval_hours":2160}}' FROM devices WHERE kind = 'field'`,
  `INSERT INTO watches (device_no, check_at_ms) SELECT device_no, 0 FROM devices WHERE kind = 'field'`,
];
