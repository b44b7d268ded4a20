import type { DeviceStatus } from '@granary/contract/devices/statuses';
import { ATTENTION_ITEMS_MAX, type FleetDevice, type Overview } from '@granary/contract/fleet';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { ALERT_DOCUMENT } from '@granary/core/alerts/lifecycle';
import { COMMAND_DOCUMENT } from '@granary/core/commands/state';
import { MISSED_REPORTS_MAX } from '@granary/core/devices/status';
import type { DocumentKind } from '@granary/core/documents';
import type { OfDevice } from '@granary/core/fleet/attention';
import { fleetDevice, searchTexts } from '@granary/core/fleet/device-record';
import { overviewRecord } from '@granary/core/fleet/overview';
import type { Limits } from '@granary/core/keys';
import { OPERATION_DOCUMENT } from '@granary/core/operations/state';
import type { Sql } from '@granary/store/sql';
import { COMMANDS } from '../commands/command-rows.ts';
import type { DeviceSelection } from '../conditions.ts';
import { facilityZones } from '../configuration/configuration-rows.ts';
import { eventBounds } from '../events/event-rows.ts';
import { type FleetAlertPage, type FleetJobPage, listAlertsOfFleet, listJobsOfFleet } from '../list-rows.ts';
import { MISSIONS } from '../missions/mission-rows.ts';
import { OPERATIONS } from '../operations/operation-rows.ts';
import { latestOfDevices } from '../telemetry/latest-values.ts';
import { listDevicesOfFleet } from './device-list.ts';
import {
  type AttentionRow,
  countByStatus,
  countDevices,
  countDevicesInPart,
  countJobs,
  countOpenAlerts,
  countOpenAlertsInPart,
  countUnfinishedByStatus,
  doubtfulOperations,
  emergencyStopsInForce,
  listSeenSince,
  offlineDevicesWithJobs,
  type PartWanted,
  unacknowledgedAlerts,
} from './fleet-rows.ts';

export interface DevicesPage {
  readonly devices: DeviceSelection;
  readonly profileName: ProfileName | null;
  readonly status: DeviceStatus | null;
  /** A text that the id, the name or the model must contain. */
  readonly text: string | null;
  readonly withReadings: boolean;
  /** Selects removed devices if true, and the others if false. */
  readonly isRemoved: boolean;
  readonly afterDeviceId: string | null;
  readonly limit: number;
  readonly nowMs: number;
}

/** The numbers of all devices, open alerts and unfinished jobs, as separate reads, so that none of them takes long. */
const statusCounts = {
  countDevices: (sql: Sql, nowMs: number, part: PartWanted) =>
    countDevicesInPart(sql, { nowMs, missedReportsMax: MISSED_REPORTS_MAX }, part),
  countAlerts: (sql: Sql, part: PartWanted) => countOpenAlertsInPart(sql, part),
  /** Counts the messages to people and programs that wait, and those that were given up. */
  async countMessages(sql: Sql) {
    return {
      deliveries: await countByStatus(sql, 'webhook_deliveries', ['pending', 'dead']),
      notifications: await countByStatus(sql, 'notifications', ['pending', 'failed']),
    };
  },
  async countJobs(sql: Sql) {
    return {
      operations: await countUnfinishedByStatus(sql, 'operations'),
      commands: await countUnfinishedByStatus(sql, 'commands'),
      missions: await countUnfinishedByStatus(sql, 'missions'),
    };
  },
};

/** Views of all devices that a key may access. */
export const reads = {
  /** The newest values of the whole page are read with one statement. */
  async devices(sql: Sql, page: DevicesPage): Promise<FleetDevice[]> {
    const { text, nowMs, withReadings, ...wanted } = page;
    const clock = { nowMs, missedReportsMax: MISSED_REPORTS_MAX };
    const texts = text === null ? null : searchTexts(text);
    const found = await listDevicesOfFleet(sql, { ...wanted, clock, texts });
    const latest = withReadings
      ? await latestOfDevices(
          sql,
          found.map(({ deviceNo }) => deviceNo),
        )
      : null;
    return found.map((device) =>
      fleetDevice(device, latest === null ? null : (latest.get(device.deviceNo) ?? []), nowMs),
    );
  },

  alerts: (sql: Sql, page: FleetAlertPage) => listAlertsOfFleet(sql, ALERT_DOCUMENT, page),
  operations: (sql: Sql, page: FleetJobPage) => listJobsOfFleet(sql, OPERATIONS.kind, page),
  commands: (sql: Sql, page: FleetJobPage) => listJobsOfFleet(sql, COMMANDS.kind, page),
  missions: (sql: Sql, page: FleetJobPage) => listJobsOfFleet(sql, MISSIONS.kind, page),
  seenSince: (sql: Sql, sinceMs: number, part: PartWanted) => listSeenSince(sql, sinceMs, part),
  timeZones: (sql: Sql, devices: DeviceSelection) => facilityZones(sql, devices),
  overview: readOverview,
  ...statusCounts,
};

export const writes = {};

/** Reads the overview with a fixed number of statements, whatever the number of devices is. */
async function readOverview(sql: Sql, limits: Limits, nowMs: number): Promise<Overview> {
  const clock = { nowMs, missedReportsMax: MISSED_REPORTS_MAX };
  // One more row of each kind is read than is listed, to know whether there are more.
  const most = ATTENTION_ITEMS_MAX + 1;
  // The number of the newest event is read first, so that every later change has an event after it.
  const { newest: lastEventId } = await eventBounds(sql);
  const devices = await countDevices(sql, limits, clock);
  const alerts = await countOpenAlerts(sql, limits);
  const { stopped, stopUnconfirmed, ...jobs } = await countJobs(sql, limits);
  const facts = {
    emergencyStops: readable(COMMAND_DOCUMENT, await emergencyStopsInForce(sql, limits, most)),
    operations: readable(OPERATION_DOCUMENT, await doubtfulOperations(sql, limits, most)),
    alerts: readable(ALERT_DOCUMENT, await unacknowledgedAlerts(sql, limits, most)),
    offline: await offlineDevicesWithJobs(sql, limits, clock, most),
  };
  const emergencyStops = { in_force: stopped, unconfirmed: stopUnconfirmed };
  return overviewRecord({ lastEventId, devices, alerts, jobs, emergencyStops }, facts, nowMs);
}

/** Leaves out the rows that cannot be read: they are reported where they are evaluated, and must not prevent the overview. */
const readable = <State>(document: DocumentKind<State>, rows: readonly AttentionRow[]): OfDevice<State>[] =>
  rows.flatMap(({ deviceId, name, body }) => {
    try {
      return [{ deviceId, name, state: document.read(body) }];
    } catch {
      return [];
    }
  });
