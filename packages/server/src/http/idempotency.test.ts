import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSilo } from '../testing/scripted-silo.ts';
import { describeService, siloNamed } from '../testing/service.ts';

const SILOS = '/v1/siloscale/devices';
const FEED = { amount: 10 };
const named = (key: string) => ({ 'idempotency-key': key });

describeService('Idempotency-Key', (api) => {
  test('a start that is repeated begins once and is answered alike', async () => {
    const silo = await startSilo(api, 'repeated');
    const first = await api.post(`${silo.path}/operations/feed`, FEED, named('start-1'));
    const again = await api.post(`${silo.path}/operations/feed`, FEED, named('start-1'));
    assert.equal(first.headers.get('idempotency-replayed'), null);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual([again.status, again.text], [200, first.text]);
    await silo.take('start');
    const other = await api.post(`${silo.path}/operations/feed`, { amount: 11 }, named('start-1'));
    assert.deepEqual([other.status, other.body.error.code], [422, 'idempotency_key_reused']);
    assert.equal(silo.commands.length, 1);
    await silo.leave();
  });

  test('at once: one begins, the others are told to wait or get its answer', async () => {
    const silo = await startSilo(api, 'parallel');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api.post(`${silo.path}/operations/feed`, FEED, named('start-2'))),
    );
    const ids = new Set<string>();
    for (const { status, body } of answers) {
      if (status === 200) ids.add(body.data.operation_id);
      else assert.deepEqual([status, body.error.code], [409, 'idempotency_in_progress']);
    }
    assert.equal(ids.size, 1);
    await silo.take('start');
    assert.equal(silo.commands.length, 1);
    await silo.leave();
  });

  test('what was refused is not remembered', async () => {
    const silo = await startSilo(api, 'refused');
    const refused = await api.post(`${silo.path}/operations/feed`, { amount: 9_999 }, named('start-3'));
    assert.equal(refused.status, 422);
    assert.equal(
      (await api.post(`${silo.path}/operations/feed`, { amount: -1 }, named('start-3'))).status,
      400,
    );
    assert.equal((await api.post(`${silo.path}/operations/feed`, FEED, named('start-3'))).status, 200);
    await silo.leave();
  });

  test('secrets are repeated to whoever got them first, and differ for others', async () => {
    const registered = await api.post(SILOS, siloNamed('sealed'), named('device'));
    const again = await api.post(SILOS, siloNamed('sealed'), named('device'));
    assert.deepEqual(again.body, registered.body);
    assert.ok(again.body.data.credentials.secret);

    const renewed = await api.post(`${SILOS}/sealed/credentials`, undefined, named('renew'));
    const renewedAgain = await api.post(`${SILOS}/sealed/credentials`, undefined, named('renew'));
    assert.deepEqual(renewedAgain.body, renewed.body);
    assert.notEqual(renewed.body.data.secret, registered.body.data.credentials.secret);

    const wanted = { name: 'k', scopes: ['admin'] };
    const issued = await api.post('/v1/keys', wanted, named('key'));
    assert.deepEqual((await api.post('/v1/keys', wanted, named('key'))).body, issued.body);
    const other = api.as(issued.body.data.key);
    assert.notEqual((await other.post('/v1/keys', wanted, named('key'))).body.data.key, issued.body.data.key);
    const rotate = `/v1/keys/${issued.body.data.key_id}/rotate`;
    const rotated = await api.post(rotate, {}, named('rotate'));
    assert.deepEqual((await api.post(rotate, {}, named('rotate'))).body, rotated.body);
  });

  test('readings are taken once', async () => {
    await api.post(SILOS, siloNamed('told'));
    const reading = { ts: Date.now(), weight: 100 };
    const first = await api.post(`${SILOS}/told/telemetry`, reading, named('reading'));
    const again = await api.post(`${SILOS}/told/telemetry`, reading, named('reading'));
    assert.deepEqual([first.body, again.body], [first.body, first.body]);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal((await api.get(`${SILOS}/told/sensors`)).body.data.level.actual, 100);
  });

  for (const key of ['x'.repeat(256), 'caf\u00e9', 'tab\there']) {
    test(`a key like ${JSON.stringify(key.slice(0, 10))} is refused`, async () => {
      const refused = await api.post('/v1/keys', { name: 'k', scopes: ['read'] }, named(key));
      assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_input']);
    });
  }
});
