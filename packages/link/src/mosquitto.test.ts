import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { topicOf } from '@granary/contract/link';
import { HOST, READING, secretOf, startLink } from './testing/fixture.ts';

const goWithout = (process.env['GRANARY_TEST_WITHOUT'] ?? '').split(',').includes('mosquitto');

/** The exit code of `mosquitto_pub`, or `null` where it is not installed and need not be. */
async function mosquittoPub(t: TestContext, port: number, secret: string): Promise<number | null> {
  const topic = topicOf('silo-1', 'telemetry');
  const login = ['-i', 'silo-1', '-u', 'silo-1', '-P', secret];
  const args = ['-h', HOST, '-p', `${port}`, ...login, '-t', topic, '-q', '1', '-m', JSON.stringify(READING)];
  const child = spawn('mosquitto_pub', args, { stdio: 'ignore' });
  try {
    const [code] = await once(child, 'exit');
    return code;
  } catch (error) {
    if (!goWithout) throw new Error('mosquitto_pub is missing: install mosquitto-clients', { cause: error });
    t.diagnostic('NOT TESTED with mosquitto_pub: it is missing, and GRANARY_TEST_WITHOUT allows that');
    return null;
  }
}

test('mosquitto_pub with a device’s credentials is heard', { timeout: 20_000 }, async (t) => {
  const { handler, port } = await startLink(t);
  const code = await mosquittoPub(t, port, secretOf('silo-1'));
  if (code === null) return;
  assert.equal(code, 0);
  assert.deepEqual(handler.messages, [{ deviceId: 'silo-1', subject: 'telemetry', telemetry: READING }]);
});

test('mosquitto_pub with a wrong secret is refused', { timeout: 20_000 }, async (t) => {
  const { handler, port } = await startLink(t);
  const code = await mosquittoPub(t, port, 'guess');
  if (code === null) return;
  assert.notEqual(code, 0);
  assert.deepEqual(handler.messages, []);
});
