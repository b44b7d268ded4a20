import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEARTBEAT_MS } from '@granary/contract/events';
import { Hearing, SILENCE_MS_MAX, SILENCE_TOLD_MS } from './silence.ts';

const SECOND_MS = 1_000;

test('a silence is told from its eighth second, which is two heartbeats, and ends with the next thing heard', () => {
  assert.ok(2 * HEARTBEAT_MS < SILENCE_TOLD_MS && SILENCE_TOLD_MS < SILENCE_MS_MAX);
  const hearing = new Hearing(0);
  const told = Array.from({ length: 10 }, (_, second) => hearing.silenceAt((second + 1) * SECOND_MS));
  assert.deepEqual(told, [null, null, null, null, null, null, null, 8_000, 9_000, 10_000]);
  hearing.heard(10_500);
  assert.equal(hearing.silenceAt(11_000), null);
  assert.equal(hearing.heardAtMs, 10_500);
});

test('a page whose timers were held for minutes has to look several times before it speaks of silence', () => {
  const hearing = new Hearing(0);
  const minuteMs = 60 * SECOND_MS;
  assert.equal(hearing.silenceAt(5 * minuteMs), null);
  // The message had arrived before the timer ran, but is read after it.
  hearing.heard(5 * minuteMs - 500);
  for (let second = 1; second < 8; second++) {
    assert.equal(hearing.silenceAt(5 * minuteMs - 500 + second * SECOND_MS), null);
  }
});

test('a clock that is set forward makes no silence while something is heard', () => {
  const hearing = new Hearing(0);
  const hourMs = 3_600 * SECOND_MS;
  for (let second = 1; second <= 60; second++) {
    const nowMs = second * SECOND_MS + (second < 20 ? 0 : hourMs);
    if (nowMs % HEARTBEAT_MS < SECOND_MS) hearing.heard(nowMs);
    assert.equal(hearing.silenceAt(nowMs), null, String(second));
  }
});
