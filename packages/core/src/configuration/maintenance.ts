import type { Maintenance } from '@granary/contract/configuration/shared-configuration';
import { checkedTimeMs, HOUR_MS, toIso } from '@granary/contract/time';

const MAINTENANCE_INTERVAL_HOURS = 2_160;

/** The first maintenance of a new device of any profile. */
export const initialMaintenance = (nowMs: number): Maintenance => ({
  next_scheduled: toIso(nowMs + MAINTENANCE_INTERVAL_HOURS * HOUR_MS),
  interval_hours: MAINTENANCE_INTERVAL_HOURS,
});

/** A time is stored in UTC, whichever offset it was given in. */
export function patchMaintenance(current: Maintenance, patch: Partial<Maintenance> = {}): Maintenance {
  const changed = { ...current, ...patch };
  return { ...changed, next_scheduled: toIso(checkedTimeMs(changed.next_scheduled)) };
}
