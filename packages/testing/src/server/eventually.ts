import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** The limit is minutes, because a busy machine is slow; a test that passes does not wait for it. */
const PATIENCE_MS = 180_000;
/** The pause grows, because reading costs a processor that the service needs. */
const PAUSE_MS_MIN = 10;
const PAUSE_MS_MAX = 200;

/** Reads until the value is the expected one, because messages of devices take effect a moment later. */
export async function eventually<T>(
  read: () => Promise<T>,
  expected: T,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  for (let pauseMs = PAUSE_MS_MIN; performance.now() < untilMs; pauseMs *= 1.4) {
    if ((await read()) === expected) return;
    await sleep(Math.min(pauseMs, PAUSE_MS_MAX));
  }
  assert.equal(await read(), expected);
}
