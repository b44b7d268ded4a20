/** More doublings exceed every longest wait. */
const DOUBLINGS_MAX = 20;

export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The wait after so many failures in a row: it doubles with each of them; none without a failure. */
export function backoffMs(failures: number, { firstMs, longestMs }: Backoff): number {
  if (failures <= 0) return 0;
  return Math.min(firstMs * 2 ** Math.min(failures - 1, DOUBLINGS_MAX), longestMs);
}
