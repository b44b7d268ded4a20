import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRequests } from '@granary/testing/server/service';

const PLANTS = '/sandbox/plants';
const LARGEST = '9223372036854775807';
const SMALLEST = '-9223372036854775808';

describeRequests('plants', (api) => {
  /** Ids beyond 2^53 cannot be written by `JSON.stringify`. */
  const create = (body: string, headers: Record<string, string> = {}) =>
    api.raw('POST', PLANTS, {
      headers: { ...api.authorization, 'content-type': 'application/json', ...headers },
      body,
    });

  test('a plant is answered without its id, and without a tag if it has none', async () => {
    const tagged = await create('{"id":1,"name":"Rose","tag":"flower"}');
    assert.deepEqual([tagged.status, tagged.body], [200, { name: 'Rose', tag: 'flower' }]);
    const plain = await create('{"name":"Fern","id":2}');
    assert.deepEqual([plain.status, plain.body], [200, { name: 'Fern' }]);
    assert.deepEqual((await create('{"id":3,"name":"Moss","tag":""}')).body, { name: 'Moss', tag: '' });
  });

  test('the type may name a character set', async () => {
    const answer = await create('{"id":4,"name":"Efeu"}', {
      'content-type': 'application/json; charset=utf-8',
    });
    assert.equal(answer.status, 200, answer.text);
  });

  test('ids are whole numbers of 64 bits, exactly', async () => {
    for (const id of [LARGEST, '9223372036854775806', SMALLEST, '0', '9007199254740993', '-7']) {
      assert.equal((await create(`{"id":${id},"name":"No ${id}"}`)).status, 200, id);
      const { text } = await api.get(`${PLANTS}/${id}`);
      assert.equal(text, `{"id":${id},"name":"No ${id}"}`);
    }
  });

  const refused: Record<string, string> = {
    'one more than the largest': '{"id":9223372036854775808,"name":"a"}',
    'one less than the smallest': '{"id":-9223372036854775809,"name":"a"}',
    'a fraction': '{"id":1.5,"name":"a"}',
    'a whole number written as a fraction': '{"id":1.0,"name":"a"}',
    'a power of ten': '{"id":1e3,"name":"a"}',
    text: '{"id":"7","name":"a"}',
    nothing: '{"id":null,"name":"a"}',
    'a truth': '{"id":true,"name":"a"}',
    'an infinity': '{"id":1e999,"name":"a"}',
    'no id': '{"name":"a"}',
    'no name': '{"id":70}',
    'an empty name': '{"id":70,"name":""}',
    'a name that is a number': '{"id":70,"name":5}',
    'a name without end': `{"id":70,"name":"${'a'.repeat(201)}"}`,
    'a tag that is a number': '{"id":70,"name":"a","tag":5}',
    'a tag that is null': '{"id":70,"name":"a","tag":null}',
    'an unknown field': '{"id":70,"name":"a","colour":"green"}',
    'a list': '[{"id":70,"name":"a"}]',
    'a bare number': '70',
    null: 'null',
    'half an object': '{"id":70,',
    'an empty body': '',
  };
  for (const [what, body] of Object.entries(refused)) {
    test(`refused: ${what}`, async () => {
      const answer = await create(body);
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(Object.keys(answer.body), ['error', 'message']);
      assert.equal(answer.body.error, 400);
      assert.equal(typeof answer.body.message, 'string');
      assert.equal((await api.get(`${PLANTS}/70`)).status, 400);
    });
  }

  test('the answer names the fault', async () => {
    assert.match(
      (await create('{"id":9223372036854775808,"name":"a"}')).body.message,
      /\/id must be a whole/,
    );
    assert.match((await create('{"id":70,"name":"a","colour":1}')).body.message, /\/colour is not a known/);
  });

  test('an id that exists is refused, and its plant stays unchanged', async () => {
    assert.equal((await create('{"id":500,"name":"first"}')).status, 200);
    const again = await create('{"id":500,"name":"second"}');
    assert.deepEqual([again.status, again.body.error], [400, 409]);
    assert.deepEqual((await api.get(`${PLANTS}/500`)).body, { id: 500, name: 'first' });
    const race = await Promise.all(Array.from({ length: 8 }, (_, i) => create(`{"id":501,"name":"${i}"}`)));
    assert.equal(race.filter(({ status }) => status === 200).length, 1);
    assert.equal(race.filter(({ status }) => status === 400).length, 7);
  });

  test('another content type, no content type, and a body that is too large are refused', async () => {
    const plant = '{"id":600,"name":"a"}';
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
    ]) {
      const answer = await create(plant, { 'content-type': type });
      assert.deepEqual([answer.status, answer.body.error], [400, 415], type);
    }
    const bare = await api.raw('POST', PLANTS, { headers: api.authorization });
    assert.deepEqual([bare.status, bare.body.error], [400, 400]);
    const large = await create(`{"id":600,"name":"${'a'.repeat(1024 * 1024)}"}`);
    assert.deepEqual([large.status, large.body.error], [400, 413]);
    assert.equal((await api.get(`${PLANTS}/600`)).body.error, 404);
  });

  test('without a key, or with a wrong one: 401 with the same form of body', async () => {
    for (const headers of [{}, { authorization: 'Bearer unknown' }]) {
      const answer = await api.raw('POST', PLANTS, { headers, body: '{"id":700,"name":"a"}' });
      assert.equal(answer.status, 401);
      assert.deepEqual(Object.keys(answer.body), ['error', 'message']);
      assert.equal(answer.body.error, 401);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
    assert.equal((await api.raw('GET', PLANTS, {})).status, 401);
  });

  test('any valid key is accepted', async () => {
    const { key } = (await api.post('/v1/keys', { name: 'k', scopes: ['ingest'] })).body.data;
    assert.equal((await api.as(key).post(PLANTS, { id: 701, name: 'a' })).status, 200);
    assert.equal((await api.as(key).get(`${PLANTS}/701`)).status, 200);
  });

  test('unknown paths and methods are refused with the same form of body', async () => {
    for (const [method, path, error] of [
      ['GET', `${PLANTS}/999999`, 404],
      ['GET', '/sandbox/animals', 404],
      ['GET', `${PLANTS}/1/leaves`, 404],
      ['PUT', PLANTS, 405],
      ['DELETE', `${PLANTS}/1`, 405],
      ['GET', `${PLANTS}/rose`, 400],
      ['GET', `${PLANTS}/9223372036854775808`, 400],
      ['GET', `${PLANTS}/%zz`, 400],
      ['GET', `${PLANTS}?limit=0`, 400],
      ['GET', `${PLANTS}?colour=green`, 400],
    ] as const) {
      const answer = await api.raw(method, path, { headers: api.authorization });
      assert.deepEqual([answer.status, answer.body.error], [400, error], `${method} ${path}`);
      assert.deepEqual(Object.keys(answer.body), ['error', 'message']);
    }
    const wrong = await api.raw('PUT', PLANTS, { headers: api.authorization });
    assert.match(wrong.headers.get('allow') ?? '', /GET.*POST|POST.*GET/);
  });

  test('a request that is repeated with its idempotency key creates one plant', async () => {
    const key = { 'idempotency-key': 'plant 800' };
    const body = '{"id":9223372036854775800,"name":"once"}';
    const [first, second] = [await create(body, key), await create(body, key)];
    assert.deepEqual([first.status, second.status, second.body], [200, 200, { name: 'once' }]);
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
    // As JavaScript numbers the two ids would be the same.
    const other = await create('{"id":9223372036854775801,"name":"once"}', key);
    assert.deepEqual([other.status, other.body.error], [400, 422]);
  });

  test('any text can be a name', async () => {
    const name = 'Löwenzahn 🌼 "\\ \u0000 \u2028';
    assert.equal((await create(JSON.stringify({ id: 900, name }))).status, 200);
    assert.equal((await api.get(`${PLANTS}/900`)).body.name, name);
  });

  test('plants are listed in the order of their ids, page by page', async () => {
    const ids: string[] = [];
    let next: string | null = `${PLANTS}?limit=3`;
    while (next !== null) {
      const page = await api.get(next);
      assert.equal(page.status, 200);
      ids.push(...[...page.text.matchAll(/"id":(-?\d+)/g)].map((match) => match[1] ?? ''));
      next = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? null;
    }
    assert.deepEqual([ids[0], ids.at(-1)], [SMALLEST, LARGEST]);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => Number(BigInt(a) > BigInt(b)) - Number(BigInt(a) < BigInt(b))),
    );
    assert.equal(new Set(ids).size, ids.length);
  });
});

describeRequests(
  'plants elsewhere',
  (api) => {
    test('the path is a setting', async () => {
      assert.equal((await api.post('/try/it/plants', { id: 1, name: 'a' })).status, 200);
      assert.equal((await api.post(PLANTS, { id: 2, name: 'a' })).body.error.code, 'route_not_found');
    });
  },
  { GRANARY_SANDBOX_PATH: '/try/it' },
);
