import type { Actor } from '@granary/contract/audit';
import type { DeclaredMaintenance, MaintenanceRequest } from '@granary/contract/devices/devices';
import { Refusal } from '@granary/contract/errors';
import { checkedTimeMs, toIso, toIsoOrNull } from '@granary/contract/time';

/** The last maintenance that a person has declared; it ends by itself at `untilMs`. */
export interface Maintenance {
  readonly sinceMs: number;
  /** `null` while no end has been set. */
  readonly untilMs: number | null;
  readonly reason: string;
  /** Who began it or changed it last. */
  readonly by: Actor | null;
}

export const isInForce = (maintenance: Maintenance | null, nowMs: number): maintenance is Maintenance =>
  maintenance !== null &&
  nowMs >= maintenance.sinceMs &&
  (maintenance.untilMs === null || nowMs < maintenance.untilMs);

/** The time from which silence of the device counts again; 0 if it was never in maintenance, or if no end has been set. */
export const silenceCountsFromMs = (maintenance: Maintenance | null): number => maintenance?.untilMs ?? 0;

/** The maintenance after the request; an end is stored as a time, because silence counts from then on. */
export function changeMaintenance(
  before: Maintenance | null,
  { on, reason, until }: MaintenanceRequest,
  by: Actor | null,
  nowMs: number,
): Maintenance | null {
  if (!on) {
    if (until !== undefined) throw invalid('/until', 'must not be given to end the maintenance');
    return isInForce(before, nowMs) ? { ...before, untilMs: nowMs } : before;
  }
  if (reason === undefined) throw invalid('/reason', 'is needed to begin maintenance');
  const untilMs = until === undefined ? null : checkedTimeMs(until);
  if (untilMs !== null && untilMs <= nowMs) throw invalid('/until', 'must be in the future');
  return { sinceMs: isInForce(before, nowMs) ? before.sinceMs : nowMs, untilMs, reason, by };
}

export const maintenanceRecord = (
  maintenance: Maintenance | null,
  nowMs: number,
): DeclaredMaintenance | null =>
  isInForce(maintenance, nowMs)
    ? {
        reason: maintenance.reason,
        since: toIso(maintenance.sinceMs),
        until: toIsoOrNull(maintenance.untilMs),
        by: maintenance.by,
      }
    : null;

const invalid = (path: string, message: string): Refusal =>
  new Refusal('invalid_input', 'the maintenance is not valid', [{ path, message }]);
