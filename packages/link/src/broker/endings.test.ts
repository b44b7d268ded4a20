import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { topicOf } from '@granary/contract/link/messages';
import {
  closeOf,
  connectDevice,
  connectPacket,
  connectRaw,
  HOST,
  openRaw,
  publishPacket,
  RawDevice,
  READING,
  startLink,
} from '@granary/testing/link/fixture';
import type { LinkEvent } from '../port.ts';

const STATUS = topicOf('silo-1', 'status');
const will = { topic: STATUS, payload: Buffer.from('{"state":"offline"}'), qos: 1, retain: true } as const;
const WILL_MESSAGE = { deviceId: 'silo-1', subject: 'status', state: { state: 'offline' } };

describe('endings', { timeout: 300_000 }, () => {
  test('a DISCONNECT ends the connection cleanly, without the last will', async (t) => {
    const { broker, handler, port } = await startLink(t);
    const client = await connectDevice(t, port, 'silo-1', { will });
    await client.endAsync();
    await handler.until(() => handler.events.length === 2);
    assert.deepEqual(handler.events[1], ['disconnected', 'silo-1', 'clean']);
    assert.deepEqual(handler.messages, []);
    assert.equal(broker.connectedCount, 0);
  });

  test('a connection that breaks is lost, and its last will is handled like any message', async (t) => {
    const { handler, port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1', { will });
    device.destroySocket();
    await handler.until(() => handler.events.length === 2);
    assert.deepEqual(handler.events[1], ['disconnected', 'silo-1', 'lost']);
    assert.deepEqual(handler.messages, [WILL_MESSAGE]);
  });

  test('a device that is silent for longer than its keep-alive is disconnected', async (t) => {
    const { handler, port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1', { will, keepalive: 1 });
    await device.closed;
    await handler.until(() => handler.events.length === 2);
    assert.deepEqual(handler.events[1], ['disconnected', 'silo-1', 'timed_out']);
    assert.deepEqual(handler.messages, [WILL_MESSAGE]);
  });

  test('an invalid last will is a rejection', async (t) => {
    const { handler, port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1', { will: { ...will, payload: 'not JSON' } });
    device.destroySocket();
    await handler.until(() => handler.events.length === 2);
    assert.equal(handler.rejections[0]?.payloadExcerpt, 'not JSON');
  });

  test('a last will that cannot be stored does not affect other devices', async (t) => {
    const { handler, port } = await startLink(t);
    handler.receiveFails = true;
    const device = await connectRaw(t, port, 'silo-1', { will });
    device.destroySocket();
    await handler.until(() => handler.events.length === 2);
    await connectDevice(t, port, 'silo-1');
  });

  test('a device that connects again replaces its old connection and stays connected', async (t) => {
    const { broker, handler, port } = await startLink(t);
    const old = await connectRaw(t, port, 'silo-1', { will });
    const subscriptions = [{ topic: topicOf('silo-1', 'command'), qos: 1 as const }];
    old.send({ cmd: 'subscribe', messageId: 1, subscriptions });
    await old.packetCount(2);
    const newer = await connectRaw(t, port, 'silo-1', { will });
    await old.closed;
    newer.send(publishPacket(topicOf('silo-1', 'telemetry'), JSON.stringify(READING), 1));
    await newer.packetCount(2);
    assert.deepEqual(handler.events, [
      ['connected', 'silo-1'],
      ['disconnected', 'silo-1', 'replaced'],
      ['connected', 'silo-1'],
    ]);
    assert.deepEqual(
      handler.messages.map(({ subject }) => subject),
      ['telemetry'],
    );
    assert.equal(broker.connectedCount, 1);
  });

  const secondClients = ({ observations }: { readonly observations: readonly LinkEvent[] }) =>
    observations.filter(({ kind }) => kind === 'second_client');

  test('a client that closes its replaced connection is alive: another client uses its id', async (t) => {
    const { handler, port } = await startLink(t);
    await connectRaw(t, port, 'silo-1');
    await connectRaw(t, port, 'silo-1');
    await handler.until(() => secondClients(handler).length > 0);
    assert.deepEqual(secondClients(handler), [
      { kind: 'second_client', deviceId: 'silo-1', remoteAddress: '127.0.0.1', previousAddress: '127.0.0.1' },
    ]);
  });

  test('a replaced connection whose peer has lost its link is no second client, and is closed soon', async (t) => {
    const { broker, handler, port } = await startLink(t);
    // The peer does not answer the end of the connection, like a device whose link is lost.
    const socket = connect({ port, host: HOST, allowHalfOpen: true });
    t.after(() => socket.destroy());
    const lost = new RawDevice(socket);
    lost.send(connectPacket('silo-1'));
    await lost.packetCount(1);
    await connectRaw(t, port, 'silo-1');
    await handler.until(() => handler.events.length === 3);
    while (broker.openCount > 1) await setImmediate();
    assert.deepEqual(secondClients(handler), []);
  });

  test('of many takeovers at once exactly one connection remains', async (t) => {
    const { broker, handler, port } = await startLink(t);
    const first = await connectRaw(t, port, 'silo-1');
    first.send({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: [{ topic: topicOf('silo-1', 'config'), qos: 1 }],
    });
    await first.packetCount(2);
    const devices = await Promise.all(Array.from({ length: 20 }, () => openRaw(t, port)));
    const open = new Set(devices);
    const allButOneClosed = new Promise<void>((resolve) => {
      for (const device of devices) {
        device.closed.then(() => open.delete(device) && open.size === 1 && resolve());
        device.send(connectPacket('silo-1'));
      }
    });
    await allButOneClosed;
    await handler.until(() => handler.events.length === 41);
    const kinds = handler.events.map(([what]) => what);
    assert.deepEqual(
      kinds,
      Array.from({ length: 41 }, (_, index) => (index % 2 === 0 ? 'connected' : 'disconnected')),
    );
    assert.equal(broker.connectedCount, 1);
    const [survivor] = open;
    survivor?.send({ cmd: 'pingreq' });
    await survivor?.packetCount(2);
  });

  test('a device can be disconnected, and its last will is handled', async (t) => {
    const { broker, handler, port } = await startLink(t);
    const client = await connectDevice(t, port, 'silo-1', { will });
    const closed = closeOf(client);
    broker.disconnect('silo-1');
    broker.disconnect('silo-2');
    await closed;
    await handler.until(() => handler.events.length === 2);
    assert.deepEqual(handler.events[1], ['disconnected', 'silo-1', 'closed']);
    assert.deepEqual(handler.messages, [WILL_MESSAGE]);
  });
});
