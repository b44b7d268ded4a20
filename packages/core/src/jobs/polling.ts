import type { DeviceTime } from '@granary/contract/input/timestamp';
import { checkedTimeMs, MINUTE_MS, SECOND_MS } from '@granary/contract/time';

export const STOP_RESEND_MS = SECOND_MS;
/** A device clock may be ahead of the service's by this much; readings with a later time are rejected. */
export const CLOCK_AHEAD_MS_MAX = MINUTE_MS;
/** A message that can cause movement expires this long after the decision to send it. */
export const MOTION_EXPIRY_MS = 10 * SECOND_MS;
export const REPORT_SPACING_MS = 5 * SECOND_MS;
/** A device clock may be slow by this much, so the device may still accept a message that has expired for the service. */
export const EXPIRY_SKEW_MS = 30 * SECOND_MS;

/** Compares in both directions, because a clock that was set back must not block sending until it has caught up. */
export const isDue = (sinceMs: number | null, nowMs: number, spanMs: number): boolean =>
  sinceMs === null || Math.abs(nowMs - sinceMs) >= spanMs;

/** Why a message was not written to a device's connection. */
export type NotSentReason = 'not_connected' | 'not_subscribed' | 'expired' | 'in_flight';

export const deviceTimeMs = (ts: DeviceTime): number => (typeof ts === 'number' ? ts : checkedTimeMs(ts));

/** A report is requested when none has arrived for some time and none was requested recently. */
export const isReportDue = (
  { lastHeardAtMs, reportAskedAtMs }: { lastHeardAtMs: number | null; reportAskedAtMs: number | null },
  nowMs: number,
): boolean =>
  isDue(lastHeardAtMs, nowMs, REPORT_SPACING_MS) && isDue(reportAskedAtMs, nowMs, REPORT_SPACING_MS);
