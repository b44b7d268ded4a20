import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 400;
const PAUSE_MS = 20;

/** Asks until the answer is as expected: what devices cause is seen a moment later. */
export async function eventually<T>(ask: () => Promise<T>, expected: T): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if ((await ask()) === expected) return;
    await sleep(PAUSE_MS);
  }
  assert.equal(await ask(), expected);
}
