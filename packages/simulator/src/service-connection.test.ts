import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type RecordingBroker, startBroker } from '@granary/testing/simulator/broker';
import { type LinkChange, LinkStoppedError, ServiceConnection } from './service-connection.ts';

const READING = { ts: 1, weight: 2 };

function connectTo(t: TestContext, broker: RecordingBroker, secret = 'right') {
  const changes: LinkChange[] = [];
  const commands: string[] = [];
  const configurations: string[] = [];
  let renewals = 0;
  const link = new ServiceConnection({
    mqttUrl: broker.url,
    credentials: { username: 'silo-01', secret },
    renewCredentials: async () => {
      renewals++;
      return { username: 'silo-01', secret: 'right' };
    },
    onChange: (change) => changes.push(change),
    onCommand: (payload) => commands.push(payload),
    onConfiguration: (payload) => configurations.push(payload),
    random: () => 0,
  });
  link.start();
  t.after(() => link.stop());
  return { link, changes, commands, configurations, renewals: () => renewals };
}

const states = (broker: RecordingBroker) =>
  broker.received.flatMap((message) => (message.subject === 'status' ? [message.state.state] : []));
const telemetry = (broker: RecordingBroker) =>
  broker.received.flatMap((message) => (message.subject === 'telemetry' ? [message.telemetry] : []));

test('reports online, delivers, and disconnects cleanly', async (t) => {
  const broker = await startBroker(t);
  const { link, changes } = connectTo(t, broker);
  await link.deliver('telemetry', READING);
  await link.stop();
  assert.deepEqual(states(broker), ['online', 'offline']);
  assert.deepEqual(telemetry(broker), [READING]);
  assert.deepEqual(changes, [{ state: 'up' }]);
  await assert.rejects(link.deliver('telemetry', READING), LinkStoppedError);
});

test('a cut link leaves its last will, and reconnects when restored', async (t) => {
  const broker = await startBroker(t);
  const { link, changes } = connectTo(t, broker);
  await link.deliver('telemetry', READING);
  link.cut();
  await broker.until(() => states(broker).length === 2);
  const delivered = link.deliver('telemetry', { ...READING, ts: 2 });
  link.restore();
  await delivered;
  assert.deepEqual(states(broker), ['online', 'offline', 'online']);
  assert.deepEqual(changes, [
    { state: 'up' },
    { state: 'down', reason: 'the connection was cut' },
    { state: 'up' },
  ]);
});

test('receives commands as soon as it reports online, also after a lost connection', async (t) => {
  const broker = await startBroker(t);
  const { link, commands } = connectTo(t, broker);
  await broker.until(() => states(broker).length === 1);
  await broker.command('silo-01', { one: 1 });
  await link.deliver('telemetry', READING);
  link.cut();
  await broker.until(() => states(broker).length === 2);
  link.restore();
  await broker.until(() => states(broker).length === 3);
  await broker.command('silo-01', { two: 2 });
  await link.deliver('telemetry', READING);
  assert.deepEqual(commands, ['{"one":1}', '{"two":2}']);
});

test('receives its configuration, also one that was changed while it was disconnected', async (t) => {
  const broker = await startBroker(t);
  await broker.configure('silo-01', { one: 1 });
  const { link, commands, configurations } = connectTo(t, broker);
  await link.deliver('telemetry', READING);
  await broker.configure('silo-01', { two: 2 });
  await link.deliver('telemetry', READING);
  assert.deepEqual(configurations, ['{"version":1,"one":1}', '{"version":2,"two":2}']);
  assert.deepEqual(commands, []);
});

test('delivers after the broker was down', async (t) => {
  const broker = await startBroker(t);
  const { link, changes } = connectTo(t, broker);
  await link.deliver('telemetry', READING);
  await broker.stop();
  const delivered = link.deliver('telemetry', { ...READING, ts: 2 });
  await broker.start();
  await delivered;
  assert.deepEqual(telemetry(broker), [READING, { ...READING, ts: 2 }]);
  assert.deepEqual(
    changes.map(({ state }) => state),
    ['up', 'down', 'up'],
  );
});

test('a reading that was never acknowledged is sent again', async (t) => {
  const broker = await startBroker(t);
  const { link } = connectTo(t, broker);
  await broker.until(() => states(broker).length === 1);
  let failures = 1;
  broker.accepts = async () => {
    if (failures-- > 0) throw new Error('the disk is full');
  };
  await link.deliver('telemetry', READING);
  assert.deepEqual(telemetry(broker), [READING]);
});

test('requests a new secret when the broker refuses the old one', async (t) => {
  const broker = await startBroker(t);
  const { link, changes, renewals } = connectTo(t, broker, 'wrong');
  await link.deliver('telemetry', READING);
  assert.equal(renewals(), 1);
  assert.deepEqual(
    changes.map(({ state }) => state),
    ['down', 'up'],
  );
});

test('a stopped link rejects messages that it could not deliver', async (t) => {
  const broker = await startBroker(t);
  broker.accepts = () => new Promise(() => undefined);
  const { link } = connectTo(t, broker);
  const delivered = assert.rejects(link.deliver('telemetry', READING), LinkStoppedError);
  await link.stop();
  await delivered;
  await assert.rejects(link.deliver('telemetry', READING), LinkStoppedError);
});
