import type { DeviceStatus } from '@granary/contract/device-statuses';
import { deviceStatus, freshnessMs, type Presence } from '../devices/status.ts';

/** What of a device's silence the service was able to notice. */
export interface Observed {
  /** Since when the service has been listening without a gap. What happened before says nothing about the device. */
  readonly observedSinceMs: number;
  /** Since when the device has been online after a silence, so that its sensors get time to report again. */
  readonly onlineSinceMs: number;
}

/** What is remembered of a device from one evaluation to the next. */
export interface Observation extends Observed {
  /** The status that the event log published last. */
  readonly toldStatus: DeviceStatus;
  /** When an offline device was heard last before it went offline. */
  readonly leftAtMs: number | null;
}

/** When the device was heard last or, if that is later, when the service began to listen. */
const silentSinceMs = (lastSeenAtMs: number, observedSinceMs: number): number =>
  Math.max(lastSeenAtMs, observedSinceMs);

/** From when on the device is known to be offline; `null` for one that was never heard. */
export function offlineFromMs(presence: Presence, observedSinceMs: number): number | null {
  const { lastSeenAtMs, linkDownAtMs } = presence;
  if (lastSeenAtMs === null) return null;
  const sinceMs = silentSinceMs(lastSeenAtMs, observedSinceMs);
  const silenceMs = sinceMs + freshnessMs(presence) + 1;
  return linkDownAtMs !== null && linkDownAtMs >= sinceMs ? Math.min(linkDownAtMs, silenceMs) : silenceMs;
}

/** When being offline becomes an alarm. */
export function offlineAlarmAtMs(presence: Presence, observedSinceMs: number): number | null {
  const fromMs = offlineFromMs(presence, observedSinceMs);
  return fromMs === null ? null : fromMs + presence.offlineDelayMs;
}

/** Brings what is remembered up to the present. A status that the service cannot know yet stays as it was published. */
export function observe(before: Observation, presence: Presence, nowMs: number): Observation {
  const { observedSinceMs } = before;
  const status = deviceStatus(presence, nowMs);
  const offlineFrom = offlineFromMs(presence, observedSinceMs);
  const isUnknown = status === 'offline' && offlineFrom !== null && nowMs < offlineFrom;
  const toldStatus = isUnknown ? before.toldStatus : status;
  if (toldStatus === 'offline') {
    const leftAtMs = before.toldStatus === 'offline' ? before.leftAtMs : presence.lastSeenAtMs;
    return { ...before, toldStatus, leftAtMs };
  }
  const isBack = before.toldStatus === 'offline' && wasSilent(before.leftAtMs, presence);
  return { ...before, toldStatus, leftAtMs: null, onlineSinceMs: isBack ? nowMs : before.onlineSinceMs };
}

/** A connection that breaks again and again gives a broken sensor no further time. */
const wasSilent = (leftAtMs: number | null, presence: Presence): boolean =>
  leftAtMs === null ||
  presence.lastSeenAtMs === null ||
  presence.lastSeenAtMs - leftAtMs > freshnessMs(presence);
