import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeRequests, fieldDeviceNamed, siloNamed } from '@granary/testing/server/service';

describeRequests('every request', (api) => {
  const silos = '/v1/siloscale/devices';

  before(async () => {
    await api.post(silos, siloNamed('silo-1'));
  });

  for (const [name, authorization] of Object.entries({
    none: '',
    'another scheme': 'Basic abc',
    'an empty one': 'Bearer ',
    unknown: `Bearer ${'x'.repeat(40)}`,
    'a typo': `Bearer gk_${'0'.repeat(46)}`,
  })) {
    test(`without a valid key (${name}) is refused`, async () => {
      const refused = await api.raw('GET', silos, { headers: authorization === '' ? {} : { authorization } });
      assert.equal(refused.status, 401);
      assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
      assert.equal(refused.body.error.code, 'unauthorized');
    });
  }

  test('has a request id: that of the caller if it is valid, otherwise a new one', async () => {
    const fromCaller = await api.get(silos, { 'x-request-id': 'abc-123' });
    assert.equal(fromCaller.headers.get('x-request-id'), 'abc-123');
    const generated = await api.get('/v1/nothing', { 'x-request-id': 'not a valid id' });
    assert.match(generated.headers.get('x-request-id') ?? '', /^req_\w+$/);
    assert.equal(generated.body.error.request_id, generated.headers.get('x-request-id'));
  });

  test('to an unknown path is 404', async () => {
    for (const path of ['/v1/siloscale/nothing', '/v2', '/nothing', `${silos}/silo-1/sensors/`]) {
      const refused = await api.get(path);
      assert.equal(refused.status, 404, path);
      assert.equal(refused.body.error.code, 'route_not_found');
    }
  });

  test('to a path that cannot be decoded is 400', async () => {
    const refused = await api.get(`${silos}/%zz`);
    assert.equal(refused.status, 400);
    assert.equal(refused.body.success, false);
  });

  test('with a wrong method is 405 with the allowed methods', async () => {
    const refused = await api.delete(silos);
    assert.equal(refused.status, 405);
    assert.equal(refused.headers.get('allow'), 'GET, HEAD, POST');
    assert.equal(refused.body.error.code, 'method_not_allowed');
    assert.equal((await api.post(`${silos}/silo-1/config`, {})).status, 405);
  });

  const post = (body: string, type = 'application/json') =>
    api.raw('POST', silos, { headers: { ...api.authorization, 'content-type': type }, body });

  test('with a body that is not JSON is 400, not of the right type 415, too large 413', async () => {
    assert.equal((await post('{')).body.error.code, 'malformed_json');
    assert.equal((await post('')).status, 400);
    assert.equal((await post('{"__proto__": {"a": 1}}')).status, 400);
    assert.equal((await post('a=b', 'application/x-www-form-urlencoded')).status, 415);
    assert.equal((await post('<a/>', 'text/xml')).body.error.code, 'unsupported_media_type');
    const large = await post(JSON.stringify({ name: 'x'.repeat(1024 * 1024) }));
    assert.equal(large.status, 413);
    assert.equal(large.body.error.code, 'body_too_large');
  });

  test('about an unknown device is 404 device_not_found', async () => {
    for (const path of ['', '/sensors', '/sensors/history', '/config']) {
      const refused = await api.get(`${silos}/unknown${path}`);
      assert.equal(refused.status, 404);
      assert.equal(refused.body.error.code, 'device_not_found');
    }
  });

  test('about health needs no key', async () => {
    assert.deepEqual((await api.raw('GET', '/livez', {})).body, { status: 'ok' });
    const ready = await api.raw('GET', '/readyz', {});
    assert.equal(ready.status, 200);
    assert.partialDeepStrictEqual(ready.body, {
      status: 'ok',
      set_aside: 0,
      ingest: { rejected_messages: 0, storage_faults: 0 },
      checks: { storage: 'ok', device_link: 'ok', ingest: 'ok' },
    });
  });
});

describeRequests(
  'request limits',
  (api) => {
    test('a stop of an agent is not limited, although its other messages are', async () => {
      await api.post('/v1/fielddevice/devices', fieldDeviceNamed('rover-1'));
      const agent = (await api.post('/v1/keys', { name: 'agent', scopes: ['stop'] })).body.data.key;
      const send = async (method: string, params: object) =>
        await api.as(agent).post('/mcp', { jsonrpc: '2.0', id: 1, method, params });
      const lists = await Promise.all(Array.from({ length: 30 }, () => send('tools/list', {})));
      assert.ok(lists.some(({ status }) => status === 429));
      const stop = { name: 'commands_emergency_stop', arguments: { device_id: 'rover-1' } };
      const stops = await Promise.all(Array.from({ length: 30 }, () => send('tools/call', stop)));
      assert.ok(stops.every(({ status, body }) => status === 200 && body.result.isError === false));
    });

    test('a key with too many requests is refused with the time to wait, and other keys are not affected', async () => {
      const other = (await api.post('/v1/keys', { name: 'other', scopes: ['read'] })).body.data.key;
      const answers = await Promise.all(Array.from({ length: 30 }, () => api.get('/v1/siloscale/devices')));
      const refused = answers.find((answer) => answer.status === 429);
      assert.ok(refused);
      assert.equal(refused.body.error.code, 'rate_limited');
      assert.ok(Number(refused.headers.get('retry-after')) >= 1);
      assert.equal(refused.headers.get('ratelimit-policy'), '"key";q=10;w=2');
      assert.match(refused.headers.get('ratelimit') ?? '', /^"key";r=0;t=\d+$/);
      assert.equal((await api.as(other).get('/v1/siloscale/devices')).status, 200);
    });
  },
  { GRANARY_RATE_LIMIT: '5' },
);
