import type { DevicePurge } from '@granary/contract/devices/purge';
import { SECOND_MS, toIso } from '@granary/contract/time';
import type { NotificationContent } from '../notifications/record.ts';

/** A message that was under way when the device was removed is stored by then, and so removed, too. */
export const PURGE_DELAY_MS = 10 * SECOND_MS;

/** The removal of all records of a device. */
export interface Purge {
  readonly startedAtMs: number;
  readonly rowsRemoved: number;
}

export const purgeRecord = (
  { startedAtMs, rowsRemoved }: Purge,
  status: DevicePurge['status'],
): DevicePurge => ({ status, rows_removed: rowsRemoved, started_at: toIso(startedAtMs) });

/** A message that also tells of other devices is kept, and so is one that does not list all of its alerts. */
export const tellsOnlyOf = (deviceId: string, { alerts, alertCount }: NotificationContent): boolean =>
  alerts.length > 0 && alerts.length === alertCount && alerts.every((alert) => alert.device_id === deviceId);
