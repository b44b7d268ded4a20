import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { topicOf } from '@granary/contract/link/messages';
import { eventually, startNode } from '../testing/external-fixture.ts';
import { connectDevice } from '../testing/fixture.ts';
import { MosquittoBroker } from '../testing/mosquitto-broker.ts';
import { hasProgram, mayTestWith } from '../testing/outside-clients.ts';

const NODES = ['one', 'two', 'three'];
const OUTAGES = 10;
/** Longer than a node of these tests waits for its storage before it leaves its messages to the others. */
const OUTAGE_MS = 1_000;
const RETURNED_MS = 800;
/** Longer than a node looks for others, so that a node may find that the others are still away. */
const LIMITS = { reconnectMs: 400, reconnectMsMax: 400 };

test('nodes that lose their storage and get it back at the same time lose no message', {
  timeout: 300_000,
}, async (t) => {
  if (!mayTestWith(t, 'mosquitto', hasProgram('mosquitto'))) return;
  const broker = await MosquittoBroker.start();
  t.after(() => broker.remove());
  const nodes = await Promise.all(NODES.map((name) => startNode(t, broker, `outage-${name}`, LIMITS)));
  const device = await connectDevice(t, broker.access.port, 'silo-outage');
  const acknowledged: number[] = [];
  let isOver = false;
  const publishing = (async () => {
    for (let weight = 1; !isOver; weight++) {
      const reading = JSON.stringify({ ts: 1_800_000_000_000 + weight, weight });
      await device.publishAsync(topicOf('silo-outage', 'telemetry'), reading, { qos: 1 });
      acknowledged.push(weight);
      await setTimeout(1);
    }
  })();
  const hold = (isHolding: boolean): void => {
    for (const { handler } of nodes) handler.isHolding = isHolding;
  };
  for (let outage = 0; outage < OUTAGES; outage++) {
    hold(true);
    await setTimeout(OUTAGE_MS);
    hold(false);
    await setTimeout(RETURNED_MS);
  }
  isOver = true;
  await publishing;
  assert.ok(acknowledged.length > OUTAGES);
  const missing = (): number[] => {
    const received = new Set(nodes.flatMap(({ handler }) => handler.weights));
    return acknowledged.filter((weight) => !received.has(weight));
  };
  const untilMs = performance.now() + 30_000;
  await eventually(() => missing().length === 0 || performance.now() > untilMs);
  assert.deepEqual(missing(), []);
});
