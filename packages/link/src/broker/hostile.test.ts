import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import {
  connectDevice,
  connectPacket,
  connectRaw,
  connectWhenFree,
  openRaw,
  publishPacket,
  READING,
  startLink,
} from '@granary/testing/link/fixture';
import fc from 'fast-check';
import packets from 'mqtt-packet';

const TELEMETRY = topicOf('silo-1', 'telemetry');
const header = (packet: Parameters<typeof packets.generate>[0], bytes: number): Buffer =>
  packets.generate(packet).subarray(0, bytes);

describe('hostile connections', { timeout: 300_000 }, () => {
  test('a 1 MiB payload ends the connection at its first bytes, and is counted', async (t) => {
    const { handler, port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1');
    device.send(header(publishPacket(TELEMETRY, Buffer.alloc(1024 * 1024), 1), 64));
    await device.closed;
    await handler.until(() => handler.events.length === 2);
    assert.deepEqual(handler.events[1], ['disconnected', 'silo-1', 'closed']);
    assert.match(handler.rejections[0]?.reason ?? '', /larger than \d+ bytes/);
  });

  test('a client that really sends 1 MiB is disconnected', async (t) => {
    const { handler, port } = await startLink(t);
    const client = await connectDevice(t, port, 'silo-1');
    await assert.rejects(
      Promise.race([
        client.publishAsync(TELEMETRY, Buffer.alloc(1024 * 1024), { qos: 1 }),
        new Promise((_, reject) => client.once('close', () => reject(new Error('cut off')))),
      ]),
    );
    assert.deepEqual(handler.messages, []);
  });

  test('an oversized CONNECT is refused by its header', async (t) => {
    const { port } = await startLink(t);
    const device = await openRaw(t, port);
    device.send(header(connectPacket('silo-1', { password: Buffer.alloc(60_000) }), 4));
    await device.closed;
    assert.deepEqual(device.packets, []);
  });

  for (const [what, bytes] of [
    ['nothing', Buffer.alloc(0)],
    ['half a CONNECT', header(connectPacket('silo-1'), 20)],
  ] as const) {
    test(`a connection that sends ${what} is closed in time`, async (t) => {
      const { port } = await startLink(t, { connectTimeoutMs: 50 });
      const device = await openRaw(t, port);
      device.send(bytes);
      await device.closed;
    });
  }

  test('one connection too many is dropped, and a closed one makes room for another', async (t) => {
    const { port } = await startLink(t, { connectionsMax: 2 });
    const first = await connectRaw(t, port, 'silo-1');
    await connectRaw(t, port, 'silo-2');
    const third = await openRaw(t, port);
    await third.closed;
    first.destroySocket();
    await connectWhenFree(t, port, 'silo-3');
  });

  test('connections that say nothing give way to devices, the oldest first, and devices to nobody', async (t) => {
    const { broker, handler, port } = await startLink(t, { connectionsMax: 3 });
    const silent = [await openRaw(t, port), await openRaw(t, port), await openRaw(t, port)];
    for (const [index, deviceId] of ['silo-1', 'silo-2', 'silo-3'].entries()) {
      await connectRaw(t, port, deviceId);
      await silent[index]?.closed;
    }
    await (await openRaw(t, port)).closed;
    await handler.until(() => broker.connectedCount === 3);
  });

  test('a second CONNECT on a connection ends it', async (t) => {
    const { port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1');
    device.send(connectPacket('silo-1'));
    await device.closed;
  });

  const randomBytes = fc.uint8Array({ maxLength: 300 });
  const damaged = fc
    .record({
      packet: fc.constantFrom(
        packets.generate(connectPacket('silo-1', { will: { topic: TELEMETRY, payload: 'x' } })),
        packets.generate(publishPacket(TELEMETRY, JSON.stringify(READING), 2)),
        packets.generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'a/b', qos: 1 }] }),
        packets.generate({ cmd: 'unsubscribe', messageId: 1, unsubscriptions: ['a/b'] }),
        packets.generate({ cmd: 'pubrel', messageId: 1 }),
        packets.generate({ cmd: 'puback', messageId: 1 }),
      ),
      at: fc.nat(),
      byte: fc.nat(255),
    })
    .map(({ packet, at, byte }) => Uint8Array.from(packet).with(at % packet.length, byte));

  for (const stage of ['before', 'after'] as const) {
    test(`random and damaged bytes ${stage} login close the connection and nothing else`, async (t) => {
      const { broker, handler, port } = await startLink(t, { loginDelayMs: 0 });
      await fc.assert(
        fc.asyncProperty(fc.oneof(randomBytes, damaged), async (bytes) => {
          const device = stage === 'before' ? await openRaw(t, port) : await connectRaw(t, port, 'silo-1');
          device.finish(bytes);
          await device.closed;
        }),
        { numRuns: 150 },
      );
      const other = await connectDevice(t, port, 'silo-2');
      await other.publishAsync(topicOf('silo-2', 'telemetry'), JSON.stringify(READING), { qos: 1 });
      await handler.until(() => broker.connectedCount === 1);
    });
  }
});
