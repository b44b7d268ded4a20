import { MINUTE_MS } from '@granary/contract/time';

const UP_MS = MINUTE_MS;
const DOWN_MS = MINUTE_MS;

/** The link works for one minute and is down for the next, from the start on. */
export function linkIsLost(sinceStartMs: number): boolean {
  return sinceStartMs % (UP_MS + DOWN_MS) >= UP_MS;
}
