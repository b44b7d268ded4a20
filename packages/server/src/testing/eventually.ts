import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Minutes, because a busy machine is slow; a test that passes does not wait for them. */
const PATIENCE_MS = 180_000;
const PAUSE_MS = 20;

/** Reads until the value is the expected one, because messages of devices take effect a moment later. */
export async function eventually<T>(read: () => Promise<T>, expected: T): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS;
  while (performance.now() < untilMs) {
    if ((await read()) === expected) return;
    await sleep(PAUSE_MS);
  }
  assert.equal(await read(), expected);
}
