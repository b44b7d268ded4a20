import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { startSilo } from '../../testing/devices/scripted-silo.ts';
import { describeService } from '../../testing/service.ts';
import { FailedLogins } from './failed-logins.ts';
import { callerAddress } from './remote-address.ts';

function loginsAt(start: number) {
  let nowMs = start;
  const lines: string[] = [];
  const logins = new FailedLogins(pino({}, { write: (line) => lines.push(line) }), () => nowMs);
  return { logins, lines, pass: (ms: number) => (nowMs += ms) };
}

test('ten wrong keys cause no delay, each further one doubles the delay up to a minute', () => {
  const { logins, pass } = loginsAt(1_000_000);
  const waits: number[] = [];
  for (let i = 0; i < 20; i++) {
    logins.record('a');
    const waitMs = logins.waitMs('a');
    waits.push(waitMs / 1_000);
    pass(waitMs);
    assert.equal(logins.waitMs('a'), 0);
  }
  assert.deepEqual(waits, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]);
  assert.equal(logins.waitMs('b'), 0, 'another address is not affected');
});

test('the count of an address starts again after a time without failures', () => {
  const { logins, pass } = loginsAt(1_000_000);
  for (let i = 0; i < 12; i++) logins.record('a');
  pass(16 * 60_000);
  logins.record('a');
  assert.equal(logins.waitMs('a'), 0);
});

test('the table and the log are bounded', () => {
  const { logins, lines } = loginsAt(1_000_000);
  for (let i = 0; i < 10; i++) logins.record('first');
  for (let i = 0; i < 10_000; i++) logins.record('second');
  assert.equal(lines.length, 4 + 14, 'one line each time the number has doubled');
  for (let i = 0; i < 10_000; i++) logins.record(`other-${i}`);
  assert.equal(logins.waitMs('first'), 0, 'the address with the oldest failure is removed');
  assert.equal(logins.total, 20_010);
});

test('a caller is an IPv4 address or a network of IPv6 addresses', () => {
  const CASES: readonly (readonly [string | undefined, string])[] = [
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:10.0.0.7', '10.0.0.7'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, 'unknown'],
  ];
  for (const [address, expected] of CASES) assert.equal(callerAddress(address), expected);
});

describeService('failed logins', (api) => {
  test('are limited for unknown keys, but not for valid keys and not for a stop', async () => {
    const silo = await startSilo(api, 'failed-logins');
    const feed = await api.post(`${silo.path}/operations/feed`, { amount: 10 });
    await silo.take('start');
    const unusedKey = (await api.post('/v1/keys', { name: 'unusedKey', scopes: ['operate'] })).body.data.key;
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) {
      statuses.push((await api.as(`guess-${i}-of-some-length-to-be-a-key`).get('/v1/keys')).status);
    }
    assert.deepEqual([...new Set(statuses)], [401, 429]);
    const refused = await api.as('one-more-guess-of-some-length-to-be').get('/v1/keys');
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'too_many_failed_logins']);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);

    assert.equal((await api.get('/v1/keys')).status, 200, 'a key that was used before is still accepted');
    const stop = `${silo.path}/operations/${feed.body.data.operation_id}/stop`;
    assert.equal((await api.as(unusedKey).post(stop)).status, 200, 'a stop with a key never seen before');
    await silo.take('stop');
    await silo.leave();
  });
});
