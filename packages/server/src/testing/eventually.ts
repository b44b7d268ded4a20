import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** The last attempt is after 40 s or later, because a busy machine is slow; a test that passes does not wait for it. */
const ATTEMPTS = 2_000;
const PAUSE_MS = 20;

/** Reads until the value is the expected one, because messages of devices take effect a moment later. */
export async function eventually<T>(read: () => Promise<T>, expected: T): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if ((await read()) === expected) return;
    await sleep(PAUSE_MS);
  }
  assert.equal(await read(), expected);
}
