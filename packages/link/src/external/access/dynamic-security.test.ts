import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { eventually, QUICK, startNode } from '@granary/testing/link/external-fixture';
import { closeOf, connectDevice, HOST, secretOf } from '@granary/testing/link/fixture';
import { type MosquittoBroker, startDynamicSecurityBroker } from '@granary/testing/link/mosquitto-broker';
import { hasProgram, mayTestWith } from '@granary/testing/link/outside-clients';
import type { MqttClient } from 'mqtt';
import { DynamicSecurity } from './dynamic-security.ts';

const options = { timeout: 120_000 };
const hashOf = (deviceId: string): string => `hash of ${deviceId}`;
const credentialsOf = (deviceId: string) => ({
  deviceId,
  secret: secretOf(deviceId),
  secretHash: hashOf(deviceId),
});

interface Rig {
  readonly broker: MosquittoBroker;
  readonly security: DynamicSecurity;
  readonly changes: (string | null)[];
  device(deviceId: string, more?: Parameters<typeof connectDevice>[3]): Promise<MqttClient>;
}

/** Starts a broker; returns `null` if Mosquitto is missing and may be missing. */
async function rigFor(t: TestContext): Promise<Rig | null> {
  if (!mayTestWith(t, 'mosquitto', hasProgram('mosquitto') && hasProgram('mosquitto_ctrl'))) return null;
  const broker = await startDynamicSecurityBroker();
  t.after(() => broker.remove());
  const changes: (string | null)[] = [];
  const security = securityOf(t, broker, 'node-1', changes);
  await security.start();
  const device: Rig['device'] = (deviceId, more = {}) =>
    connectDevice(t, broker.access.port, deviceId, { protocolVersion: 5, ...more });
  return { broker, security, changes, device };
}

function securityOf(
  t: TestContext,
  { access: broker }: MosquittoBroker,
  nodeName: string,
  changes: (string | null)[] = [],
): DynamicSecurity {
  const changed = (error: Error | null): void => void changes.push(error?.message ?? null);
  const security = new DynamicSecurity({ broker, nodeName, limits: QUICK, changed });
  t.after(() => security.stop());
  return security;
}

/** Runs a command that a person would run at the broker. */
function control({ access }: MosquittoBroker, ...args: readonly string[]): string {
  const { port, username, password } = access;
  const login = ['-h', HOST, '-p', String(port), '-u', username ?? '', '-P', password ?? ''];
  return execFileSync('mosquitto_ctrl', [...login, 'dynsec', ...args], { encoding: 'utf8', stdio: 'pipe' });
}

test('a device may use its own topics with its own client id, and nothing else', options, async (t) => {
  const rig = await rigFor(t);
  if (rig === null) return;
  const { broker, security, device } = rig;
  const { link, handler } = await startNode(t, broker, 'node-1');
  await security.give(credentialsOf('silo-1'));
  await security.give(credentialsOf('silo-2'));
  const silo = await device('silo-1');
  const received: string[] = [];
  silo.on('message', (topic) => received.push(topic));
  await silo.subscribeAsync([topicOf('silo-1', 'command'), topicOf('silo-1', 'config')], { qos: 1 });
  await silo.publishAsync(topicOf('silo-1', 'status'), '{"state":"online"}', { qos: 1, retain: true });
  await eventually(() => link.isReachable('silo-1'));
  await silo.publishAsync(topicOf('silo-1', 'telemetry'), '{"ts":1,"weight":1}', { qos: 1 });
  assert.equal(await link.sendCommand('silo-1', {}, { expiresAtMs: null, repeatKey: 'stop' }), 'sent');
  link.sendConfiguration('silo-1', { version: 1 });
  await eventually(() => handler.weights.length === 1 && received.length === 2);

  const attacker = await device('silo-2');
  attacker.on('message', (topic) => received.push(`stolen ${topic}`));
  const foreign = [
    '#',
    '+/v1/silo-1/command',
    '$SYS/#',
    '$CONTROL/#',
    '$CONTROL/dynamic-security/v1/response',
    'granary/#',
    'granary/nodes/#',
    'granary/v1/+/command',
    topicOf('silo-1', 'command'),
    '$share/granary/granary/v1/+/telemetry',
    `$share/x/${topicOf('silo-1', 'command')}`,
    topicOf('silo-1', 'telemetry'),
    topicOf('silo-2', 'telemetry'),
    'granary/v1/silo-2/#',
  ];
  for (const topic of foreign) await assert.rejects(attacker.subscribeAsync(topic, { qos: 1 }), topic);
  const unpublishable = [
    topicOf('silo-1', 'telemetry'),
    topicOf('silo-1', 'status'),
    topicOf('silo-2', 'command'),
    'granary/nodes/node-1',
    '$CONTROL/dynamic-security/v1',
    'granary/v1/%u/telemetry',
    'x',
  ];
  for (const topic of unpublishable) {
    // Each message has its own connection, because the client does not continue after a refused message.
    const client = await device('silo-2');
    await assert.rejects(client.publishAsync(topic, '{}', { qos: 1 }), /Not authorized/, topic);
  }
  assert.equal(handler.messages.filter(({ deviceId }) => deviceId === 'silo-2').length, 0);
  assert.ok(received.every((topic) => !topic.startsWith('stolen')));
  await assert.rejects(device('silo-2', { clientId: 'silo-1' }), /[Nn]ot authorized/);
  await assert.rejects(device('silo-2', { clientId: 'granary-node' }), /[Nn]ot authorized/);
  for (const password of ['', 'wrong', 'x'.repeat(60_000)])
    await assert.rejects(device('silo-1', { password }), /[Nn]ot authorized|password/);
  for (const username of ['+', '#', '%u', 'silo-', 'granary'])
    await assert.rejects(device('silo-1', { username }), /[Nn]ot authorized/);
  // The broker accepts a last will on any topic, and does not publish it.
  const will = {
    topic: topicOf('silo-1', 'status'),
    payload: Buffer.from('{"state":"offline"}'),
    retain: true,
  };
  const willing = await device('silo-2', { will });
  willing.stream.destroy();
  await (await device('silo-2')).publishAsync(topicOf('silo-2', 'status'), '{"state":"online"}', { qos: 1 });
  await eventually(() => link.isConnected('silo-2'));
  assert.ok(link.isConnected('silo-1'), 'nobody ends the connection of another device by a last will');
  assert.ok(silo.connected, 'nobody has taken the place of the device');
});

test('a replaced secret and a removed device end the connection for good', options, async (t) => {
  const rig = await rigFor(t);
  if (rig === null) return;
  const { security, device } = rig;
  await security.give(credentialsOf('silo-1'));
  const first = await device('silo-1');
  const closed = closeOf(first);
  await security.give({ deviceId: 'silo-1', secret: 'another secret', secretHash: 'another hash' });
  await closed;
  await assert.rejects(device('silo-1'), /[Nn]ot authorized/);
  const second = await device('silo-1', { password: 'another secret' });
  assert.deepEqual(await security.find('silo-1'), { deviceId: 'silo-1', secretHash: 'another hash' });
  const removed = closeOf(second);
  await security.remove('silo-1');
  await removed;
  await assert.rejects(device('silo-1', { password: 'another secret' }), /[Nn]ot authorized/);
  assert.equal(await security.find('silo-1'), null);
  assert.deepEqual([(await security.clients()).size, (await security.roles()).size], [0, 0]);
  await security.remove('silo-1');
});

test('clients of others are left alone', options, async (t) => {
  const rig = await rigFor(t);
  if (rig === null) return;
  const { broker, security } = rig;
  control(broker, 'createClient', 'display', '-p', 'secret');
  assert.equal(await security.find('display'), 'foreign');
  assert.deepEqual([...(await security.clients()).keys()], []);
  await assert.rejects(security.give(credentialsOf('display')), /has not made/);
  await security.remove('display');
  assert.match(control(broker, 'listClients'), /display/);
});

test(
  'more devices than fit on a page are listed; a role that differs is found and corrected',
  options,
  async (t) => {
    const rig = await rigFor(t);
    if (rig === null) return;
    const { broker, security } = rig;
    const deviceIds = Array.from({ length: 210 }, (_, index) => `${'x'.repeat(60)}-${100 + index}`);
    await Promise.all(deviceIds.map((deviceId) => security.give(credentialsOf(deviceId))));
    const [first = ''] = deviceIds;
    assert.deepEqual([...(await security.clients()).keys()].toSorted(), deviceIds);
    control(broker, 'addRoleACL', `granary-device:${first}`, 'subscribePattern', '#', 'allow');
    const wrong = async (): Promise<string[]> =>
      [...(await security.roles())].flatMap(([deviceId, isRight]) => (isRight ? [] : [deviceId]));
    assert.deepEqual(await wrong(), [first]);
    await security.correctRole(first);
    assert.deepEqual(await wrong(), []);
  },
);

test('two nodes start at once, and both can use everything', options, async (t) => {
  if (!mayTestWith(t, 'mosquitto', hasProgram('mosquitto'))) return;
  const broker = await startDynamicSecurityBroker();
  t.after(() => broker.remove());
  const nodes = ['node-1', 'node-2', 'node-3'].map((clientId) => securityOf(t, broker, clientId));
  await Promise.all(nodes.map((node) => node.start()));
  await eventually(() => nodes.every(({ isReady }) => isReady));
  const given = nodes.flatMap((node, index) =>
    [0, 1, 2, 3].map((n) => node.give(credentialsOf(`silo-${index}-${n}`))),
  );
  await Promise.all(given);
  assert.equal((await nodes[0]?.clients())?.size, given.length);
});

test(
  'while the broker is away nothing is taken; it has kept everything when it returns',
  options,
  async (t) => {
    const rig = await rigFor(t);
    if (rig === null) return;
    const { broker, security, changes, device } = rig;
    await security.give(credentialsOf('silo-1'));
    await broker.end();
    await eventually(() => changes.length > 1);
    await assert.rejects(security.give(credentialsOf('silo-2')), /not connected/);
    await broker.restart();
    await eventually(() => security.isReady);
    await device('silo-1');
    assert.equal(changes.at(-1), null);
  },
);

test('a broker that allows everything to everybody is refused at the start', options, async (t) => {
  const rig = await rigFor(t);
  if (rig === null) return;
  const { port, username, password } = rig.broker.access;
  const acls = [{ acltype: 'subscribe', allow: true }];
  const payload = JSON.stringify({ commands: [{ command: 'setDefaultACLAccess', acls }] });
  execFileSync('mosquitto_pub', [
    '-h',
    HOST,
    '-p',
    String(port),
    '-u',
    username ?? '',
    '-P',
    password ?? '',
    '-q',
    '1',
    '-t',
    '$CONTROL/dynamic-security/v1',
    '-m',
    payload,
  ]);
  await assert.rejects(securityOf(t, rig.broker, 'node-2').start(), /defaultACLAccess.*subscribe/);
});

test('a user who may not control the plugin is told so', options, async (t) => {
  const rig = await rigFor(t);
  if (rig === null) return;
  const { broker, security } = rig;
  await security.give(credentialsOf('silo-1'));
  const access = { ...broker.access, username: 'silo-1', password: secretOf('silo-1') };
  const other = securityOf(t, { ...broker, access } as MosquittoBroker, 'silo-1');
  await assert.rejects(other.start(), /[Nn]ot|refuses the subscription/);
});
