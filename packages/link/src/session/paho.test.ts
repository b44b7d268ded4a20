import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { HOST, secretOf, startLink } from '@granary/testing/link/fixture';
import { mayTestWith, OutsideClient, pythonWithPaho } from '@granary/testing/link/outside-clients';

const SCRIPT = fileURLToPath(new URL('./paho_device.py', import.meta.url));
const ROUNDS = 100;
const READINGS = 200;

test('paho with a persistent session, disconnected before and after each PUBACK', {
  timeout: 300_000,
}, async (t) => {
  const python = pythonWithPaho();
  if (!mayTestWith(t, 'paho', python !== undefined)) return;
  const { broker, handler, port } = await startLink(t);
  const args = [SCRIPT, HOST, `${port}`, 'silo-1', secretOf('silo-1'), `${READINGS}`];
  const paho = new OutsideClient(t, python ?? '', args);
  const events = () => paho.lines.map((line) => JSON.parse(line));
  const messages = () => events().filter(({ event }) => event === 'message');
  for (let round = 0; round < ROUNDS; round++) {
    const connects = broker.linkStatistics('silo-1').connects;
    await handler.until(() => broker.isReachable('silo-1'));
    assert.equal(broker.sendCommand('silo-1', { round }, { expiresAtMs: null, repeatKey: null }), 'sent');
    await paho.until(() => messages().length > round);
    await handler.until(() => broker.linkStatistics('silo-1').connects > Math.max(1, connects));
  }
  const connects = () => events().filter(({ event }) => event === 'connect');
  await paho.until(() => connects().length > ROUNDS && events().some(({ event }) => event === 'published'));

  assert.deepEqual(
    messages().map(({ payload }) => JSON.parse(payload).round),
    Array.from({ length: ROUNDS }, (_, round) => round),
  );
  assert.ok(messages().every(({ dup }) => dup === 0 || dup === false));
  const [first, ...resumed] = connects();
  assert.deepEqual(first, { event: 'connect', code: 0, session: 0 });
  assert.ok(resumed.every(({ code, session }) => code === 0 && session === 1));
  // Each connection was ended by the device itself; its next one may arrive before that is noticed.
  const ended = handler.events.filter(([what]) => what === 'disconnected').map(([, , ending]) => ending);
  assert.deepEqual(new Set(ended).difference(new Set(['lost', 'replaced'])), new Set());
  assert.deepEqual(
    handler.observations.filter(({ kind }) => kind === 'fault'),
    [],
  );
  // With QoS 2 each reading arrives exactly once, although the connection was closed many times.
  const times = handler.messages.map((message) =>
    message.subject === 'telemetry' && 'ts' in message.telemetry ? message.telemetry.ts : null,
  );
  assert.deepEqual(
    times.toSorted((a, b) => Number(a) - Number(b)),
    Array.from({ length: READINGS }, (_, number) => 1 + number),
  );
});
