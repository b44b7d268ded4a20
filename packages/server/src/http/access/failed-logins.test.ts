import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { type Answer, describeRequests } from '@granary/testing/server/service';
import { pino } from 'pino';
import { FailedLogins } from './failed-logins.ts';

function loginsAt(start: number) {
  let nowMs = start;
  const lines: string[] = [];
  const logins = new FailedLogins(pino({}, { write: (line) => lines.push(line) }), () => nowMs);
  return { logins, lines, pass: (ms: number) => (nowMs += ms) };
}

test('the sender of ten wrong keys is asked to wait, after each further one twice as long, up to a minute', () => {
  const { logins } = loginsAt(1_000_000);
  const waits = Array.from({ length: 20 }, () => logins.record('a') / 1_000);
  assert.deepEqual(waits, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
  assert.equal(logins.record('b'), 0, 'another address is not affected');
});

test('the count of an address starts again after a time without failures', () => {
  const { logins, pass } = loginsAt(1_000_000);
  for (let i = 0; i < 12; i++) logins.record('a');
  pass(16 * 60_000);
  assert.equal(logins.record('a'), 0);
});

test('the table and the log are bounded', () => {
  const { logins, lines } = loginsAt(1_000_000);
  for (let i = 0; i < 10; i++) logins.record('first');
  for (let i = 0; i < 10_000; i++) logins.record('second');
  assert.equal(lines.length, 4 + 14, 'one line each time the number has doubled');
  for (let i = 0; i < 10_000; i++) logins.record(`other-${i}`);
  assert.equal(logins.record('first'), 0, 'the address with the oldest failure is removed');
  assert.equal(logins.total, 20_011);
});

/** Every wrong key of the suite is sent from the address that also sends the valid ones. */
describeRequests('beside wrong keys from the same address', (api) => {
  const guess = async (count: number, path = '/v1/keys', method: 'get' | 'post' = 'get') => {
    const answers: Answer[] = [];
    for (let i = 0; i < count; i++) {
      answers.push(await api.as(`guess-${method}-${i}-of-some-length-to-be-a-key`)[method](path));
    }
    return answers;
  };
  const issue = async (wanted: object) =>
    (await api.post('/v1/keys', { name: 'k', scopes: ['read', 'operate'], ...wanted })).body.data.key;

  test('their sender is refused and asked to wait, with the fault of its key', async () => {
    const answers = await guess(14);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [...Array(10).fill(401), ...Array(4).fill(429)],
    );
    const last = answers.at(-1);
    assert.equal(last?.body.error.code, 'too_many_failed_logins');
    assert.match(last.body.error.message, /^this API key is not valid/);
    assert.equal(last.headers.get('retry-after'), '8');
  });

  test('a key that was never used here is served', async () => {
    const key = await issue({});
    await guess(30);
    assert.equal((await api.as(key).get('/v1/devices')).status, 200);
    const answers = await Promise.all([guess(30), api.as(await issue({})).get('/v1/devices')]);
    assert.equal(answers[1].status, 200);
  });

  test('a sign-in link, the sign-in with a key and a session are served', async () => {
    const key = await issue({});
    const { code } = (await api.post('/v1/session/codes', {})).body.data;
    await guess(30);
    for (let i = 0; i < 15; i++) {
      const wrong = await api.raw('POST', '/v1/session', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code: `gc_${'x'.repeat(31)}${i % 10}` }),
      });
      assert.equal(wrong.status, 429);
      assert.match(wrong.body.error.message, /^this sign-in link was used before or has ended/);
    }
    for (const given of [{ code }, { api_key: key }]) {
      const signedIn = await api.raw('POST', '/v1/session', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(given),
      });
      assert.equal(signedIn.status, 200);
      const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
      assert.equal((await api.raw('GET', '/v1/devices', { headers: { cookie } })).status, 200);
    }
  });

  test('a stop with a key that was never used here is served, and wrong keys at it delay nobody', async () => {
    const silo = await startSilo(api, 'failed-logins');
    const feed = await api.post(`${silo.path}/operations/feed`, { amount: 10 });
    await silo.take('start');
    const stop = `${silo.path}/operations/${feed.body.data.operation_id}/stop`;
    const [key, other] = [await issue({}), await issue({})];
    await guess(30, stop, 'post');
    assert.equal((await api.as(key).post(stop)).status, 200);
    await silo.take('stop');
    assert.equal((await api.as(other).get('/v1/devices')).status, 200);
    await silo.leave();
  });
});
