import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { topicOf } from '@granary/contract/link';
import type { MqttClient } from 'mqtt';
import { connectDevice, connectRaw, startLink } from './fixture.ts';

const COMMAND = topicOf('silo-1', 'command');
const CONFIG = topicOf('silo-1', 'config');

const nextMessage = (client: MqttClient) =>
  new Promise((resolve) =>
    client.once('message', (topic, payload, { retain, qos }) =>
      resolve({ topic, value: JSON.parse(payload.toString()), retain, qos }),
    ),
  );

describe('sending down', { timeout: 20_000 }, () => {
  test('a command reaches its device with QoS 1', async (t) => {
    const { broker, port } = await startLink(t);
    const client = await connectDevice(t, port, 'silo-1');
    await client.subscribeAsync(COMMAND, { qos: 1 });
    const message = nextMessage(client);
    await broker.publish('silo-1', 'command', { name: 'feed' });
    assert.deepEqual(await message, { topic: COMMAND, value: { name: 'feed' }, retain: false, qos: 1 });
  });

  test('the latest configuration awaits the subscription, a command does not', async (t) => {
    const { broker, port } = await startLink(t);
    await broker.publish('silo-1', 'command', { name: 'feed' });
    await broker.publish('silo-1', 'config', { version: 1 });
    await broker.publish('silo-1', 'config', { version: 2 });
    await broker.publish('silo-2', 'config', { version: 3 });
    const client = await connectDevice(t, port, 'silo-1');
    const heard: unknown[] = [];
    client.on('message', (topic, payload) => heard.push([topic, JSON.parse(payload.toString())]));
    const message = nextMessage(client);
    await client.subscribeAsync([COMMAND, CONFIG], { qos: 1 });
    assert.deepEqual(await message, { topic: CONFIG, value: { version: 2 }, retain: true, qos: 1 });
    await client.publishAsync(topicOf('silo-1', 'status'), '{"state":"online"}', { qos: 1 });
    assert.deepEqual(heard, [[CONFIG, { version: 2 }]]);
  });

  test('only exactly its own command and config may be subscribed', async (t) => {
    const { port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1');
    const refused = [
      '#',
      '+/+/+/+',
      '$SYS/#',
      '$SYS/+/new/clients',
      'granary/v1/#',
      'granary/v1/+/command',
      'granary/v1/silo-1/+',
      'granary/v1/silo-1/#',
      topicOf('silo-2', 'command'),
      topicOf('silo-1', 'telemetry'),
      topicOf('silo-1', 'status'),
      '$share/group/granary/v1/silo-1/command',
    ];
    const subscriptions = [COMMAND, ...refused, CONFIG].map((topic) => ({ topic, qos: 1 as const }));
    device.send({ cmd: 'subscribe', messageId: 3, subscriptions });
    await device.packetCount(2);
    const suback = device.packets[1];
    assert.ok(suback?.cmd === 'suback');
    assert.deepEqual(suback.granted, [1, ...refused.map(() => 128), 1]);
  });

  test('a session that outlives its connection collects its own commands and no others', async (t) => {
    const { broker, handler, port } = await startLink(t);
    const device = await connectRaw(t, port, 'silo-1', { clean: false });
    const subscriptions = [COMMAND, topicOf('silo-2', 'command'), '#'].map((topic) => ({
      topic,
      qos: 1 as const,
    }));
    device.send({ cmd: 'subscribe', messageId: 3, subscriptions });
    await device.packetCount(2);
    device.vanish();
    await handler.until(() => handler.events.length === 2);
    await broker.publish('silo-2', 'command', { name: 'not yours' });
    await broker.publish('silo-1', 'command', { name: 'yours' });
    const again = await connectRaw(t, port, 'silo-1', { clean: false });
    again.send({ cmd: 'pingreq' });
    await again.packetCount(3);
    assert.deepEqual(
      again.packets
        .map((packet) => (packet.cmd === 'publish' ? packet.payload.toString() : packet.cmd))
        .sort(),
      ['connack', 'pingresp', '{"name":"yours"}'].sort(),
    );
  });
});
