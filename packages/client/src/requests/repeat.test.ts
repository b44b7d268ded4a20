import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_ANSWER, ok, refused, startScriptedServer } from '@granary/testing/client/scripted-server';
import { createClient } from '../client.ts';
import { ApiError, UnreachableError } from '../failures.ts';

const PATIENT = { timeLimitMs: 60_000 };
const BUSY = refused(503, 'storage_unavailable');

test('a start is repeated with the same key and body until it is answered', async (t) => {
  const replies = [NO_ANSWER, BUSY, refused(409, 'idempotency_in_progress'), ok({}), ok({})] as const;
  const { client, received } = await startScriptedServer(replies, t, PATIENT);
  await client.operations.feed('s', { amount: 1 });
  await client.operations.feed('s', { amount: 1 });
  const keys = received.map(({ headers }) => headers['idempotency-key']);
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
  assert.deepEqual(keys.slice(0, 4), Array(4).fill(keys[0]), 'one key for all attempts of a call');
  assert.notEqual(keys[4], keys[0], 'another call is another start');
  assert.deepEqual(
    received.map(({ body }) => body),
    Array(5).fill('{"amount":1}'),
  );
});

test('the key of the caller is used', async (t) => {
  const { client, received } = await startScriptedServer([BUSY, ok({})], t, PATIENT);
  await client.commands.give('r', { command: 'hold' }, { idempotencyKey: 'mine' });
  assert.deepEqual(
    received.map(({ headers }) => headers['idempotency-key']),
    ['mine', 'mine'],
  );
});

test('a stop is repeated without a key, even when the service asks to wait', async (t) => {
  const later = refused(503, 'storage_unavailable', { 'retry-after': '50' });
  const { client, received } = await startScriptedServer([later, NO_ANSWER, ok({})], t, PATIENT);
  await client.operations.stop('s', 'op_1');
  assert.equal(received.length, 3);
  assert.ok(received.every(({ headers }) => headers['idempotency-key'] === undefined));
});

test('reads, replacements, changes and removals are repeated', async (t) => {
  const replies = [BUSY, ok({}), NO_ANSWER, ok({}), BUSY, ok({}), NO_ANSWER, ok({})] as const;
  const { client, received } = await startScriptedServer(replies, t, PATIENT);
  await client.devices.silo.get('s');
  await client.configuration.silo.update('s', { thresholds: { low_level: 5 } });
  await client.devices.silo.update('s', { name: 'North' });
  await client.keys.revoke('key_1');
  assert.deepEqual(
    received.map(({ method }) => method),
    ['GET', 'GET', 'PUT', 'PUT', 'PATCH', 'PATCH', 'DELETE', 'DELETE'],
  );
});

test('a refusal for good is not repeated', async (t) => {
  const { client, received } = await startScriptedServer([refused(409, 'device_offline')], t, PATIENT);
  await assert.rejects(client.operations.feed('s', { amount: 1 }), {
    code: 'device_offline',
    mayBeDone: false,
  });
  assert.equal(received.length, 1);
});

test('a wait that is longer than the remaining time ends the call', async (t) => {
  const limited = refused(429, 'rate_limited', { 'retry-after': '3600' });
  const { client, received } = await startScriptedServer([limited], t, PATIENT);
  await assert.rejects(client.keys.list(), { code: 'rate_limited', retryAfterMs: 3_600_000 });
  assert.equal(received.length, 1);
});

test('what is refused because too many ask is repeated, also where a repetition would be a second request', async (t) => {
  const limited = refused(429, 'rate_limited', { 'retry-after': '0' });
  const { client, received } = await startScriptedServer([limited, ok({}), BUSY], t, PATIENT);
  const signIn = () => client.session.create({ login: 'ada', password: 'four geese behind the barn' });
  await signIn();
  assert.equal(received.length, 2);
  await assert.rejects(signIn(), { code: 'storage_unavailable' });
  assert.equal(received.length, 3);
});

test('the limit of one call replaces the one of the client', async (t) => {
  const { client, received } = await startScriptedServer([BUSY], t, PATIENT);
  await assert.rejects(client.keys.list({}, { timeLimitMs: 0 }), { code: 'storage_unavailable' });
  assert.equal(received.length, 1);
});

test('a change without an answer may be done, and the error has the key to ask again', async (t) => {
  const { client, received } = await startScriptedServer([NO_ANSWER], t, { timeLimitMs: 0 });
  await assert.rejects(client.operations.feed('s', { amount: 1 }), (failure) => {
    assert.ok(failure instanceof UnreachableError);
    assert.equal(failure.mayBeDone, true);
    assert.equal(failure.idempotencyKey, received[0]?.headers['idempotency-key']);
    return true;
  });
});

test('a stale version after an attempt without an answer may be the own change', async (t) => {
  const stale = refused(412, 'stale_version');
  const { client } = await startScriptedServer([NO_ANSWER, stale, stale], t, PATIENT);
  const update = () => client.configuration.silo.update('s', {}, { ifMatch: '"7"' });
  await assert.rejects(update(), (failure) => {
    assert.ok(failure instanceof ApiError && failure.cause instanceof UnreachableError);
    assert.equal(failure.mayBeDone, true);
    assert.match(failure.message, /earlier attempt got no answer/);
    return true;
  });
  await assert.rejects(update(), { code: 'stale_version', mayBeDone: false });
});

test('a call is cancelled while it waits to be repeated', async (t) => {
  const limited = refused(429, 'rate_limited', { 'retry-after': '50' });
  const { client } = await startScriptedServer([limited], t, PATIENT);
  const cancelled = new AbortController();
  const reason = new Error('not needed any more');
  const listing = client.keys.list({}, { signal: cancelled.signal });
  setTimeout(() => cancelled.abort(reason), 200);
  await assert.rejects(listing, reason);
  await assert.rejects(client.keys.list({}, { signal: cancelled.signal }), reason);
});

test('a redirection is not followed, because a start would arrive as something else', async (t) => {
  const moved = { status: 301, headers: { location: 'https://example.com/v1' }, body: '' };
  const { client, received } = await startScriptedServer([moved], t, PATIENT);
  await assert.rejects(client.operations.feed('s', { amount: 1 }), {
    code: 'unexpected_answer',
    message: /a redirection to https:\/\/example\.com\/v1, which is not followed/,
  });
  assert.equal(received.length, 1);
});

test('an address or a header that cannot be sent fails at once', async (t) => {
  assert.throws(() => createClient({ baseUrl: 'farm', apiKey: 'k' }), /Invalid URL/);
  const { client, received } = await startScriptedServer([], t, { ...PATIENT, apiKey: 'a\nb' });
  await assert.rejects(client.keys.list(), TypeError);
  assert.equal(received.length, 0);
});
