import type { DeviceStatus } from '@granary/contract/devices';

/** A device that missed so many reports is offline, and what it measured is stale. */
const MISSED_REPORTS_MAX = 3;
const DEFAULT_REPORTING_INTERVAL_MS = 10_000;
const DEFAULT_OFFLINE_DELAY_MS = 30_000;

/** What is known of a device's side of the link. Times are the service's own clock. */
export interface Presence {
  readonly lastSeenAtMs: number | null;
  readonly linkDownAtMs: number | null;
  readonly reportedState: 'online' | 'maintenance' | null;
  /** How often the device is configured to report. */
  readonly reportingIntervalMs: number;
  /** How long it may be offline before that is an alarm. */
  readonly offlineDelayMs: number;
}

/** Of a device with the default configuration. */
export const NEVER_SEEN: Presence = {
  lastSeenAtMs: null,
  linkDownAtMs: null,
  reportedState: null,
  reportingIntervalMs: DEFAULT_REPORTING_INTERVAL_MS,
  offlineDelayMs: DEFAULT_OFFLINE_DELAY_MS,
};

/** How long a device counts as online, and a value as current, after it was heard. */
export const freshnessMs = ({ reportingIntervalMs }: Pick<Presence, 'reportingIntervalMs'>): number =>
  MISSED_REPORTS_MAX * reportingIntervalMs;

/** With the default configuration. A device with a job under way is asked for reports, so its silence is judged by this alone. */
export const FRESHNESS_MS = freshnessMs(NEVER_SEEN);

export function deviceStatus(presence: Presence, nowMs: number): DeviceStatus {
  const { lastSeenAtMs, linkDownAtMs, reportedState } = presence;
  if (lastSeenAtMs === null || nowMs - lastSeenAtMs > freshnessMs(presence)) return 'offline';
  if (linkDownAtMs !== null && linkDownAtMs >= lastSeenAtMs) return 'offline';
  return reportedState === 'maintenance' ? 'maintenance' : 'online';
}
