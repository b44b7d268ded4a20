import type { DeviceStatus } from '@granary/contract/devices/statuses';
import { silenceCountsFromMs } from '../devices/maintenance.ts';
import { deviceStatus, freshnessMs, type Presence } from '../devices/status.ts';

/** Since when the silence of a device and of its sensors counts. */
export interface SilenceTimes {
  /** Since when the service has been running without a gap; earlier silence does not count as silence of the device. */
  readonly observedSinceMs: number;
  /** Since when the device has been online after a silence, so that its sensors get time to report again. */
  readonly onlineSinceMs: number;
}

/** The facts about the times without a running service that an evaluation takes into account. */
export interface Observed extends SilenceTimes {
  /** When the evaluation was due; `null` if no evaluation was due. */
  readonly dueAtMs: number | null;
}

/** A late evaluation judges values as they were when it was due, so that an alert is not lost while the service is down. */
export const valuesJudgedAtMs = ({ dueAtMs }: Observed, nowMs: number): number =>
  dueAtMs === null ? nowMs : Math.min(dueAtMs, nowMs);

/** The state of a device that is stored between evaluations. */
export interface Observation extends SilenceTimes {
  /** The status that the event log published last. */
  readonly lastPublishedStatus: DeviceStatus;
  /** The last message of an offline device before it went offline. */
  readonly leftAtMs: number | null;
}

/** The time of the last message or, if that is later, the start of the observation or the end of the maintenance. */
const silentSinceMs = (lastSeenAtMs: number, { maintenance }: Presence, observedSinceMs: number): number =>
  Math.max(lastSeenAtMs, observedSinceMs, silenceCountsFromMs(maintenance));

/** The time from which the device counts as offline; `null` for a device that never sent anything. */
export function offlineFromMs(presence: Presence, observedSinceMs: number): number | null {
  const { lastSeenAtMs, linkDownAtMs } = presence;
  if (lastSeenAtMs === null) return null;
  const sinceMs = silentSinceMs(lastSeenAtMs, presence, observedSinceMs);
  const silenceMs = sinceMs + freshnessMs(presence) + 1;
  return linkDownAtMs !== null && linkDownAtMs >= sinceMs ? Math.min(linkDownAtMs, silenceMs) : silenceMs;
}

/** The time at which `device_offline` is raised; `null` for a device that never sent anything. */
export function offlineAlertAtMs(presence: Presence, observedSinceMs: number): number | null {
  const fromMs = offlineFromMs(presence, observedSinceMs);
  return fromMs === null ? null : fromMs + presence.offlineDelayMs;
}

/** Updates the stored state; a status that the service cannot know yet stays as it was published. */
export function observe(before: Observation, presence: Presence, nowMs: number): Observation {
  const { observedSinceMs } = before;
  const status = deviceStatus(presence, nowMs);
  const offlineFrom = offlineFromMs(presence, observedSinceMs);
  const isUnknown = status === 'offline' && offlineFrom !== null && nowMs < offlineFrom;
  const lastPublishedStatus = isUnknown ? before.lastPublishedStatus : status;
  if (lastPublishedStatus === 'offline') {
    const leftAtMs = before.lastPublishedStatus === 'offline' ? before.leftAtMs : presence.lastSeenAtMs;
    return { ...before, lastPublishedStatus, leftAtMs };
  }
  const isBack = before.lastPublishedStatus === 'offline' && wasSilent(before.leftAtMs, presence);
  return {
    ...before,
    lastPublishedStatus,
    leftAtMs: null,
    onlineSinceMs: isBack ? nowMs : before.onlineSinceMs,
  };
}

/** A connection that is lost repeatedly must not give a broken sensor more time. */
const wasSilent = (leftAtMs: number | null, presence: Presence): boolean =>
  leftAtMs === null ||
  presence.lastSeenAtMs === null ||
  presence.lastSeenAtMs - leftAtMs > freshnessMs(presence);
