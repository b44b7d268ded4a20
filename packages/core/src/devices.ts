import type { DeviceStatus } from '@granary/contract/devices';

export const REPORTING_INTERVAL_MS = 10_000;
/** A device that missed three reports is taken for gone, and what it measured for old. */
export const FRESHNESS_MS = 3 * REPORTING_INTERVAL_MS;

/** What is known of a device's side of the link. Times are the service's own clock. */
export interface Presence {
  readonly lastSeenAtMs: number | null;
  readonly linkDownAtMs: number | null;
  readonly reportedState: 'online' | 'maintenance' | null;
}

export function deviceStatus(presence: Presence, nowMs: number): DeviceStatus {
  const { lastSeenAtMs, linkDownAtMs, reportedState } = presence;
  if (lastSeenAtMs === null || nowMs - lastSeenAtMs > FRESHNESS_MS) return 'offline';
  if (linkDownAtMs !== null && linkDownAtMs >= lastSeenAtMs) return 'offline';
  return reportedState === 'maintenance' ? 'maintenance' : 'online';
}
