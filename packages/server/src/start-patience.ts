import { setTimeout as sleep } from 'node:timers/promises';
import { isStorageFault } from '@granary/store/errors';

const PATIENCE_MS = 30_000;
const AGAIN_MS = 200;

/** Repeats a step of the start while the storage is busy, for example because many nodes start at once; the step may be done twice. */
export async function patiently<T>(step: () => Promise<T>): Promise<T> {
  const endsAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!isStorageFault(error) || performance.now() >= endsAtMs) throw error;
      await sleep(AGAIN_MS);
    }
  }
}
