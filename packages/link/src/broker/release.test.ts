import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import {
  connectRaw,
  HOST,
  publishPacket,
  READING,
  RecordingHandler,
  startLink,
} from '@granary/testing/link/fixture';
import { EmbeddedBroker } from './broker.ts';

const COMMAND = topicOf('silo-1', 'command');

describe('a device that has logged in elsewhere', () => {
  it('loses its session here, and its end is reported once and at once, as replaced', async (t) => {
    const { broker, handler, port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1');
    assert.equal(broker.release('silo-1', '10.0.0.9'), true);
    assert.deepEqual(handler.events, [
      ['connected', 'silo-1'],
      ['disconnected', 'silo-1', 'replaced'],
    ]);
    assert.equal(broker.isConnected('silo-1'), false);
    assert.equal(broker.linkStatistics('silo-1').takeovers, 1);
    assert.match(broker.linkStatistics('silo-1').lastDisconnect?.detail ?? '', /10\.0\.0\.9/);
    await device.closed;
    assert.equal(broker.release('silo-1', '10.0.0.9'), false);
    assert.equal(handler.events.length, 2);
  });

  it('and whose session there was ended is reported as a takeover', async (t) => {
    const { handler, port } = await startLink(t);
    const authenticate = handler.authenticate.bind(handler);
    handler.authenticate = async (deviceId, secret) => {
      const device = await authenticate(deviceId, secret);
      return device && { ...device, replacesSession: deviceId === 'silo-2' };
    };
    for (const deviceId of ['silo-1', 'silo-2']) await connectRaw(t, port, deviceId);
    assert.deepEqual(
      handler.observations.flatMap((event) => (event.kind === 'connected' ? [event.isTakeover] : [])),
      [false, true],
    );
  });
});

it('a device that gives up the subscription to its commands is reported as not reachable', async (t) => {
  const { handler, port } = await startLink(t);
  const device = await connectRaw(t, port, 'silo-1');
  device.send({ cmd: 'subscribe', messageId: 3, subscriptions: [{ topic: COMMAND, qos: 1 }] });
  await handler.until(() => handler.reachableDevices.length === 1);
  device.send({ cmd: 'unsubscribe', messageId: 4, unsubscriptions: [COMMAND] });
  await handler.until(() => handler.unreachableDevices.length === 1);
});

it('what is urgent is served before a connection is read, and before it is acknowledged', async (t) => {
  const handler = new RecordingHandler();
  const seen: number[] = [];
  const broker = new EmbeddedBroker({ plain: { host: HOST, port: 0 }, secure: null }, handler, {
    serveFirst: () => seen.push(handler.messages.length),
  });
  const { plain } = await broker.start();
  t.after(() => broker.stop());
  const device = await connectRaw(t, plain?.port ?? 0, 'silo-1');
  seen.splice(0);
  device.send(publishPacket(topicOf('silo-1', 'telemetry'), JSON.stringify(READING), 1, 1));
  await device.packetCount(2);
  assert.deepEqual([seen[0], seen.at(-1)], [0, 1]);
});

it('several brokers share a port where the system can', async (t) => {
  if (process.platform !== 'linux') return;
  const start = async (port: number) => {
    const handler = new RecordingHandler();
    const addresses = { plain: { host: HOST, port }, secure: null };
    const broker = new EmbeddedBroker(addresses, handler, { sharesPorts: true });
    const bound = (await broker.start()).plain?.port ?? 0;
    t.after(() => broker.stop());
    return { bound, handler };
  };
  const first = await start(0);
  const second = await start(first.bound);
  assert.equal(second.bound, first.bound);
  await connectRaw(t, first.bound, 'silo-1');
  assert.equal(first.handler.events.length + second.handler.events.length, 1);
});
