import assert from 'node:assert/strict';
import type { CommandName, CommandParameters } from '@granary/contract/commands';

import type { ExecuteCommand, MissionControl, MissionUpload } from '@granary/contract/link/field-messages';
import type { WaypointAction } from '@granary/contract/missions';
import { MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { declaredConfiguration, FIELD_UNITS, type FieldUnit } from '@granary/simulator/field/fleet';
import { powerUp } from '@granary/simulator/field/memory';
import type { Pilot } from '@granary/simulator/field/pilot/pilot';
import { advance, type Conditions } from '@granary/simulator/field/pilot/piloting';
import type { ReceivedConfiguration } from '@granary/simulator/field/received-configuration';
import { pointOf } from '@granary/simulator/field/vehicle/ground';

export const START_MS = Date.UTC(2026, 10, 15, 12);

const unitCalled = (id: string): FieldUnit =>
  FIELD_UNITS.find((unit) => unit.id === id) ?? assert.fail(`there is no ${id}`);

export const ROVER_UNIT = unitCalled('rover-01');
export const DRONE_UNIT = unitCalled('drone-01');

/** The configuration of the farm merged into the defaults of the service. */
export function configurationOf(unit: FieldUnit): ReceivedConfiguration {
  const { base = null, geofence = null, motion, battery } = declaredConfiguration(unit);
  return {
    base: base && { altitude: 0, ...base },
    geofence,
    motion: { speed_m_s: 1.5, ...motion },
    battery: { reserve_percent: 20, percent_per_km: 4, percent_per_hour: 6, ...battery },
    thresholds: { low_battery: 25, critical_battery: 10 },
    failsafe: {
      link_loss_action: 'return_to_base',
      low_battery_action: 'return_to_base',
      geofence_breach_action: 'hold',
    },
    maintenance: { next_scheduled: toIso(START_MS), interval_hours: 1_000 },
    reporting: { interval_s: 10, offline_delay_s: 30 },
    alarms: { dead_band: 1, on_delay_s: 0, off_delay_s: 5 },
  };
}

export const pilotAtHome = (unit: FieldUnit = ROVER_UNIT): Pilot => ({
  ...powerUp(unit, undefined, START_MS),
  configuration: configurationOf(unit),
});

const CALM: Conditions = { linkLostSinceMs: null, skipsWaypoints: false };

/** Advances in steps of one second, as a device does. */
export function after(
  seconds: number,
  pilot: Pilot,
  { unit = ROVER_UNIT, ...changes }: Partial<Conditions> & { readonly unit?: FieldUnit } = {},
): Pilot {
  let later = pilot;
  const endMs = pilot.body.timeMs + seconds * SECOND_MS;
  while (later.body.timeMs < endMs) {
    const nowMs = Math.min(endMs, later.body.timeMs + SECOND_MS);
    later = advance(unit, later, nowMs, { ...CALM, ...changes });
  }
  return later;
}

export function command(
  name: CommandName,
  parameters: CommandParameters = {},
  command_id = `cmd_${name}`,
): ExecuteCommand {
  const expires_at = name === 'emergency_stop' ? null : toIso(START_MS + 10 * MINUTE_MS);
  return { command: 'execute', command_id, name, parameters, expires_at };
}

/** Makes the command to move to a point this many metres east and north of home. */
export function moveTo(
  eastM: number,
  northM: number,
  { unit = ROVER_UNIT, command_id = 'cmd_move', altitude = 0 } = {},
): ExecuteCommand {
  const { lat, lng } = pointOf(unit.ground, { eastM, northM });
  return command('move_to_coordinates', { latitude: lat, longitude: lng, altitude }, command_id);
}

export interface Stop {
  readonly eastM: number;
  readonly northM: number;
  readonly action?: WaypointAction;
}

export function upload(
  stops: readonly Stop[],
  { unit = ROVER_UNIT, ...changes }: Partial<MissionUpload> & { readonly unit?: FieldUnit } = {},
): MissionUpload {
  return {
    command: 'mission_upload',
    mission_id: 'ms_1',
    waypoints: stops.map(({ action = 'none', ...spot }) => ({
      ...pointOf(unit.ground, spot),
      action,
    })),
    start_at: toIso(START_MS),
    expires_at: toIso(START_MS + MINUTE_MS),
    link_loss_action: 'return_to_base',
    ...changes,
  };
}

/** A way of about thirty metres. */
export const SHORT_WAY: readonly Stop[] = [
  { eastM: 10, northM: 0, action: 'scan' },
  { eastM: 10, northM: 20, action: 'collect_sample' },
];

export function missionControl(
  control: 'start' | 'pause' | 'resume' | 'cancel',
  mission_id = 'ms_1',
): MissionControl {
  if (control === 'pause' || control === 'cancel') return { command: `mission_${control}`, mission_id };
  return { command: `mission_${control}`, mission_id, expires_at: toIso(START_MS + 10 * MINUTE_MS) };
}
