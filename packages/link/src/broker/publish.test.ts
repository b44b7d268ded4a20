import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LINK_PAYLOAD_BYTES_MAX, topicOf } from '@granary/contract/link/messages';
import {
  connectDevice,
  connectRaw,
  publishPacket,
  READING,
  type RecordingHandler,
  startLink,
} from '@granary/testing/link/fixture';
import { IN_FLIGHT_BYTES_MAX } from '../limits.ts';

const TELEMETRY = topicOf('silo-1', 'telemetry');
const PAYLOAD = JSON.stringify(READING);

/** Delays the handler's disk until the returned function is called. */
function holdDisk(handler: RecordingHandler): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  handler.disk = promise;
  return resolve;
}

describe('publishing', { timeout: 300_000 }, () => {
  for (const qos of [0, 1, 2] as const) {
    test(`telemetry with QoS ${qos} arrives`, async (t) => {
      const { handler, port } = await startLink(t);
      const client = await connectDevice(t, port, 'silo-1');
      await client.publishAsync(TELEMETRY, PAYLOAD, { qos });
      await handler.until(() => handler.messages.length === 1);
      assert.deepEqual(handler.messages, [{ deviceId: 'silo-1', subject: 'telemetry', telemetry: READING }]);
    });
  }

  test('a retained status arrives', async (t) => {
    const { handler, port } = await startLink(t);
    const client = await connectDevice(t, port, 'silo-1');
    await client.publishAsync(topicOf('silo-1', 'status'), '{"state":"maintenance"}', {
      qos: 1,
      retain: true,
    });
    assert.deepEqual(handler.messages, [
      { deviceId: 'silo-1', subject: 'status', state: { state: 'maintenance' } },
    ]);
  });

  for (const [qos, answer] of [
    [1, 'puback'],
    [2, 'pubrec'],
  ] as const) {
    test(`${answer} waits until the message is on disk`, async (t) => {
      const { handler, port } = await startLink(t);
      const release = holdDisk(handler);
      const device = await connectRaw(t, port, 'silo-1');
      device.send(publishPacket(TELEMETRY, PAYLOAD, qos, 9), { cmd: 'pingreq' });
      await handler.until(() => handler.messages.length === 1);
      await device.packetCount(2);
      device.send({ cmd: 'pingreq' });
      await device.packetCount(3);
      assert.deepEqual(
        device.packets.map(({ cmd }) => cmd),
        ['connack', 'pingresp', 'pingresp'],
      );
      release();
      await device.packetCount(4);
      assert.equal(device.packets[3]?.cmd, answer);
      assert.equal(device.packets[3]?.messageId, 9);
    });
  }

  test('what could not be stored is not acknowledged, and the connection ends', async (t) => {
    const { handler, port } = await startLink(t);
    handler.receiveFails = true;
    const device = await connectRaw(t, port, 'silo-1');
    device.send(publishPacket(TELEMETRY, PAYLOAD, 1));
    await device.closed;
    assert.equal(device.packets.length, 1);
    await handler.until(() => handler.events.length === 2);
    assert.deepEqual(handler.events[1], ['disconnected', 'silo-1', 'closed']);
  });

  test('a bad payload is kept with its reason, and acknowledged', async (t) => {
    const { handler, port } = await startLink(t);
    const client = await connectDevice(t, port, 'silo-1');
    await client.publishAsync(TELEMETRY, '{"ts":1,"weight":"heavy\u0007"}', { qos: 1 });
    await client.publishAsync(topicOf('silo-1', 'ack'), '{}', { qos: 1 });
    await client.publishAsync(TELEMETRY, PAYLOAD, { qos: 1 });
    const [bad, incomplete, ...others] = handler.rejections;
    assert.equal(bad?.topic, TELEMETRY);
    assert.equal(bad?.payloadExcerpt, '{"ts":1,"weight":"heavy\uFFFD"}');
    assert.match(bad?.reason ?? '', /weight|JSON/);
    assert.match(incomplete?.reason ?? '', /operation_id is required/);
    assert.deepEqual(others, []);
    assert.equal(handler.messages.length, 1);
  });

  const foreign = {
    'another device’s topic': topicOf('silo-2', 'telemetry'),
    'a system topic': '$SYS/broker/uptime',
    'an unknown subject': 'granary/v1/silo-1/firmware',
    'its own command topic': topicOf('silo-1', 'command'),
    'a wildcard': 'granary/v1/+/telemetry',
    'an empty topic': '',
    'a topic of many levels': '/'.repeat(200),
  };
  for (const [what, topic] of Object.entries(foreign)) {
    test(`a device that publishes on ${what} is disconnected, and no other device is affected`, async (t) => {
      const { broker, handler, port } = await startLink(t);
      const received: string[] = [];
      const other = await connectDevice(t, port, 'silo-2');
      other.on('message', (on) => received.push(on));
      await other.subscribeAsync([topicOf('silo-2', 'command'), topicOf('silo-2', 'config')]);
      const device = await connectRaw(t, port, 'silo-1');
      const body = Buffer.concat([
        Buffer.of(0, topic.length),
        Buffer.from(topic),
        Buffer.of(0, 1),
        Buffer.from(PAYLOAD),
      ]);
      const length = body.length < 128 ? [body.length] : [(body.length % 128) | 128, body.length >> 7];
      device.send(Buffer.concat([Buffer.of(0x32, ...length), body]));
      await device.closed;
      assert.equal(device.packets.length, 1);
      await other.publishAsync(topicOf('silo-2', 'telemetry'), PAYLOAD, { qos: 1 });
      assert.deepEqual(
        handler.messages.map(({ deviceId }) => deviceId),
        ['silo-2'],
      );
      assert.deepEqual(received, []);
      assert.equal(broker.connectedCount, 1);
    });
  }

  test('a refused topic is stored as a rejection', async (t) => {
    const { handler, port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1');
    device.send(publishPacket(topicOf('silo-2', 'telemetry'), PAYLOAD, 1));
    await device.closed;
    assert.equal(handler.rejections[0]?.deviceId, 'silo-1');
    assert.equal(handler.rejections[0]?.topic, topicOf('silo-2', 'telemetry'));
  });

  test('the largest payload is accepted', async (t) => {
    const { handler, port } = await startLink(t);
    const client = await connectDevice(t, port, 'silo-1');
    await client.publishAsync(TELEMETRY, PAYLOAD.padEnd(LINK_PAYLOAD_BYTES_MAX), { qos: 1 });
    assert.equal(handler.messages.length, 1);
  });

  test('a device that does not wait is read only as fast as the disk writes, and loses nothing', async (t) => {
    const { handler, port } = await startLink(t);
    const release = holdDisk(handler);
    const bytes = 100 * 1024;
    const count = 40;
    const enough = Math.ceil(IN_FLIGHT_BYTES_MAX / bytes);
    const device = await connectRaw(t, port, 'silo-1');
    for (let id = 1; id <= count; id++) device.send(publishPacket(TELEMETRY, PAYLOAD.padEnd(bytes), 1, id));
    await handler.until(() => handler.messages.length >= enough - 1);
    const other = await connectDevice(t, port, 'silo-2');
    for (let round = 0; round < 20; round++) await other.subscribeAsync(topicOf('silo-2', 'config'));
    assert.ok(handler.messages.length <= enough, `${handler.messages.length} messages were taken`);
    release();
    await device.packetCount(1 + count);
    assert.equal(handler.messages.length, count);
  });
});
