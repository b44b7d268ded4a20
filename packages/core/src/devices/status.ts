import type { DeviceStatus } from '@granary/contract/devices/statuses';
import { isInForce, type Maintenance } from './maintenance.ts';

/** A device that missed this many reports is offline, and its values are stale. */
export const MISSED_REPORTS_MAX = 3;
const DEFAULT_REPORTING_INTERVAL_MS = 10_000;
const DEFAULT_OFFLINE_DELAY_MS = 30_000;

/** The stored facts about a device's connection; times come from the service's clock. */
export interface Presence {
  readonly lastSeenAtMs: number | null;
  readonly linkDownAtMs: number | null;
  readonly reportedState: 'online' | 'maintenance' | null;
  /** The reporting interval in the device's configuration. */
  readonly reportingIntervalMs: number;
  /** How long the device may be offline before `device_offline` is raised. */
  readonly offlineDelayMs: number;
  readonly maintenance: Maintenance | null;
}

/** A registered device with the default configuration that has not sent anything. */
export const NEVER_SEEN: Presence = {
  lastSeenAtMs: null,
  linkDownAtMs: null,
  reportedState: null,
  reportingIntervalMs: DEFAULT_REPORTING_INTERVAL_MS,
  offlineDelayMs: DEFAULT_OFFLINE_DELAY_MS,
  maintenance: null,
};

/** How long a device stays online, and a value stays current, after the last message. */
export const freshnessMs = ({ reportingIntervalMs }: Pick<Presence, 'reportingIntervalMs'>): number =>
  MISSED_REPORTS_MAX * reportingIntervalMs;

/** The freshness with the default reporting interval; it applies to devices with a running job, because the service requests their reports. */
export const FRESHNESS_MS = freshnessMs(NEVER_SEEN);

/** Declared maintenance comes before offline, because the device may be switched off; maintenance that a device reports comes after it. */
export function deviceStatus(presence: Presence, nowMs: number): DeviceStatus {
  const { lastSeenAtMs, linkDownAtMs, reportedState, maintenance } = presence;
  if (isInForce(maintenance, nowMs)) return 'maintenance';
  if (lastSeenAtMs === null || nowMs - lastSeenAtMs > freshnessMs(presence)) return 'offline';
  if (linkDownAtMs !== null && linkDownAtMs >= lastSeenAtMs) return 'offline';
  return reportedState === 'maintenance' ? 'maintenance' : 'online';
}
