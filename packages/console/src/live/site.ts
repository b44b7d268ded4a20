import type { FleetAlert, FleetCommand, FleetMission, FleetOperation } from '@granary/contract/fleet/records';
import { Clock } from './clock.ts';
import { Devices } from './devices.ts';
import { COMMAND_UNDER_WAY, MISSION_UNDER_WAY, OPERATION_UNDER_WAY } from './jobs.ts';
import { Records } from './records.ts';

/** What the page knows of the whole site: all devices, the open alerts, and the jobs under way. */
export interface Site {
  readonly clock: Clock;
  readonly devices: Devices;
  readonly alerts: Records<FleetAlert>;
  readonly operations: Records<FleetOperation>;
  readonly missions: Records<FleetMission>;
  readonly commands: Records<FleetCommand>;
}

export const emptySite = (): Site => ({
  clock: new Clock(),
  devices: new Devices(),
  alerts: new Records(
    ({ alert_id }) => alert_id,
    ({ status, shelved_until }) => status !== 'resolved' && shelved_until === null,
  ),
  operations: new Records(
    ({ operation_id }) => operation_id,
    ({ status }) => OPERATION_UNDER_WAY.includes(status),
  ),
  missions: new Records(
    ({ mission_id }) => mission_id,
    ({ status }) => MISSION_UNDER_WAY.includes(status),
  ),
  commands: new Records(
    ({ command_id }) => command_id,
    ({ status }) => COMMAND_UNDER_WAY.includes(status),
  ),
});
