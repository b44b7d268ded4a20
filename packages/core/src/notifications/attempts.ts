import { backoffMs } from '@granary/common/backoff';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';

const PAUSES = { firstMs: MINUTE_MS, longestMs: HOUR_MS };
/** A message about an alert of yesterday is of no use, and the list of alerts shows it. */
const TRIED_FOR_MS = DAY_MS;

/** When a message that could not be sent is tried again; `null`: not any more. */
export function nextAttemptAtMs(createdAtMs: number, attempts: number, nowMs: number): number | null {
  const pauseMs = backoffMs(attempts, PAUSES);
  return nowMs + pauseMs < createdAtMs + TRIED_FOR_MS ? nowMs + pauseMs : null;
}
