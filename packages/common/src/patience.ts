import { setTimeout as sleep } from 'node:timers/promises';

/** More doublings exceed every longest wait. */
const DOUBLINGS_MAX = 20;
const PATIENCE_MS = 30_000;
const AGAIN_MS = 200;

export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The wait after so many failures in a row: it doubles with each of them; none without a failure. */
export function backoffMs(failures: number, { firstMs, longestMs }: Backoff): number {
  if (failures <= 0) return 0;
  return Math.min(firstMs * 2 ** Math.min(failures - 1, DOUBLINGS_MAX), longestMs);
}

/** Repeats a step of the start while it fails for a reason that passes, for example because many nodes start at once; the step may be done twice. */
export async function patiently<T>(
  isPassing: (error: unknown) => boolean,
  step: () => Promise<T>,
): Promise<T> {
  const endsAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!isPassing(error) || performance.now() >= endsAtMs) throw error;
      await sleep(AGAIN_MS);
    }
  }
}
