import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { it, type TestContext } from 'node:test';
import type { TelemetryBatch } from '@granary/app/telemetry/telemetry';
import { topicOf } from '@granary/contract/link/messages';
import { LINK_LIMITS } from '@granary/link/limits';
import type { BrokerAddresses } from '@granary/link/port';
import type { UseCaseCall } from '@granary/store/engine';
import { connectDevice, connectRaw, HOST, READING, RecordingHandler } from '@granary/testing/link/fixture';
import { newSharedClock } from '../../process/nodes/service-clock.ts';
import { createThreadLink } from './thread-link.ts';

const ANY_PORT: BrokerAddresses = { plain: { host: HOST, port: 0 }, secure: null };
const ALWAYS = { expiresAtMs: null, repeatKey: null };
const FAILING = new URL(import.meta.resolve('@granary/testing/server/failing-link-thread'));

async function createLink(t: TestContext, threadUrl?: URL) {
  const handler = new RecordingHandler();
  const written: UseCaseCall[] = [];
  const failed = Promise.withResolvers<Error>();
  const link = createThreadLink(
    handler,
    {
      logIn: (deviceId, secret) => handler.authenticate(deviceId, secret),
      app: { write: async (call) => written.push(call), openThreadWrites: null },
      failed: failed.resolve,
      log: () => undefined,
      sensorsOf: () => new Map(),
    },
    {
      limits: LINK_LIMITS,
      sharesPorts: false,
      rawRetentionDays: 30,
      clock: newSharedClock(),
      heldReadingsMax: 1_000,
      certificate: null,
      ...(threadUrl === undefined ? {} : { threadUrl }),
    },
  );
  t.after(() => link.stop());
  return { link, handler, written, failed: failed.promise };
}

it('a device logs in, reports, is sent commands and is released, all in another thread', async (t) => {
  const { link, handler, written } = await createLink(t);
  const port = (await link.start(ANY_PORT)).plain?.port ?? 0;
  assert.equal(link.isListening, true);
  const device = await connectRaw(t, port, 'silo-1');
  device.send({
    cmd: 'subscribe',
    messageId: 3,
    subscriptions: [{ topic: topicOf('silo-1', 'command'), qos: 1 }],
  });
  await device.packetCount(2);
  assert.equal(link.isReachable('silo-1'), true);
  assert.equal(link.isReachable('silo-2'), false);
  assert.equal(await link.sendCommand('silo-1', { command: 'report' }, ALWAYS), 'sent');
  assert.equal(await link.sendCommand('silo-2', { command: 'report' }, ALWAYS), 'not_connected');
  await device.packetCount(3);
  const payload = JSON.stringify({ ...READING, ts: Date.now() });
  device.send({
    cmd: 'publish',
    topic: topicOf('silo-1', 'telemetry'),
    payload,
    qos: 1,
    messageId: 7,
    dup: false,
    retain: false,
  });
  await device.packetCount(4);
  assert.deepEqual(
    written.map(({ slice, name, args: [batch] }) => {
      const { readings } = batch as TelemetryBatch;
      return [slice, name, readings instanceof Float64Array && readings.length > 0];
    }),
    [['telemetry', 'append', true]],
  );
  const { totals, ingest } = await link.figures();
  assert.deepEqual([totals.messagesIn, ingest?.counts.storedMessages, link.connectedCount], [1, 1, 1]);
  assert.equal(await link.release('silo-1', '10.0.0.9'), true);
  assert.deepEqual(handler.events.at(-1), ['disconnected', 'silo-1', 'replaced']);
  assert.equal(link.isConnected('silo-1'), false);
});

it('a session that just begins is ended, too, when the secret of its device has changed', async (t) => {
  const { link, handler } = await createLink(t);
  const authenticate = handler.authenticate.bind(handler);
  handler.authenticate = async (deviceId, secret) => {
    const device = await authenticate(deviceId, secret);
    // The link is told to disconnect the device after the answer to the login.
    process.nextTick(() => setImmediate(() => link.disconnect(deviceId)));
    return device;
  };
  const port = (await link.start(ANY_PORT)).plain?.port ?? 0;
  const client = await connectDevice(t, port, 'silo-1').catch(() => null);
  await handler.until(() => handler.events.length === 2);
  assert.deepEqual(handler.events.at(-1), ['disconnected', 'silo-1', 'closed']);
  client?.end(true);
});

it('a port that is in use is refused with the error of the operating system', async (t) => {
  const { link } = await createLink(t);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, HOST, resolve));
  t.after(() => other.close());
  const address = other.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const started = link.start({ plain: { host: HOST, port }, secure: null });
  await assert.rejects(started, { code: 'EADDRINUSE', port });
  assert.equal(link.isListening, false);
});

it('a thread that fails is reported, and the link does not claim to listen', async (t) => {
  const { link, failed } = await createLink(t, FAILING);
  await link.start(ANY_PORT);
  link.forgetSensors('silo-1');
  const sending = link.sendCommand('silo-1', { command: 'start' }, ALWAYS);
  assert.match((await failed).message, /a fault of the thread/);
  assert.equal(link.isListening, false);
  await assert.rejects(link.figures());
  // It is not known whether this one was written, so nobody may conclude that it was not.
  assert.equal(await sending, 'sent');
  assert.equal(await link.sendCommand('silo-1', { command: 'start' }, ALWAYS), 'not_connected');
});

it('the process ends with a failure', () => {
  const module = new URL('./device-link.ts', import.meta.url).href;
  const text = `const { endProcess } = await import('${module}');
    endProcess({ fatal: (_fields, text) => console.log(text) })(new Error('a fault'));
    setInterval(() => undefined, 1_000);`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', text]);
  assert.equal(status, 1);
  assert.match(stdout.toString(), /has ended/);
});
