import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import {
  connectDevice,
  connectRaw,
  publishPacket,
  type RawDevice,
  READING,
  startLink,
} from '@granary/testing/link/fixture';
import type { IPublishPacket } from 'mqtt-packet';

const COMMAND = topicOf('silo-1', 'command');
const CONFIG = topicOf('silo-1', 'config');
const TELEMETRY = topicOf('silo-1', 'telemetry');
const ALWAYS = { expiresAtMs: null, repeatKey: null };
const RECONNECTS = IS_FULL_SIZE ? 300 : 60;

type Link = Awaited<ReturnType<typeof startLink>>;

const subscribePacket = (qos: 0 | 1 | 2, ...topics: string[]) => ({
  cmd: 'subscribe' as const,
  messageId: 3,
  subscriptions: topics.map((topic) => ({ topic, qos })),
});

const publishesOf = (device: RawDevice): IPublishPacket[] =>
  device.packets.filter((packet) => packet.cmd === 'publish');
const payloadsOf = (device: RawDevice): string[] =>
  publishesOf(device).map(({ payload }) => payload.toString());

const isSessionPresent = (device: RawDevice): boolean => {
  const [first] = device.packets;
  assert.ok(first?.cmd === 'connack');
  return first.sessionPresent;
};

/** After the answer to a ping, all earlier messages have arrived. */
async function pinged(device: RawDevice): Promise<void> {
  const answers = () => device.packets.filter(({ cmd }) => cmd === 'pingresp').length;
  const before = answers();
  device.send({ cmd: 'pingreq' });
  while (answers() === before) await device.packetCount(device.packets.length + 1);
}

/** Leaves a subscribed persistent session behind by closing the connection without DISCONNECT. */
async function leaveSession(t: TestContext, { handler, port }: Link): Promise<void> {
  const device = await connectRaw(t, port, 'silo-1', { clean: false });
  device.send(subscribePacket(1, COMMAND, CONFIG));
  await device.packetCount(2);
  device.destroySocket();
  await handler.until(() => handler.events.length === 2);
}

describe('persistent sessions', { timeout: 300_000 }, () => {
  test('a resumed session keeps its subscriptions, but no message sent while it was disconnected', async (t) => {
    const link = await startLink(t);
    await leaveSession(t, link);
    assert.equal(link.broker.sendCommand('silo-1', { command: 'start' }, ALWAYS), 'not_connected');
    assert.equal(link.broker.isReachable('silo-1'), false);
    const again = await connectRaw(t, link.port, 'silo-1', { clean: false });
    assert.equal(isSessionPresent(again), true);
    assert.equal(link.broker.isReachable('silo-1'), true);
    assert.equal(link.broker.sendCommand('silo-1', { command: 'report' }, ALWAYS), 'sent');
    await pinged(again);
    assert.deepEqual(payloadsOf(again), ['{"command":"report"}']);
  });

  test('a start whose connection ended before its PUBACK is not sent again', async (t) => {
    const link = await startLink(t);
    await leaveSession(t, link);
    const device = await connectRaw(t, link.port, 'silo-1', { clean: false });
    assert.equal(link.broker.sendCommand('silo-1', { command: 'start' }, ALWAYS), 'sent');
    await device.packetCount(2);
    device.destroySocket();
    await link.handler.until(() => link.handler.events.length === 4);
    const again = await connectRaw(t, link.port, 'silo-1', { clean: false });
    await pinged(again);
    assert.deepEqual(payloadsOf(again), []);
  });

  test('each reconnect reports the device as reachable and requests its configuration once', async (t) => {
    const link = await startLink(t);
    const { broker, handler, port } = link;
    await leaveSession(t, link);
    const again = await connectRaw(t, port, 'silo-1', { clean: false });
    assert.deepEqual([handler.reachableDevices.length, handler.configurationRequests.length], [2, 2]);
    assert.equal(broker.sendConfiguration('silo-1', { version: 7 }), 'sent');
    again.send(subscribePacket(1, COMMAND, CONFIG));
    await pinged(again);
    assert.deepEqual([handler.reachableDevices.length, handler.configurationRequests.length], [2, 2]);
    assert.equal(broker.sendConfiguration('silo-1', { version: 7 }), 'in_flight');
    assert.equal(broker.sendConfiguration('silo-1', { version: 6 }), 'in_flight');
    assert.equal(broker.sendConfiguration('silo-1', { version: 8 }), 'sent');
    await pinged(again);
    assert.deepEqual(payloadsOf(again), ['{"version":7}', '{"version":8}']);
    assert.deepEqual(
      publishesOf(again).map(({ retain }) => retain),
      [true, false],
    );
  });

  test('a session without a subscription is not present, so that the device subscribes', async (t) => {
    const { handler, port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1', { clean: false });
    await device.packetCount(1);
    device.destroySocket();
    await handler.until(() => handler.events.length === 2);
    const again = await connectRaw(t, port, 'silo-1', { clean: false });
    assert.equal(isSessionPresent(again), false);
    const takeover = await connectRaw(t, port, 'silo-1', { clean: false });
    assert.equal(isSessionPresent(takeover), false);
  });

  test('a clean connection ends the session that was kept', async (t) => {
    const link = await startLink(t);
    await leaveSession(t, link);
    const clean = await connectRaw(t, link.port, 'silo-1', { clean: true });
    assert.equal(isSessionPresent(clean), false);
    assert.equal(link.broker.isReachable('silo-1'), false);
    clean.destroySocket();
    await link.handler.until(() => link.handler.events.length === 4);
    assert.equal(isSessionPresent(await connectRaw(t, link.port, 'silo-1', { clean: false })), false);
  });

  test('a takeover continues the session', async (t) => {
    const { broker, port } = await startLink(t);
    const old = await connectRaw(t, port, 'silo-1', { clean: false });
    old.send(subscribePacket(1, COMMAND));
    await old.packetCount(2);
    const newer = await connectRaw(t, port, 'silo-1', { clean: false });
    await old.closed;
    assert.equal(isSessionPresent(newer), true);
    assert.equal(broker.sendCommand('silo-1', { command: 'report' }, ALWAYS), 'sent');
    await pinged(newer);
    assert.deepEqual(payloadsOf(newer), ['{"command":"report"}']);
  });

  test('another device that has got the same id does not continue the session', async (t) => {
    const link = await startLink(t);
    await leaveSession(t, link);
    link.handler.deviceNos.set('silo-1', 1_000);
    const other = await connectRaw(t, link.port, 'silo-1', { clean: false });
    assert.equal(isSessionPresent(other), false);
    assert.equal(link.broker.isReachable('silo-1'), false);
  });

  test('sessions of absent devices are bounded in number', async (t) => {
    const { handler, port } = await startLink(t, { absentSessionsMax: 2 });
    for (const [index, deviceId] of ['silo-1', 'silo-2', 'silo-3'].entries()) {
      const device = await connectRaw(t, port, deviceId, { clean: false });
      device.send(subscribePacket(1, topicOf(deviceId, 'command')));
      await device.packetCount(2);
      device.destroySocket();
      await handler.until(() => handler.events.length === 2 * (index + 1));
    }
    assert.equal(isSessionPresent(await connectRaw(t, port, 'silo-1', { clean: false })), false);
    assert.equal(isSessionPresent(await connectRaw(t, port, 'silo-3', { clean: false })), true);
  });

  test(`${RECONNECTS} reconnects at every moment: no dropped connection, no packet id twice, no message twice`, async (t) => {
    const link = await startLink(t);
    const { broker, handler, port } = link;
    await leaveSession(t, link);
    const seen: string[] = [];
    let isUnexpected = false;
    for (let round = 0; round < RECONNECTS; round++) {
      const device = await connectRaw(t, port, 'silo-1', { clean: false });
      let isLeaving = false;
      void device.closed.then(() => (isUnexpected ||= !isLeaving));
      const sent = round % 4;
      for (let number = 0; number < sent; number++) {
        assert.equal(broker.sendCommand('silo-1', { round, number }, ALWAYS), 'sent');
      }
      await device.packetCount(1 + sent);
      const ids = publishesOf(device).map(({ messageId }) => messageId ?? 0);
      assert.equal(new Set(ids).size, sent);
      // The device acknowledges none, some or all messages, and also identifiers that were never used.
      for (const messageId of ids.slice(round % 3)) device.send({ cmd: 'puback', messageId });
      device.send({ cmd: 'puback', messageId: 40_000 + round });
      await pinged(device);
      seen.push(...payloadsOf(device));
      isLeaving = true;
      device.destroySocket();
      await handler.until(() => handler.events.length === 2 * (round + 2));
    }
    assert.equal(isUnexpected, false);
    assert.equal(new Set(seen).size, seen.length);
  });

  test('mqtt.js with a persistent session is disconnected 100 times and never gets a message twice', async (t) => {
    const { broker, handler, port } = await startLink(t);
    const client = await connectDevice(t, port, 'silo-1', { clean: false, reconnectPeriod: 1 });
    const received: string[] = [];
    client.on('message', (_topic, payload) => received.push(payload.toString()));
    await client.subscribeAsync(COMMAND, { qos: 1 });
    for (let round = 0; round < 100; round++) {
      await handler.until(() => broker.isReachable('silo-1'));
      assert.equal(broker.sendCommand('silo-1', { round }, ALWAYS), 'sent');
      if (round % 2 === 0)
        while (broker.linkStatistics('silo-1').unacknowledged > 0)
          await client.publishAsync(TELEMETRY, JSON.stringify(READING), { qos: 1 });
      client.stream.destroy();
      await handler.until(() => handler.events.length >= 2 * (round + 1));
    }
    await handler.until(() => broker.isReachable('silo-1'));
    await client.publishAsync(TELEMETRY, JSON.stringify(READING), { qos: 1 });
    assert.equal(new Set(received).size, received.length);
    assert.ok(received.length >= 50);
  });
});

describe('QoS 2 from a device', { timeout: 300_000 }, () => {
  const reading = (ts: number) => JSON.stringify({ ...READING, ts });

  test('a message that is sent again after a reconnect counts once, also while the first copy is being stored', async (t) => {
    const { handler, port } = await startLink(t);
    const { promise, resolve } = Promise.withResolvers<void>();
    handler.disk = promise;
    const device = await connectRaw(t, port, 'silo-1', { clean: false });
    device.send(publishPacket(TELEMETRY, reading(1), 2, 9));
    await handler.until(() => handler.messages.length === 1);
    device.destroySocket();
    await handler.until(() => handler.events.length === 2);
    const again = await connectRaw(t, port, 'silo-1', { clean: false });
    again.send({ ...publishPacket(TELEMETRY, reading(1), 2, 9), dup: true } as IPublishPacket);
    await pinged(again);
    resolve();
    await again.packetCount(3);
    assert.equal(again.packets[2]?.cmd, 'pubrec');
    again.destroySocket();
    await handler.until(() => handler.events.length === 4);
    const third = await connectRaw(t, port, 'silo-1', { clean: false });
    third.send({ ...publishPacket(TELEMETRY, reading(1), 2, 9), dup: true } as IPublishPacket);
    await third.packetCount(2);
    third.send({ cmd: 'pubrel', messageId: 9 });
    await third.packetCount(3);
    assert.equal(handler.messages.length, 1);
    third.send(publishPacket(TELEMETRY, reading(2), 2, 9));
    await third.packetCount(4);
    assert.equal(handler.messages.length, 2);
    third.send({ cmd: 'pubrel', messageId: 9 }, { cmd: 'pubrel', messageId: 10 });
    await third.packetCount(6);
    assert.deepEqual(
      third.packets.map(({ cmd }) => cmd),
      ['connack', 'pubrec', 'pubcomp', 'pubrec', 'pubcomp', 'pubcomp'],
    );
  });

  test('a message that could not be stored may be sent again', async (t) => {
    const { handler, port } = await startLink(t);
    handler.receiveFails = true;
    const device = await connectRaw(t, port, 'silo-1', { clean: false });
    device.send(publishPacket(TELEMETRY, reading(1), 2, 9));
    await device.closed;
    handler.receiveFails = false;
    const again = await connectRaw(t, port, 'silo-1', { clean: false });
    again.send(publishPacket(TELEMETRY, reading(1), 2, 9));
    await again.packetCount(2);
    assert.equal(handler.messages.length, 2);
  });
});
