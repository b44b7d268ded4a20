import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';

/** How long a device with the fault `late-ack` sends no report about a job it has begun. */
export const SILENCE_MS = 15 * SECOND_MS;

const UP_MS = MINUTE_MS;
const DOWN_MS = MINUTE_MS;

/** The link works for one minute and is down for the next, from the start on. */
export function linkIsLost(sinceStartMs: number): boolean {
  return sinceStartMs % (UP_MS + DOWN_MS) >= UP_MS;
}

/** Long enough for the service to receive the report that the job has begun. */
const LINK_LOST_AFTER_MS = 2 * SECOND_MS;

/** `runMs` is `null` while the device is idle. */
export const linkIsLostBy = (runMs: number | null): boolean => runMs !== null && runMs >= LINK_LOST_AFTER_MS;
