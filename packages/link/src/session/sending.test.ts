import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { connectRaw, startLink } from '@granary/testing/link/fixture';
import { UNACKNOWLEDGED_MAX, UNREAD_BYTES_MAX } from '../limits.ts';

const COMMAND = topicOf('silo-1', 'command');
const ALWAYS = { expiresAtMs: null, repeatKey: null };

async function subscribed(t: Parameters<typeof startLink>[0], qos: 0 | 1 | 2) {
  const link = await startLink(t);
  const device = await connectRaw(t, link.port, 'silo-1');
  device.send({ cmd: 'subscribe', messageId: 3, subscriptions: [{ topic: COMMAND, qos }] });
  await device.packetCount(2);
  return { ...link, device };
}

describe('what is sent to a device', { timeout: 300_000 }, () => {
  test('an expired command is dropped and counted', async (t) => {
    const { broker, device } = await subscribed(t, 1);
    const expired = { expiresAtMs: Date.now(), repeatKey: null };
    assert.equal(broker.sendCommand('silo-1', { command: 'start' }, expired), 'expired');
    const inTime = { expiresAtMs: Date.now() + 60_000, repeatKey: null };
    assert.equal(broker.sendCommand('silo-1', { command: 'start' }, inTime), 'sent');
    await device.packetCount(3);
    assert.equal(broker.linkStatistics('silo-1').droppedExpired, 1);
    assert.equal(broker.linkStatistics('silo-1').messagesOut, 1);
  });

  test('a repeated command is sent again only after the device has acknowledged the last copy', async (t) => {
    const { broker, device, handler } = await subscribed(t, 1);
    const stop = () =>
      broker.sendCommand('silo-1', { command: 'stop' }, { expiresAtMs: null, repeatKey: 'stop op_1' });
    assert.deepEqual([stop(), stop(), stop()], ['sent', 'in_flight', 'in_flight']);
    const other = { expiresAtMs: null, repeatKey: 'stop op_2' };
    assert.equal(broker.sendCommand('silo-1', { command: 'stop' }, other), 'sent');
    await device.packetCount(4);
    const first = device.packets[2];
    assert.ok(first?.cmd === 'publish' && first.messageId !== undefined);
    device.send({ cmd: 'puback', messageId: first.messageId });
    device.send({ cmd: 'subscribe', messageId: 4, subscriptions: [{ topic: '#', qos: 0 }] });
    await handler.until(() => handler.observations.some(({ kind }) => kind === 'subscription_refused'));
    assert.deepEqual([stop(), stop()], ['sent', 'in_flight']);
  });

  test('a subscription with QoS 2 is granted 1, one with QoS 0 gets QoS 0', async (t) => {
    for (const [asked, granted] of [
      [2, 1],
      [0, 0],
    ] as const) {
      const { broker, device } = await subscribed(t, asked);
      const suback = device.packets[1];
      assert.ok(suback?.cmd === 'suback');
      assert.deepEqual(suback.granted, [granted]);
      assert.equal(broker.sendCommand('silo-1', { command: 'report' }, ALWAYS), 'sent');
      await device.packetCount(3);
      const message = device.packets[2];
      assert.ok(message?.cmd === 'publish');
      assert.deepEqual([message.qos, message.retain, message.dup], [granted, false, false]);
    }
  });

  test('with QoS 0 a repeated command is sent again once the last copy has left the buffer', async (t) => {
    const { broker, device } = await subscribed(t, 0);
    const stop = () =>
      broker.sendCommand('silo-1', { command: 'stop' }, { expiresAtMs: null, repeatKey: 'stop op_1' });
    assert.equal(stop(), 'sent');
    await device.packetCount(3);
    assert.equal(stop(), 'sent');
    device.stopReading();
    const filler = { command: 'report', filler: 'x'.repeat(100_000) };
    while (stop() === 'sent') broker.sendCommand('silo-1', filler, ALWAYS);
    assert.equal(stop(), 'in_flight');
  });

  test('a device that never reads is disconnected, and no more than the limit is buffered for it', async (t) => {
    const { broker, device, handler } = await subscribed(t, 0);
    device.stopReading();
    const filler = { command: 'report', filler: 'x'.repeat(100_000) };
    let sent = 0;
    while (broker.sendCommand('silo-1', filler, ALWAYS) === 'sent') {
      sent++;
      // The kernel buffers some megabytes before the first byte waits in the process.
      assert.ok(sent * 100_000 < 100 * UNREAD_BYTES_MAX);
      if (sent % 50 === 0) await new Promise(setImmediate);
    }
    await handler.until(() => handler.events.length === 2);
    assert.deepEqual(handler.events[1], ['disconnected', 'silo-1', 'closed']);
    assert.equal(broker.linkStatistics('silo-1').lastFault?.told.code, 'does_not_read');
    assert.equal(broker.isReachable('silo-1'), false);
  });

  test('a device that never acknowledges is disconnected, so that it reconnects and receives the stop', async (t) => {
    const { broker, handler } = await subscribed(t, 1);
    for (let count = 0; count < UNACKNOWLEDGED_MAX; count++) {
      assert.equal(broker.sendCommand('silo-1', { count }, ALWAYS), 'sent');
    }
    assert.equal(broker.sendCommand('silo-1', { command: 'report' }, ALWAYS), 'not_connected');
    await handler.until(() => handler.events.length === 2);
    assert.equal(broker.linkStatistics('silo-1').lastFault?.told.code, 'left_unacknowledged');
  });

  test('after UNSUBSCRIBE nothing more is sent', async (t) => {
    const { broker, device } = await subscribed(t, 1);
    device.send({ cmd: 'unsubscribe', messageId: 5, unsubscriptions: [COMMAND, '#'] });
    await device.packetCount(3);
    assert.equal(device.packets[2]?.cmd, 'unsuback');
    assert.equal(broker.isReachable('silo-1'), false);
    assert.equal(broker.isConnected('silo-1'), true);
    assert.equal(broker.sendCommand('silo-1', { command: 'report' }, ALWAYS), 'not_subscribed');
    assert.equal(broker.linkStatistics('silo-1').droppedNotConnected, 1);
  });
});
