import type { Parameters } from './place.ts';

/** The time for which the status of devices is computed, and how many reports an online device may have missed. */
export interface StatusClock {
  readonly nowMs: number;
  readonly missedReportsMax: number;
}

/** The status of a device from its rows of `devices` and `presence`, by the rule of `deviceStatus` in core; a test compares both. */
export function statusExpression({ nowMs, missedReportsMax }: StatusClock, { bind }: Parameters): string {
  return `CASE
    WHEN maintenance_since_ms <= ${bind(nowMs)}
      AND (maintenance_until_ms IS NULL OR maintenance_until_ms > ${bind(nowMs)}) THEN 'maintenance'
    WHEN last_seen_at_ms IS NULL OR ${bind(nowMs)} - last_seen_at_ms > ${bind(missedReportsMax)} * reporting_interval_ms
      OR (link_down_at_ms IS NOT NULL AND link_down_at_ms >= last_seen_at_ms) THEN 'offline'
    WHEN reported_state = 'maintenance' THEN 'maintenance' ELSE 'online' END`;
}
