const FIRST_WAIT_MS = 500;
const RECONNECT_MS_MAX = 30_000;

/** Doubles from one failure to the next; half of it is chance, so that a farm does not come back all at once. */
export function backoffMs(failures: number, random: () => number, waitMsMax = RECONNECT_MS_MAX): number {
  const ceilingMs = Math.min(waitMsMax, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
  return ceilingMs * (0.5 + 0.5 * random());
}
