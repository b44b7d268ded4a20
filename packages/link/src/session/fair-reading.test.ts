import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { topicOf } from '@granary/contract/link/messages';
import { connectRaw, publishPacket, READING, startLink } from '@granary/testing/link/fixture';
import { PACKETS_PER_TURN_MAX, REJECTED_BYTES_BURST } from '../limits.ts';

const PAYLOAD = JSON.stringify(READING);
const INVALID_PAYLOAD = 'x'.repeat(500 * 1024);
const ALLOWED = Math.floor(REJECTED_BYTES_BURST / INVALID_PAYLOAD.length);
const SENT = 20;
/** Long enough for a device at full speed to send far more. */
const WATCHED_MS = 500;

describe('devices that send much', { timeout: 300_000 }, () => {
  test('are read in turns, and of many messages in one chunk none is lost or out of order', async (t) => {
    const { handler, port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1');
    const count = 5 * PACKETS_PER_TURN_MAX;
    const topic = topicOf('silo-1', 'telemetry');
    device.send(...Array.from({ length: count }, (_, index) => publishPacket(topic, PAYLOAD, 1, index + 1)), {
      cmd: 'pingreq',
    });
    await device.packetCount(count + 2);
    assert.equal(handler.messages.length, count);
    const acknowledged = device.packets.flatMap((packet) =>
      packet.cmd === 'puback' ? [packet.messageId] : [],
    );
    assert.deepEqual(
      acknowledged,
      Array.from({ length: count }, (_, index) => index + 1),
    );
  });

  test('and are rejected are read slowly, also on their next connection, and stay connected', async (t) => {
    const { handler, port } = await startLink(t);
    const sendInvalidMessages = async () => {
      const device = await connectRaw(t, port, 'silo-1');
      const before = handler.rejections.length;
      for (let index = 0; index < SENT; index++) {
        device.send(publishPacket(topicOf('silo-1', 'telemetry'), INVALID_PAYLOAD, 1, index + 1));
      }
      // A busy machine reads them later; the allowance grows meanwhile by far less than the twenty messages.
      while (handler.rejections.length < ALLOWED) await sleep(WATCHED_MS / 50);
      await sleep(WATCHED_MS);
      return { read: handler.rejections.length - before };
    };
    const first = await sendInvalidMessages();
    assert.ok(first.read < SENT, `${first.read} messages were read`);
    assert.deepEqual(handler.events, [['connected', 'silo-1']]);
    const second = await sendInvalidMessages();
    assert.deepEqual(handler.events.at(-1), ['connected', 'silo-1']);
    assert.ok(second.read < ALLOWED, `${second.read} messages were read`);
    const other = await connectRaw(t, port, 'silo-2');
    other.send(publishPacket(topicOf('silo-2', 'telemetry'), PAYLOAD, 1, 1));
    await other.packetCount(2);
  });
});
