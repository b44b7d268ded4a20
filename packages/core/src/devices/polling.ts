import { checkedTimeMs, type DeviceTime, SECOND_MS } from '@granary/contract/time';

/** A message that can set something in motion is not sent, and not obeyed, later than this after it was decided on. */
export const MOTION_EXPIRY_MS = 10 * SECOND_MS;
export const REPORT_SPACING_MS = 5 * SECOND_MS;
/** By how much a device's clock may lag, and so let it accept what we take for expired. */
export const EXPIRY_SKEW_MS = 30 * SECOND_MS;

/** Far enough apart, in either direction: a clock that was set back must not silence us until it has caught up. */
export const isDue = (sinceMs: number | null, nowMs: number, spanMs: number): boolean =>
  sinceMs === null || Math.abs(nowMs - sinceMs) >= spanMs;

/** Why a message was not written to a device's connection. */
export type NotSent = 'not_connected' | 'not_subscribed' | 'expired' | 'in_flight';

export const deviceTimeMs = (ts: DeviceTime): number => (typeof ts === 'number' ? ts : checkedTimeMs(ts));

/** Whether to ask a device how things stand: nothing was heard for a while, and nobody has just asked. */
export const isReportDue = (
  { lastHeardAtMs, reportAskedAtMs }: { lastHeardAtMs: number | null; reportAskedAtMs: number | null },
  nowMs: number,
): boolean =>
  isDue(lastHeardAtMs, nowMs, REPORT_SPACING_MS) && isDue(reportAskedAtMs, nowMs, REPORT_SPACING_MS);
