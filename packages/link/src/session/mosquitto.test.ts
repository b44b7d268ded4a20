import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { HOST, READING, secretOf, startLink } from '@granary/testing/link/fixture';
import { hasMosquitto, mayTestWith, OutsideClient } from '@granary/testing/link/outside-clients';

const RETURNS = 20;
const ALWAYS = { expiresAtMs: null, repeatKey: null };

const login = (port: number, secret: string): string[] => [
  '-h',
  HOST,
  '-p',
  `${port}`,
  '-i',
  'silo-1',
  '-u',
  'silo-1',
  '-P',
  secret,
  '-q',
  '1',
];

function publish(t: TestContext, port: number, secret: string): Promise<number | null> {
  const args = [...login(port, secret), '-t', topicOf('silo-1', 'telemetry'), '-m', JSON.stringify(READING)];
  return new OutsideClient(t, 'mosquitto_pub', args).exit();
}

test('mosquitto_pub with a device’s credentials is received', { timeout: 300_000 }, async (t) => {
  if (!mayTestWith(t, 'mosquitto', hasMosquitto())) return;
  const { handler, port } = await startLink(t);
  assert.equal(await publish(t, port, secretOf('silo-1')), 0);
  assert.deepEqual(handler.messages, [{ deviceId: 'silo-1', subject: 'telemetry', telemetry: READING }]);
});

test('mosquitto_pub with a wrong secret is refused', { timeout: 300_000 }, async (t) => {
  if (!mayTestWith(t, 'mosquitto', hasMosquitto())) return;
  const { handler, port } = await startLink(t);
  assert.notEqual(await publish(t, port, 'guess'), 0);
  assert.deepEqual(handler.messages, []);
});

test('mosquitto_sub -c gets nothing that was sent while it was disconnected, and nothing twice', {
  timeout: 300_000,
}, async (t) => {
  if (!mayTestWith(t, 'mosquitto', hasMosquitto())) return;
  const { broker, handler, port } = await startLink(t);
  const received: string[] = [];
  for (let round = 0; round < RETURNS; round++) {
    const topics = ['-t', topicOf('silo-1', 'command')];
    const client = new OutsideClient(t, 'mosquitto_sub', [
      '-c',
      ...login(port, secretOf('silo-1')),
      ...topics,
    ]);
    await handler.until(() => broker.isReachable('silo-1'));
    assert.equal(broker.sendCommand('silo-1', { round }, ALWAYS), 'sent');
    await client.until((lines) => lines.length > 0);
    await client.kill();
    received.push(...client.lines);
    await handler.until(() => handler.events.length === 2 * (round + 1));
    assert.equal(broker.sendCommand('silo-1', { missed: round }, ALWAYS), 'not_connected');
  }
  assert.deepEqual(
    received,
    Array.from({ length: RETURNS }, (_, round) => JSON.stringify({ round })),
  );
  assert.equal(broker.linkStatistics('silo-1').droppedNotConnected, RETURNS);
});
