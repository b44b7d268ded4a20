import { setTimeout as sleep } from 'node:timers/promises';

/** More doublings than this exceed every longest wait. */
const DOUBLINGS_MAX = 20;
const PATIENCE_MS = 30_000;
const AGAIN_MS = 200;

export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Returns the wait after a number of failures in a row: it doubles with each failure, and is 0 without a failure. */
export function backoffMs(failures: number, { firstMs, longestMs }: Backoff): number {
  if (failures <= 0) return 0;
  return Math.min(firstMs * 2 ** Math.min(failures - 1, DOUBLINGS_MAX), longestMs);
}

/**
 * Repeats a step of the start while it fails for a temporary reason, for example because many nodes start at once. The step may
 * be carried out twice.
 */
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
