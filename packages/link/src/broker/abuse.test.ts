import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { topicOf } from '@granary/contract/link/messages';
import { connectDevice, connectRaw, publishPacket, READING, startLink } from '@granary/testing/link/fixture';
import packets, { type ISubscribePacket } from 'mqtt-packet';
import { IN_FLIGHT_BYTES_MAX, KEEP_ALIVE_CHECK_MS } from '../limits.ts';

const TELEMETRY = topicOf('silo-1', 'telemetry');
const PAYLOAD = JSON.stringify(READING);

/** As many filters as fit into the largest accepted SUBSCRIBE. */
const manyFilters = (count: number): ISubscribePacket => ({
  cmd: 'subscribe',
  messageId: 7,
  subscriptions: Array.from({ length: count }, () => ({ topic: '#', qos: 1 as const })),
});

describe('abuse of a known device', { timeout: 300_000 }, () => {
  test('a SUBSCRIBE with 1,000 foreign filters is answered with 1,000 refusals', async (t) => {
    const { broker, handler, port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1');
    device.send(manyFilters(1_000));
    await device.packetCount(2);
    const suback = device.packets[1];
    assert.ok(suback?.cmd === 'suback');
    assert.deepEqual(new Set(suback.granted), new Set([128]));
    assert.equal(suback.granted.length, 1_000);
    assert.equal(broker.connectedCount, 1);
    assert.match(JSON.stringify(handler.observations.at(-1)), /1000 topic filters refused, the first is #/);
  });

  const publishBytes = packets.generate(publishPacket(TELEMETRY, PAYLOAD, 1, 1));
  const withoutId = Buffer.from(publishBytes);
  withoutId.writeUInt16BE(0, withoutId.indexOf('telemetry') + 'telemetry'.length);
  const forbidden: Record<string, Buffer> = {
    'a PUBLISH with packet id 0': withoutId,
    'a PUBLISH with QoS 3': Buffer.from(Uint8Array.from(publishBytes).with(0, 0x36)),
    'a duplicate with QoS 0': Buffer.from(Uint8Array.from(publishBytes).with(0, 0x38)),
    'a SUBSCRIBE without filters': Buffer.of(0x82, 2, 0, 1),
    'a SUBSCRIBE with wrong flags': Buffer.of(0x80, 6, 0, 1, 0, 1, 0x23, 0),
    'a SUBSCRIBE with QoS 3': Buffer.of(0x82, 6, 0, 1, 0, 1, 0x23, 3),
    'a text that is not UTF-8': Buffer.of(0x82, 6, 0, 1, 0, 1, 0xff, 0),
    'a field that ends behind its packet': Buffer.of(0x82, 6, 0, 1, 0, 9, 0x23, 0),
    'a PUBACK that is too long': Buffer.of(0x40, 3, 0, 1, 0),
    'a packet of a server': Buffer.of(0x20, 2, 0, 0),
    'packet type 0': Buffer.of(0x00, 0),
    'packet type 15': Buffer.of(0xf0, 0),
  };
  for (const [what, bytes] of Object.entries(forbidden)) {
    test(`${what} ends the connection, is counted and does not affect other devices`, async (t) => {
      const { broker, handler, port } = await startLink(t);
      const other = await connectDevice(t, port, 'silo-2');
      const device = await connectRaw(t, port, 'silo-1');
      device.send(bytes);
      await device.closed;
      await handler.until(() => handler.events.length === 3);
      assert.deepEqual(handler.events[2], ['disconnected', 'silo-1', 'closed']);
      assert.equal(handler.rejections.length, 1);
      assert.equal(broker.linkStatistics('silo-1').faults, 1);
      assert.deepEqual(
        handler.observations.filter(({ kind }) => kind === 'fault').map(({ deviceId }) => deviceId),
        ['silo-1'],
      );
      await other.publishAsync(topicOf('silo-2', 'telemetry'), PAYLOAD, { qos: 1 });
    });
  }

  test('a message that arrives byte by byte is one message', async (t) => {
    const { handler, port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1');
    for (const byte of publishBytes) {
      device.send(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    await device.packetCount(2);
    assert.equal(handler.messages.length, 1);
  });

  test('a device that does not read its answers is not read either, and goes on when it reads', async (t) => {
    const { port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1');
    device.stopReading();
    const bytes = packets.generate(manyFilters(1_000));
    let sent = 0;
    // The kernel buffers some megabytes; further bytes stay in the sender's buffer.
    while (device.unsentBytes < 4_000_000) {
      for (let burst = 0; burst < 200; burst++) device.send(bytes);
      sent += 200;
      await new Promise(setImmediate);
    }
    const other = await connectDevice(t, port, 'silo-2');
    await other.publishAsync(topicOf('silo-2', 'telemetry'), PAYLOAD, { qos: 1 });
    assert.ok(device.unsentBytes >= 1_000_000, `${device.unsentBytes} bytes wait`);
    device.resumeReading();
    await device.packetCount(1 + sent);
  });

  test('a device whose messages wait for the disk does not count as silent', async (t) => {
    const { broker, handler, port } = await startLink(t);
    const { promise, resolve } = Promise.withResolvers<void>();
    handler.disk = promise;
    const device = await connectRaw(t, port, 'silo-1', { keepalive: 1 });
    const large = PAYLOAD.padEnd(IN_FLIGHT_BYTES_MAX);
    device.send(publishPacket(TELEMETRY, large, 1, 1), { cmd: 'pingreq' });
    await handler.until(() => handler.messages.length === 1);
    await setTimeout(1_500 + 3 * KEEP_ALIVE_CHECK_MS);
    assert.equal(broker.isConnected('silo-1'), true);
    resolve();
    await device.packetCount(3);
    assert.deepEqual(device.packets.map(({ cmd }) => cmd).sort(), ['connack', 'pingresp', 'puback']);
  });

  test('acknowledgements leave in the order of the messages, whichever is stored first', async (t) => {
    const { handler, port } = await startLink(t);
    const holds = [1, 2, 3].map(() => Promise.withResolvers<void>());
    const device = await connectRaw(t, port, 'silo-1');
    for (const [index, hold] of holds.entries()) {
      handler.disk = hold.promise;
      device.send(publishPacket(TELEMETRY, PAYLOAD, index === 1 ? 2 : 1, index + 1));
      await handler.until(() => handler.messages.length === index + 1);
    }
    for (const hold of holds.toReversed()) {
      hold.resolve();
      device.send({ cmd: 'pingreq' });
      await device.packetCount(device.packets.length + 1);
    }
    await device.packetCount(7);
    const answers = device.packets.flatMap((packet) =>
      packet.cmd === 'puback' || packet.cmd === 'pubrec' ? [[packet.cmd, packet.messageId]] : [],
    );
    assert.deepEqual(answers, [
      ['puback', 1],
      ['pubrec', 2],
      ['puback', 3],
    ]);
  });
});
