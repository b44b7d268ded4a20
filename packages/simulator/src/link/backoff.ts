const FIRST_WAIT_MS = 500;
const RECONNECT_MS_MAX = 30_000;

/** The wait doubles with each failure; half of it is random, so that not all devices of a farm reconnect at the same moment. */
export function backoffMs(failures: number, random: () => number, waitMsMax = RECONNECT_MS_MAX): number {
  const ceilingMs = Math.min(waitMsMax, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
  return ceilingMs * (0.5 + 0.5 * random());
}
