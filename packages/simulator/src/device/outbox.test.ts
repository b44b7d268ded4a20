import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SiloReading } from '../silo/scale.ts';
import { Outbox } from './device.ts';

const reading = (ts: number): SiloReading => ({ ts, weight: 0, temperature: 0, humidity: 0 });
const readings = (count: number) => Array.from({ length: count }, (_, ts) => reading(ts));

test('returns readings one by one, in order', () => {
  const outbox = new Outbox<SiloReading>();
  outbox.add([reading(1), reading(2)]);
  assert.deepEqual([outbox.take(), outbox.take(), outbox.take()], [reading(1), reading(2), undefined]);
});

test('returns readings after an outage in arrays that fit into one message', () => {
  const outbox = new Outbox<SiloReading>();
  outbox.add(readings(1_500));
  const first = outbox.take();
  const second = outbox.take();
  assert.ok(Array.isArray(first) && Array.isArray(second));
  assert.deepEqual([first.length, second.length], [1_000, 500]);
});

test('drops the oldest readings when it is full', () => {
  const outbox = new Outbox<SiloReading>();
  outbox.add(readings(10_001));
  const first = outbox.take();
  assert.deepEqual(Array.isArray(first) && first[0], reading(1));
});
