import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SECOND_MS } from '@granary/contract/time';
import { type RecordingBroker, startBroker } from '@granary/testing/simulator/broker';
import { createSiloDevice } from '../profiles/silo-scale.ts';
import type { SiloFault } from './faults.ts';
import { readingAt } from './scale.ts';
import { SILOS } from './silos.ts';

const START_MS = Date.UTC(2026, 10, 15, 16);
const SILO = firstSilo();

/** A silo whose clock advances ten seconds at every reading of it. */
function startDevice(t: TestContext, broker: RecordingBroker, ...faults: SiloFault[]) {
  let nowMs = START_MS - 10 * SECOND_MS;
  const device = createSiloDevice(SILO, {
    link: broker.linkOf(SILO.id),
    intervalMs: 20,
    faults: new Set(faults),
    recall: () => undefined,
    keep: async () => undefined,
    onTrouble: (reason) => assert.fail(reason),
    now: () => {
      nowMs += 10 * SECOND_MS;
      return nowMs;
    },
  });
  device.start();
  t.after(() => device.stop());
  return device;
}

const readings = (broker: RecordingBroker) =>
  broker.received.flatMap((message) => (message.subject === 'telemetry' ? message.telemetry : []));
const states = (broker: RecordingBroker) =>
  broker.received.flatMap((message) => (message.subject === 'status' ? [message.state.state] : []));

test('sends the readings of its scale at every interval, in order', async (t) => {
  const broker = await startBroker(t);
  startDevice(t, broker);
  await broker.until(() => readings(broker).length >= 5);
  for (const [i, reading] of readings(broker).entries()) {
    assert.deepEqual(reading, readingAt(SILO, START_MS + (i + 1) * 10 * SECOND_MS));
  }
});

test('after a lost and restored link all readings arrive', async (t) => {
  const broker = await startBroker(t);
  startDevice(t, broker, 'link-loss');
  await broker.until(() => states(broker).length >= 5 && readings(broker).length >= 30);
  assert.deepEqual(states(broker).slice(0, 5), ['online', 'offline', 'online', 'offline', 'online']);
  const times = new Set(readings(broker).map(({ ts }) => ts));
  for (let i = 1; i <= 25; i++)
    assert.ok(times.has(START_MS + i * 10 * SECOND_MS), `reading ${i} is missing`);
});

test('faults change the messages that are sent', async (t) => {
  const broker = await startBroker(t);
  startDevice(t, broker, 'stuck', 'duplicates');
  await broker.until(() => readings(broker).length >= 6);
  const [first, second, third] = readings(broker);
  assert.deepEqual(first, second);
  assert.notEqual(third?.ts, first?.ts);
  assert.deepEqual({ ...third, ts: 0 }, { ...first, ts: 0 });
});

function firstSilo() {
  const [silo] = SILOS;
  assert.ok(silo);
  return silo;
}
