import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { connectDevice, connectRaw, startLink } from '@granary/testing/link/fixture';
import type { MqttClient } from 'mqtt';

const COMMAND = topicOf('silo-1', 'command');
const CONFIG = topicOf('silo-1', 'config');

const ALWAYS = { expiresAtMs: null, repeatKey: null };

const nextMessage = (client: MqttClient) =>
  new Promise((resolve) =>
    client.once('message', (topic, payload, { retain, qos }) =>
      resolve({ topic, value: JSON.parse(payload.toString()), retain, qos }),
    ),
  );

describe('messages to a device', { timeout: 300_000 }, () => {
  test('a command reaches its device with QoS 1', async (t) => {
    const { broker, port } = await startLink(t);
    const client = await connectDevice(t, port, 'silo-1');
    await client.subscribeAsync(COMMAND, { qos: 1 });
    const message = nextMessage(client);
    broker.sendCommand('silo-1', { name: 'feed' }, ALWAYS);
    assert.deepEqual(await message, { topic: COMMAND, value: { name: 'feed' }, retain: false, qos: 1 });
  });

  test('a configuration is requested at the subscription; a command for a disconnected device is not queued', async (t) => {
    const { broker, handler, port } = await startLink(t);
    assert.equal(broker.sendCommand('silo-1', { name: 'feed' }, ALWAYS), 'not_connected');
    assert.equal(broker.sendConfiguration('silo-1', { version: 1 }), 'not_connected');
    const client = await connectDevice(t, port, 'silo-1');
    const received: unknown[] = [];
    client.on('message', (topic, payload) => received.push([topic, JSON.parse(payload.toString())]));
    const message = nextMessage(client);
    assert.equal(broker.sendCommand('silo-1', { name: 'feed' }, ALWAYS), 'not_subscribed');
    await client.subscribeAsync([COMMAND, CONFIG], { qos: 1 });
    await handler.until(
      () => handler.configurationRequests.length === 1 && handler.reachableDevices.length === 1,
    );
    assert.equal(broker.sendConfiguration('silo-1', { version: 2 }), 'sent');
    assert.deepEqual(await message, { topic: CONFIG, value: { version: 2 }, retain: true, qos: 1 });
    await client.publishAsync(topicOf('silo-1', 'status'), '{"state":"online"}', { qos: 1 });
    assert.deepEqual(received, [[CONFIG, { version: 2 }]]);
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
});
