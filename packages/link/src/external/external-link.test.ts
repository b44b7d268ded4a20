import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { topicOf, type UpSubject } from '@granary/contract/link/messages';
import { eventually, GivenTurn, startNode } from '@granary/testing/link/external-fixture';
import { closeOf, connectDevice, HOST, secretOf } from '@granary/testing/link/fixture';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { hasProgram, mayTestWith } from '@granary/testing/link/outside-clients';
import type { MqttClient } from 'mqtt';
import packets, { type IPublishPacket, type Packet } from 'mqtt-packet';

const STOP = { expiresAtMs: null, repeatKey: 'stop op_1' };
const REPORT = { expiresAtMs: null, repeatKey: 'report op_1' };
const RUNNING = new URL('../../../../docs/running.md', import.meta.url);
const options = { timeout: 300_000 };

/** Starts a separate broker for each test, because sessions remain there; returns `null` if Mosquitto is missing and may be missing. */
async function brokerFor(
  t: TestContext,
  ...how: Parameters<typeof MosquittoBroker.start>
): Promise<MosquittoBroker | null> {
  if (!mayTestWith(t, 'mosquitto', hasProgram('mosquitto'))) return null;
  const broker = await MosquittoBroker.start(...how);
  t.after(() => broker.remove());
  return broker;
}

const reading = (weight: number): string => JSON.stringify({ ts: 1_800_000_000_000 + weight, weight });

async function publish(client: MqttClient, subject: UpSubject, payload: string | object): Promise<void> {
  const { clientId = '' } = client.options;
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  await client.publishAsync(topicOf(clientId, subject), text, { qos: 1, retain: subject === 'status' });
}

test(
  'the messages of a device are taken in their order; what cannot be used is rejected and acknowledged',
  options,
  async (t) => {
    const broker = await brokerFor(t);
    if (broker === null) return;
    const { handler } = await startNode(t, broker, 'order');
    const device = await connectDevice(t, broker.access.port, 'silo-order');
    const stranger = await connectDevice(t, broker.access.port, 'unknown-device');
    const count = 3_000;
    const sent = Array.from({ length: count }, (_, weight) => publish(device, 'telemetry', reading(weight)));
    await Promise.all([
      ...sent,
      publish(device, 'telemetry', '{"ts":'),
      publish(stranger, 'telemetry', '{}'),
    ]);
    await publish(device, 'telemetry', reading(count));
    await eventually(() => handler.weights.length > count);
    assert.deepEqual(
      handler.weights,
      Array.from({ length: count + 1 }, (_, weight) => weight),
    );
    assert.equal(handler.rejections.length, 1);
    assert.deepEqual(handler.brokerEvents.at(-1), {
      kind: 'unusable',
      topic: topicOf('unknown-device', 'telemetry'),
      deviceId: 'unknown-device',
      reason: 'no such device',
    });
  },
);

test(
  'what a node has not stored when it leaves is taken by the next one, and what comes meanwhile',
  options,
  async (t) => {
    const broker = await brokerFor(t);
    if (broker === null) return;
    const leaving = await startNode(t, broker, 'leaving');
    const device = await connectDevice(t, broker.access.port, 'silo-left');
    const disk = Promise.withResolvers<void>();
    leaving.handler.disk = disk.promise;
    const weights = Array.from({ length: 50 }, (_, weight) => weight);
    await Promise.all(weights.map((weight) => publish(device, 'telemetry', reading(weight))));
    await eventually(() => leaving.handler.weights.length === weights.length);
    await leaving.link.stop();
    await publish(device, 'telemetry', reading(50));

    const next = await startNode(t, broker, 'next');
    await publish(device, 'telemetry', reading(51));
    await eventually(() => next.handler.weights.length === 52);
    assert.deepEqual(next.handler.weights, [...weights, 50, 51]);
    disk.resolve();
  },
);

test('only the node whose turn it is takes messages, and leaves them when it ends', options, async (t) => {
  const broker = await brokerFor(t);
  if (broker === null) return;
  const turns = [new GivenTurn(true), new GivenTurn(false)] as const;
  const one = await startNode(t, broker, 'one', { turn: turns[0] });
  const two = await startNode(t, broker, 'two', { turn: turns[1] });
  const listening = (): boolean[] => [one.link.isListening, two.link.isListening];
  assert.deepEqual(listening(), [true, false]);
  assert.deepEqual([await one.link.health(), await two.link.health()], ['ok', 'ok']);
  const device = await connectDevice(t, broker.access.port, 'silo-turn');
  await publish(device, 'telemetry', reading(1));
  await eventually(() => one.handler.weights.length === 1);
  turns[0].isOwn = false;
  await eventually(() => !listening().includes(true));
  await publish(device, 'telemetry', reading(2));
  turns[1].isOwn = true;
  await eventually(() => two.handler.weights.includes(2));
  assert.deepEqual([one.handler.weights, two.handler.weights], [[1], [2]]);
  assert.equal(one.handler.brokerEvents.at(-1)?.kind, 'passed_on');
});

test('a node that another one has taken over asks before it takes messages again', options, async (t) => {
  const broker = await brokerFor(t);
  if (broker === null) return;
  const turn = new GivenTurn(true);
  turn.ask = async () => {
    turn.asked.push(true);
    turn.isOwn = turn.asked.length === 1;
  };
  const before = await startNode(t, broker, 'before', { turn });
  const after = await startNode(t, broker, 'after');
  await eventually(() => turn.asked.length === 2);
  const lost = before.handler.brokerEvents.at(-1);
  assert.ok(lost?.kind === 'lost' && lost.connection === 'messages', JSON.stringify(lost));
  const device = await connectDevice(t, broker.access.port, 'silo-taken');
  await publish(device, 'telemetry', reading(1));
  await eventually(() => after.handler.weights.length === 1);
  assert.deepEqual([before.link.isListening, after.link.isListening], [false, true]);
});

test('a node that does not reach the broker any more says so, and when it does again', options, async (t) => {
  const broker = await brokerFor(t);
  if (broker === null) return;
  const turn = new GivenTurn(false);
  const { link } = await startNode(t, broker, 'asking', { turn });
  assert.deepEqual(turn.asked, [true]);
  await broker.end();
  await eventually(() => turn.asked.at(-1) === false);
  await broker.restart();
  await eventually(() => turn.asked.at(-1) === true);
  await link.stop();
  assert.equal(turn.asked.at(-1), false);
});

test(
  'the end of an older session does not hide a newer one, on any node, and is not stored',
  options,
  async (t) => {
    const broker = await brokerFor(t);
    if (broker === null) return;
    const nodes = [
      await startNode(t, broker, 'known-1'),
      await startNode(t, broker, 'known-2', { turn: new GivenTurn(false) }),
    ];
    const device = await connectDevice(t, broker.access.port, 'silo-session');
    const isConnected = (): boolean[] => nodes.map(({ link }) => link.isConnected('silo-session'));
    const states = (): string[] =>
      nodes.flatMap(({ handler }) =>
        handler.messages.flatMap((one) => (one.subject === 'status' ? [one.state.state] : [])),
      );
    await publish(device, 'status', { state: 'online', session: 'one' });
    await eventually(() => isConnected().every(Boolean) && states().length === 1);
    await publish(device, 'status', { state: 'online', session: 'two' });
    await publish(device, 'status', { state: 'offline', session: 'one' });
    await publish(device, 'status', { state: 'maintenance', session: 'two' });
    await eventually(() => states().includes('maintenance'));
    assert.deepEqual(isConnected(), [true, true]);
    assert.ok(!states().includes('offline'), 'the end of the older session is not stored');
    await publish(device, 'status', { state: 'offline', session: 'two' });
    await eventually(() => isConnected().every((is) => !is) && states().includes('offline'));
    assert.equal(states().filter((state) => state === 'offline').length, 1);
  },
);

test(
  'a command is sent to a device that is connected; the broker says when nobody is subscribed',
  options,
  async (t) => {
    const broker = await brokerFor(t);
    if (broker === null) return;
    const { link, handler } = await startNode(t, broker, 'commands');
    const received: string[] = [];
    const device = await connectDevice(t, broker.access.port, 'silo-cmd');
    device.on('message', (_topic, payload) => received.push(payload.toString()));
    const start = { expiresAtMs: Date.now() + 60_000, repeatKey: null };
    assert.equal(await link.sendCommand('silo-cmd', { command: 'start' }, start), 'not_connected');
    assert.equal(await link.sendCommand('silo-cmd', { command: 'stop' }, STOP), 'not_subscribed');

    await device.subscribeAsync(topicOf('silo-cmd', 'command'), { qos: 1 });
    await publish(device, 'status', { state: 'online', session: 'one' });
    await eventually(() => handler.reachableDevices.includes('silo-cmd') && link.isReachable('silo-cmd'));
    assert.equal(await link.sendCommand('silo-cmd', { command: 'start' }, start), 'sent');
    const stops = [STOP, STOP].map((stop) => link.sendCommand('silo-cmd', { command: 'stop' }, stop));
    assert.deepEqual(await Promise.all(stops), ['sent', 'in_flight']);
    const late = { expiresAtMs: Date.now() - 1, repeatKey: null };
    assert.equal(await link.sendCommand('silo-cmd', { command: 'start' }, late), 'expired');
    await eventually(() => received.length === 3);
    // The first stop waited until the device was connected.
    assert.deepEqual(received, ['{"command":"stop"}', '{"command":"start"}', '{"command":"stop"}']);

    await device.unsubscribeAsync(topicOf('silo-cmd', 'command'));
    assert.equal(await link.sendCommand('silo-cmd', { command: 'start' }, start), 'not_subscribed');
    assert.deepEqual([link.isReachable('silo-cmd'), link.isConnected('silo-cmd')], [false, true]);
  },
);

test('a stop that waited for the broker is sent when it is back, and no older one', options, async (t) => {
  const broker = await brokerFor(t);
  if (broker === null) return;
  const node = await startNode(t, broker, 'waiting');
  const forgetful = await startNode(t, broker, 'forgetful', {
    limits: { repeatedExpiryS: 0.001 },
    turn: new GivenTurn(false),
  });
  const nodes = [node, forgetful];
  await broker.end();
  await eventually(() => nodes.every(({ handler }) => handler.brokerEvents.at(-1)?.kind === 'lost'));
  for (const [index, { link }] of nodes.entries()) {
    const sent = link.sendCommand('silo-wait', { command: 'stop', index }, STOP);
    assert.equal(await sent, 'not_connected');
  }
  await broker.restart();
  const device = await connectDevice(t, broker.access.port, 'silo-wait');
  const received: string[] = [];
  device.on('message', (_topic, payload) => received.push(payload.toString()));
  await device.subscribeAsync(topicOf('silo-wait', 'command'), { qos: 1 });
  await publish(device, 'status', { state: 'online', session: 'one' });
  await eventually(() => nodes.every(({ link }) => link.isReachable('silo-wait')) && received.length > 0);
  assert.equal(await forgetful.link.sendCommand('silo-wait', { command: 'report' }, REPORT), 'sent');
  await eventually(() => received.length > 1);
  assert.deepEqual(received, ['{"command":"stop","index":0}', '{"command":"report"}']);
});

test('devices that return after a restart of the broker are no second clients', options, async (t) => {
  const broker = await brokerFor(t);
  if (broker === null) return;
  const { handler } = await startNode(t, broker, 'restarted');
  const topic = topicOf('silo-back', 'status');
  const connectAs = async (session: string): Promise<MqttClient> => {
    const payload = JSON.stringify({ state: 'offline', session });
    const will = { topic, payload: Buffer.from(payload), qos: 1 as const, retain: true };
    const device = await connectDevice(t, broker.access.port, 'silo-back', { will });
    await publish(device, 'status', { state: 'online', session });
    return device;
  };
  const kinds = (): string[] => handler.observations.map(({ kind }) => kind);
  const connects = (): number => kinds().filter((kind) => kind === 'connected').length;
  await connectAs('one');
  await eventually(() => connects() === 1);
  await broker.end();
  await broker.restart();
  await eventually(() => handler.brokerEvents.filter(({ kind }) => kind === 'connected').length === 4);
  await connectAs('two');
  await eventually(() => connects() === 2);
  assert.ok(!kinds().includes('second_client'), kinds().join());
  await connectAs('three');
  await eventually(() => connects() === 3);
  assert.ok(kinds().includes('second_client'), 'a client that replaces a connected one');
});

test(
  'a device that connects while the broker says that nobody is subscribed gets the stop',
  options,
  async (t) => {
    const commands: string[] = [];
    const status = { state: 'online', session: 'one' };
    const port = await answeringBroker(t, (packet) => {
      if (packet.topic !== topicOf('silo-late', 'command')) return { reasonCode: 0 };
      commands.push(packet.payload.toString());
      if (commands.length > 1) return { reasonCode: 0 };
      // Both packets are read at once.
      return {
        reasonCode: 16,
        following: { topic: topicOf('silo-late', 'status'), payload: JSON.stringify(status) },
      };
    });
    const { link } = await startNode(t, { access: accessTo(port) }, 'late');
    assert.equal(await link.sendCommand('silo-late', { command: 'stop' }, STOP), 'sent');
    assert.equal(link.isReachable('silo-late'), true);
    assert.equal(commands.length, 2);
  },
);

test('the configuration is retained, and a newer stored one follows an older one', options, async (t) => {
  const broker = await brokerFor(t);
  if (broker === null) return;
  const { link, handler } = await startNode(t, broker, 'configuration');
  // Another node stores version 2 while this one publishes version 1.
  let reads = 0;
  handler.awaitsConfiguration = ({ deviceId }): void => {
    reads += 1;
    link.sendConfiguration(deviceId, { version: 2 });
  };
  link.sendConfiguration('silo-config', { version: 1 });
  await eventually(() => reads === 2);
  const device = await connectDevice(t, broker.access.port, 'silo-config');
  const message = new Promise<string>((resolve) => {
    device.once('message', (_topic, payload) => resolve(payload.toString()));
  });
  await device.subscribeAsync(topicOf('silo-config', 'config'), { qos: 1 });
  assert.equal(await message, '{"version":2}');
});

test('the connection of a device is ended by its client id', options, async (t) => {
  const broker = await brokerFor(t);
  if (broker === null) return;
  const { link } = await startNode(t, broker, 'ending');
  const device = await connectDevice(t, broker.access.port, 'silo-ended');
  await publish(device, 'status', { state: 'online' });
  await eventually(() => link.isConnected('silo-ended'));
  const closed = closeOf(device);
  link.disconnect('silo-ended');
  await closed;
});

test(
  'the broker ends and returns: the node says so, takes messages again, and loses none',
  options,
  async (t) => {
    const broker = await brokerFor(t);
    if (broker === null) return;
    const turn = new GivenTurn(true);
    const { link, handler } = await startNode(t, broker, 'restarted', { turn });
    await broker.end();
    await eventually(async () => (await link.health()) === 'not connected to the broker');
    // The service is not subscribed again when the device gets its acknowledgement.
    turn.isOwn = false;
    await broker.restart();
    const device = await connectDevice(t, broker.access.port, 'silo-restarted');
    await publish(device, 'telemetry', reading(3));
    await broker.end();
    await broker.restart();
    turn.isOwn = true;
    await eventually(() => handler.weights.includes(3));
    // The other connection of the node, for commands, may be restored later.
    await eventually(async () => (await link.health()) === 'ok');
  },
);

test('a broker that does not keep the session on disk is noticed when it returns', options, async (t) => {
  const broker = await brokerFor(t, () => ['allow_anonymous true', 'persistence false']);
  if (broker === null) return;
  const { handler } = await startNode(t, broker, 'forgotten');
  await broker.end();
  await broker.restart();
  await eventually(() => handler.brokerEvents.some(({ kind }) => kind === 'session_forgotten'));
});

test('a broker that keeps sessions for a limited time is noticed', options, async (t) => {
  const port = await answeringBroker(t, () => ({ reasonCode: 0 }));
  const { handler } = await startNode(t, { access: accessTo(port) }, 'limited');
  assert.deepEqual(handler.brokerEvents[1], { kind: 'session_limited', expiryS: 3_600 });
});

test(
  'a status is taken once, although the broker retains it and sends it again after a reconnect',
  options,
  async (t) => {
    const broker = await brokerFor(t);
    if (broker === null) return;
    const old = { access: { ...broker.access, port: await onlyOldVersion(t, broker.access.port) } };
    for (const place of [broker, old]) {
      const first = await startNode(t, place, 'retained-1');
      const device = await connectDevice(t, broker.access.port, 'silo-retained');
      await publish(device, 'status', { state: 'online' });
      await eventually(() => first.handler.messages.length === 1);
      await first.link.stop();
      const second = await startNode(t, place, 'retained-2');
      await publish(device, 'telemetry', reading(1));
      await eventually(() => second.handler.weights.length === 1);
      assert.deepEqual(
        second.handler.messages.map(({ subject }) => subject),
        ['telemetry'],
      );
      await second.link.stop();
    }
  },
);

test(
  'a broker that refuses MQTT 5 is used with MQTT 3.1.1, also to take what a node left',
  options,
  async (t) => {
    const broker = await brokerFor(t);
    if (broker === null) return;
    const old = { access: { ...broker.access, port: await onlyOldVersion(t, broker.access.port) } };
    const leaving = await startNode(t, old, 'old-1');
    assert.deepEqual(
      leaving.handler.brokerEvents.map((event) => 'version' in event && event.version),
      ['3.1.1', '3.1.1'],
    );
    leaving.handler.disk = new Promise(() => undefined);
    const device = await connectDevice(t, broker.access.port, 'silo-old');
    await publish(device, 'telemetry', reading(9));
    await eventually(() => leaving.handler.weights.includes(9));
    await leaving.link.stop();
    const staying = await startNode(t, old, 'old-2');
    await eventually(() => staying.handler.weights.includes(9));
  },
);

/** The limit is longer than the test may take: the test fails if the refusal does not come at once. */
const PATIENT = { limits: { startMsMax: 3_600_000 } };

test('a node that starts waits for a broker that is not there yet', options, async (t) => {
  const broker = await brokerFor(t);
  if (broker === null) return;
  await broker.end();
  const starting = startNode(t, broker, 'waiting', PATIENT);
  await setTimeout(100);
  await broker.restart();
  const { link, handler } = await starting;
  assert.equal(await link.health(), 'ok');
  const [first] = handler.brokerEvents;
  assert.ok(first?.kind === 'lost' && first.reason.includes('ECONNREFUSED'), JSON.stringify(first));
});

test('a broker that is not there for too long is said at the start', options, async (t) => {
  const broker = await brokerFor(t);
  if (broker === null) return;
  await broker.end();
  await assert.rejects(startNode(t, broker, 'alone', { limits: { startMsMax: 100 } }), /ECONNREFUSED/);
});

test('a wrong password is said at the start', options, async (t) => {
  const broker = await brokerFor(t, () => ['allow_anonymous false']);
  if (broker === null) return;
  const starting = startNode(t, broker, 'refused', PATIENT);
  await assert.rejects(starting, /refuses the user name|does not allow this user/);
});

test('a user that may not publish is told at the start', options, async (t) => {
  const settings = (folder: string) => ['allow_anonymous true', `acl_file ${folder}/rules`];
  const broker = await brokerFor(t, settings, { rules: 'topic read granary/#\n' });
  if (broker === null) return;
  const starting = startNode(t, broker, 'silent', PATIENT);
  await assert.rejects(starting, /does not let this user publish on granary\/v1\/.*\/command/);
});

test(
  'with the rules of docs/running.md a device reaches the service, and nothing of another device',
  options,
  async (t) => {
    const rules =
      /# \/etc\/mosquitto\/granary\.acl\n(.*?)```/s.exec(await readFile(RUNNING, 'utf8'))?.[1] ?? '';
    const settings = (folder: string) => [
      'allow_anonymous false',
      `acl_file ${folder}/rules`,
      `password_file ${folder}/passwords`,
    ];
    const broker = hasProgram('mosquitto')
      ? await brokerFor(t, settings, { rules, passwords: await passwordsOf('granary', 'silo-1', 'silo-2') })
      : await brokerFor(t);
    if (broker === null) return;
    const access = { ...broker.access, username: 'granary', password: secretOf('granary') };
    const { link, handler } = await startNode(t, { access }, 'allowed');
    const received: string[] = [];
    const silo = await connectDevice(t, broker.access.port, 'silo-1', { protocolVersion: 5 });
    silo.on('message', (topic, payload) => received.push(`${topic} ${payload}`));
    const other = await connectDevice(t, broker.access.port, 'silo-2', { protocolVersion: 5 });
    other.on('message', (topic) => received.push(`the other one got ${topic}`));
    await other.subscribeAsync('#', { qos: 1 });
    await silo.subscribeAsync(topicOf('silo-1', 'command'), { qos: 1 });
    await publish(silo, 'status', { state: 'online', session: 'one' });
    await eventually(() => link.isReachable('silo-1'));
    const stolen = other.publishAsync(topicOf('silo-1', 'telemetry'), reading(666), { qos: 1 });
    await assert.rejects(stolen, /Not authorized/);
    await publish(silo, 'telemetry', reading(1));
    assert.equal(await link.sendCommand('silo-1', { command: 'stop' }, STOP), 'sent');
    await eventually(() => handler.weights.length > 0 && received.length > 0);
    assert.deepEqual(handler.weights, [1]);
    assert.deepEqual(received, [`${topicOf('silo-1', 'command')} {"command":"stop"}`]);
  },
);

/** Returns the text of a password file of Mosquitto, made by its own program. */
async function passwordsOf(...users: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-passwords-'));
  const file = join(folder, 'passwords');
  await writeFile(file, '', { mode: 0o600 });
  for (const user of users) execFileSync('mosquitto_passwd', ['-b', file, user, secretOf(user)]);
  const text = await readFile(file, 'utf8');
  await rm(folder, { recursive: true });
  return text;
}

/** A proxy that answers MQTT 5 as a broker of MQTT 3.1.1 does. */
async function onlyOldVersion(t: TestContext, port: number): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (connectPacket: Buffer) => {
      // The level is the byte after the name of the protocol.
      if (connectPacket[connectPacket.indexOf('MQTT') + 4] === 5) {
        socket.end(Buffer.from([0x20, 2, 0, 1]));
        return;
      }
      const upstream = connect(port, HOST);
      upstream.on('error', () => socket.destroy());
      upstream.on('close', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
      upstream.write(connectPacket);
      socket.pipe(upstream);
      upstream.pipe(socket);
    });
  }).listen(0, HOST);
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
}

const accessTo = (port: number) => ({ host: HOST, port, isSecure: false, username: null, password: null });

interface PublishAnswer {
  readonly reasonCode: number;
  /** A message that is sent in the same write. */
  readonly following?: { readonly topic: string; readonly payload: string };
}

/** Starts a broker that keeps a session for an hour at most. */
async function answeringBroker(
  t: TestContext,
  published: (packet: IPublishPacket) => PublishAnswer,
): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    const encoded = (packet: Packet): Buffer => packets.generate(packet, { protocolVersion: 5 });
    const answer = (packet: Packet): unknown => socket.write(encoded(packet));
    const parser = packets.parser({ protocolVersion: 5 });
    parser.on('packet', (packet) => {
      const { cmd, messageId = 0 } = packet;
      const properties = { sessionExpiryInterval: 3_600 };
      if (cmd === 'connect') answer({ cmd: 'connack', reasonCode: 0, sessionPresent: false, properties });
      if (cmd === 'publish') {
        const { reasonCode, following } = published(packet);
        const message = { cmd: 'publish', qos: 0, dup: false, retain: false } as const;
        const next = following === undefined ? [] : [encoded({ ...message, ...following })];
        socket.write(Buffer.concat([encoded({ cmd: 'puback', messageId, reasonCode }), ...next]));
      }
      if (cmd === 'subscribe')
        answer({ cmd: 'suback', messageId, granted: packet.subscriptions.map(() => 1) });
    });
    socket.on('data', (bytes: Buffer) => parser.parse(bytes));
  }).listen(0, HOST);
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
}
