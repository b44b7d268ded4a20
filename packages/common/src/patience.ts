import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 30_000;
const AGAIN_MS = 200;

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
