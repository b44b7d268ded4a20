import { ATTENTION_ITEMS_MAX, type Overview } from '@granary/contract/fleet/overview';
import { ALERT_DOCUMENT } from '@granary/core/alerts/lifecycle';
import { COMMAND_DOCUMENT } from '@granary/core/commands/state';
import { MISSED_REPORTS_MAX } from '@granary/core/devices/status';
import type { DocumentKind } from '@granary/core/documents';
import type { OfDevice } from '@granary/core/fleet/attention';
import { overviewRecord } from '@granary/core/fleet/overview';
import { OPERATION_DOCUMENT } from '@granary/core/operations/state';
import type { Sql } from '@granary/store/sql';
import {
  type AttentionRow,
  doubtfulOperations,
  emergencyStopsInForce,
  offlineDevicesWithJobs,
  unacknowledgedAlerts,
} from '@granary/store/tables/fleet/attention';
import { countDevices, countJobs, countOpenAlerts } from '@granary/store/tables/fleet/counts';
import type { AccessLimits } from '@granary/store/tables/fleet/place';

/** A fixed number of statements, whatever the number of devices is. */
export async function readOverview(sql: Sql, limits: AccessLimits, nowMs: number): Promise<Overview> {
  const clock = { nowMs, missedReportsMax: MISSED_REPORTS_MAX };
  const most = ATTENTION_ITEMS_MAX;
  const devices = await countDevices(sql, limits, clock);
  const alerts = await countOpenAlerts(sql, limits);
  const [operations, commands, missions, inForce, unconfirmed] = await countJobs(sql, limits);
  const facts = {
    emergencyStops: readable(COMMAND_DOCUMENT, await emergencyStopsInForce(sql, limits, most)),
    operations: readable(OPERATION_DOCUMENT, await doubtfulOperations(sql, limits, most)),
    alerts: readable(ALERT_DOCUMENT, await unacknowledgedAlerts(sql, limits, most)),
    offline: await offlineDevicesWithJobs(sql, limits, clock, most),
  };
  const jobs = { operations, commands, missions };
  const emergencyStops = { in_force: inForce, unconfirmed };
  return overviewRecord({ devices, alerts, jobs, emergencyStops }, facts, nowMs);
}

/** A row that cannot be read is reported where it is evaluated, and must not prevent the overview. */
const readable = <State>(document: DocumentKind<State>, rows: readonly AttentionRow[]): OfDevice<State>[] =>
  rows.flatMap(({ deviceId, name, body }) => {
    try {
      return [{ deviceId, name, state: document.read(body) }];
    } catch {
      return [];
    }
  });
