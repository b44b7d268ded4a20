import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  closeOf,
  connectDevice,
  connectPacket,
  connectRaw,
  connectWhenFree,
  HOST,
  openRaw,
  RecordingHandler,
  startLink,
} from '@granary/testing/link/fixture';
import packets, { type IConnectPacket, type Packet } from 'mqtt-packet';
import { EmbeddedBroker } from './broker.ts';

const connackOf = (packet: Packet | undefined) => {
  assert.ok(packet?.cmd === 'connack', JSON.stringify(packet));
  return packet.returnCode;
};

describe('connecting', { timeout: 300_000 }, () => {
  test('a device with its secret is accepted and reported as connected', async (t) => {
    const { broker, handler, port } = await startLink(t);
    await connectDevice(t, port, 'silo-1');
    assert.deepEqual(handler.events, [['connected', 'silo-1']]);
    assert.equal(broker.connectedCount, 1);
  });

  test('an id of 64 characters is accepted', async (t) => {
    const { port } = await startLink(t);
    assert.equal(connackOf((await connectRaw(t, port, 'x'.repeat(64))).packets[0]), 0);
  });

  const otherProtocols: Record<string, Partial<IConnectPacket>> = {
    'MQTT 3.1': { protocolId: 'MQIsdp', protocolVersion: 3 },
    'MQTT 5': { protocolVersion: 5 },
    'level 3 under the name MQTT': { protocolId: 'MQTT', protocolVersion: 3 },
  };
  const LEVEL_AT = 8;
  const bridge = Uint8Array.from(packets.generate(connectPacket('silo-1'))).with(LEVEL_AT, 0x84);
  const refusedPackets = [
    ['a bridge', Buffer.from(bridge)],
    ...Object.entries(otherProtocols).map(
      ([what, more]) => [what, packets.generate(connectPacket('silo-1', more))] as const,
    ),
  ] as const;
  for (const [what, packet] of refusedPackets) {
    test(`${what} is refused with 1, unacceptable protocol level`, async (t) => {
      const { broker, handler, port } = await startLink(t);
      const device = await openRaw(t, port);
      device.send(packet);
      await device.closed;
      assert.equal(connackOf(device.packets[0]), 1);
      assert.deepEqual(handler.attempts, []);
      assert.match(JSON.stringify(handler.observations), /login_refused.*only MQTT 3.1.1/);
      assert.equal(broker.connectedCount, 0);
    });
  }

  const refusedLogins: Record<string, readonly [number, Partial<IConnectPacket>]> = {
    'a wrong secret': [4, { password: Buffer.from('guess') }],
    'an unknown device': [4, { clientId: 'unknown-device', username: 'unknown-device' }],
    'a client id that is not the user name': [5, { clientId: 'silo-2' }],
    'a user name that is no device id': [5, { clientId: 'a/b', username: 'a/b' }],
    'a will on a foreign status topic': [5, { will: { topic: 'granary/v1/silo-2/status', payload: '{}' } }],
    'a will on an own topic that is not status': [
      5,
      { will: { topic: 'granary/v1/silo-1/telemetry', payload: '{}' } },
    ],
    'a will on a system topic': [5, { will: { topic: '$SYS/x', payload: '{}' } }],
  };
  for (const [who, [returnCode, more]] of Object.entries(refusedLogins)) {
    test(`${who} is refused with ${returnCode}`, async (t) => {
      const { broker, handler, port } = await startLink(t);
      const device = await connectRaw(t, port, 'silo-1', more);
      await device.closed;
      assert.equal(connackOf(device.packets[0]), returnCode);
      assert.deepEqual(handler.events, []);
      assert.equal(broker.connectedCount, 0);
    });
  }

  const incompleteLogins: Record<string, IConnectPacket> = {
    anonymous: { cmd: 'connect', clientId: 'silo-1' },
    'without a password': { cmd: 'connect', clientId: 'silo-1', username: 'silo-1' },
    'without a client id': { ...connectPacket('silo-1'), clientId: '' },
  };
  for (const [who, packet] of Object.entries(incompleteLogins)) {
    test(`a device ${who} is refused`, async (t) => {
      const { port } = await startLink(t);
      const device = await openRaw(t, port);
      device.send(packet);
      await device.closed;
      assert.equal(connackOf(device.packets[0]), 5);
    });
  }

  test('MQTT 5 is refused as an unsupported version', async (t) => {
    const { port } = await startLink(t);
    await assert.rejects(connectDevice(t, port, 'silo-1', { protocolVersion: 5 }));
  });

  test('a service without storage answers unavailable, not unauthorized', async (t) => {
    const { handler, port } = await startLink(t, { storageWaitMsMax: 50, storageRetryMs: 10 });
    handler.authenticateFails = true;
    assert.equal(connackOf((await connectRaw(t, port, 'silo-1')).packets[0]), 3);
  });

  test('a device that disconnects before its login is checked is never reported as connected', async (t) => {
    const { broker, handler, port } = await startLink(t, { connectionsMax: 1 });
    const { promise, resolve } = Promise.withResolvers<void>();
    handler.directory = promise;
    const device = await openRaw(t, port);
    device.send(connectPacket('silo-1'));
    await handler.until(() => handler.attempts.length === 1);
    device.destroySocket();
    handler.directory = Promise.resolve();
    const next = await connectWhenFree(t, port, 'silo-2');
    resolve();
    next.send({ cmd: 'pingreq' });
    await next.packetCount(2);
    assert.deepEqual(handler.events, [['connected', 'silo-2']]);
    assert.equal(broker.connectedCount, 1);
  });

  test('packets in the same chunk as CONNECT are read once the device is authenticated', async (t) => {
    const { handler, port } = await startLink(t);
    const device = await openRaw(t, port);
    const publish = {
      cmd: 'publish',
      topic: 'granary/v1/silo-1/status',
      payload: '{"state":"online"}',
      qos: 1,
      messageId: 7,
      dup: false,
      retain: true,
    } as const;
    device.send(connectPacket('silo-1'), publish, { cmd: 'pingreq' });
    await device.packetCount(3);
    assert.deepEqual(device.packets.map(({ cmd }) => cmd).sort(), ['connack', 'pingresp', 'puback']);
    assert.equal(handler.messages.length, 1);
  });

  test('a second start on the same port throws with the code of the system', async (t) => {
    const { port } = await startLink(t);
    const second = new EmbeddedBroker({ plain: { host: HOST, port }, secure: null }, new RecordingHandler());
    await assert.rejects(second.start(), { code: 'EADDRINUSE' });
    await second.stop();
  });

  test('stop closes every connection, reports no disconnects, and start works again', async (t) => {
    const { broker, handler, port } = await startLink(t);
    const will = { topic: 'granary/v1/silo-1/status', payload: Buffer.from('{"state":"offline"}') };
    const client = await connectDevice(t, port, 'silo-1', { will });
    const silent = await openRaw(t, port);
    const closed = closeOf(client);
    await broker.stop();
    await Promise.all([closed, silent.closed]);
    assert.deepEqual(handler.events, [['connected', 'silo-1']]);
    assert.deepEqual(handler.messages, []);
    assert.equal(broker.connectedCount, 0);
    await assert.rejects(connectDevice(t, port, 'silo-1'));
    assert.equal(broker.sendConfiguration('silo-1', { version: 1 }), 'not_connected');
    await connectDevice(t, (await broker.start()).plain?.port ?? 0, 'silo-1');
    assert.equal(broker.connectedCount, 1);
  });
});
