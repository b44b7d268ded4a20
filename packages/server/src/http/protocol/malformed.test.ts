import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { before, test } from 'node:test';
import { exchange, type RawAnswer, RawConnection } from '@granary/testing/server/raw-http';
import { describeRequests, siloNamed } from '@granary/testing/server/service';

const DEVICES = '/v1/siloscale/devices';

describeRequests('a malformed request', (api) => {
  before(async () => {
    await api.post(DEVICES, siloNamed('target'));
  });

  const send = (bytes: string | Buffer) => exchange(api.started.httpUrl, bytes);
  const request = (method: string, path: string, headers: string[] = [], body: string | Buffer = '') => {
    const key = `Authorization: ${api.authorization['authorization']}`;
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    const head = [`${method} ${path} HTTP/1.1`, 'Host: x', key, length, ...headers].join('\r\n');
    return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(body)]);
  };
  const json = (path: string, body: string | Buffer, ...headers: string[]) =>
    request('POST', path, ['Content-Type: application/json', ...headers], body);

  function assertEnvelope(answer: RawAnswer | null, status: number, code: string): void {
    assert.ok(answer !== null, 'there is no answer');
    assert.equal(answer.status, status, answer.text);
    const { success, error } = JSON.parse(answer.text);
    assert.deepEqual([success, error.code], [false, code]);
    assert.ok(error.message.length > 0 && error.message.length < 500);
    assert.equal(error.request_id, answer.headers.get('x-request-id'));
    assert.match(error.request_id, /^[\w.:-]+$/);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  }

  const feed = `${DEVICES}/target/operations/feed`;
  const long = 'x'.repeat(200);
  const key = (extra: string) => `{"name":"k","scopes":["read"]${extra}}`;

  const SWEEP: Record<string, readonly [() => string | Buffer, number, string]> = {
    'a text that is not HTTP': [() => 'hello\r\n\r\n', 400, 'malformed_request'],
    'an unknown method': [() => 'FLY / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    'another version': [() => 'GET / HTTP/3.7\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    'a space in a header name': [() => 'GET / HTTP/1.1\r\nHo st: x\r\n\r\n', 400, 'malformed_request'],
    'no Host': [() => 'GET /livez HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    'an address of the whole server': [() => 'GET * HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    'an address as for a proxy': [
      () => request('GET', `http://other.example${DEVICES}`),
      400,
      'malformed_request',
    ],
    'two lengths': [() => request('POST', feed, ['Content-Length: 5']), 400, 'malformed_request'],
    'a length and chunks': [
      () => request('POST', feed, ['Transfer-Encoding: chunked']),
      400,
      'malformed_request',
    ],
    'headers too large': [
      () => request('GET', '/livez', [`X: ${'x'.repeat(20_000)}`]),
      431,
      'headers_too_large',
    ],
    'an address too long': [() => request('GET', `/${'x'.repeat(20_000)}`), 431, 'headers_too_large'],
    'an expectation': [() => request('POST', feed, ['Expect: cake']), 417, 'expectation_failed'],
    'a proxy request': [() => 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    'an address that cannot be decoded': [() => request('GET', '/v1/%zz'), 400, 'invalid_input'],
    'a NUL in the address': [() => request('GET', `${DEVICES}/a%00b`), 400, 'invalid_input'],
    'a NUL in a query': [() => request('GET', '/v1/keys?cursor=%00'), 400, 'invalid_input'],
    'a NUL in a cursor': [() => request('GET', `${DEVICES}?cursor=YQBi`), 400, 'invalid_input'],
    'a long part of an address': [() => request('GET', `${DEVICES}/${long}/sensors`), 404, 'route_not_found'],
    'a long part without a key': [
      () => `GET ${DEVICES}/${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
      404,
      'route_not_found',
    ],
    'an unknown address': [() => request('GET', '/v2'), 404, 'route_not_found'],
    'no key': [() => `GET ${DEVICES} HTTP/1.1\r\nHost: x\r\n\r\n`, 401, 'unauthorized'],
    'plain text': [
      () => request('POST', feed, ['Content-Type: text/plain'], '{}'),
      415,
      'unsupported_media_type',
    ],
    'no type': [() => request('POST', feed, [], '{}'), 415, 'unsupported_media_type'],
    'another charset': [
      () => request('POST', feed, ['Content-Type: application/json; charset=utf-16'], '{}'),
      415,
      'unsupported_media_type',
    ],
    'a compressed body': [
      () => json(feed, '{"amount":1}', 'Content-Encoding: gzip'),
      415,
      'unsupported_media_type',
    ],
    'a body that is not UTF-8': [
      () => json('/v1/keys', Buffer.from(key(',"name":"\xe4"'), 'latin1')),
      400,
      'malformed_json',
    ],
    'half a surrogate pair': [
      () => json('/v1/keys', '{"name":"\\ud800","scopes":["read"]}'),
      400,
      'malformed_json',
    ],
    'a key twice': [() => json(feed, '{"amount":1,"unit":"kg","amount":1000}'), 400, 'malformed_json'],
    'broken JSON': [() => json(feed, '{"amount": 1,}'), 400, 'malformed_json'],
    'an empty body': [() => json(feed, ''), 400, 'malformed_json'],
    'deep JSON': [() => json(feed, '['.repeat(500_000)), 400, 'malformed_json'],
    'a body too large': [() => json(feed, 'x'.repeat(1024 * 1024 + 1)), 413, 'body_too_large'],
    'NUL in a name': [() => json('/v1/keys', '{"name":"a\\u0000b","scopes":["read"]}'), 400, 'invalid_input'],
    'a bad chunk': [
      () => `${json(feed, '')}zz\r\n`.replace('Content-Length: 0', 'Transfer-Encoding: chunked'),
      400,
      'malformed_request',
    ],
  };

  for (const [name, [bytes, status, code]] of Object.entries(SWEEP)) {
    test(`with ${name} gets ${status} ${code}, the envelope and a request id`, async () => {
      assertEnvelope(await send(bytes()), status, code);
    });
  }

  test('without Host ends the connection', async () => {
    const connection = await RawConnection.open(api.started.httpUrl);
    connection.send('GET /livez HTTP/1.1\r\n\r\n');
    assert.equal((await connection.answer())?.headers.get('connection'), 'close');
    await connection.closed();
  });

  test('names the place of the fault in the JSON', async () => {
    const broken = await send(json(feed, '{"amount": 1,\n "rate" 2}'));
    assert.match(broken?.text ?? '', /a colon is missing at line 2, column 9/);
    const twice = await send(json(feed, '{"amount":1,"amount":1000}'));
    assert.equal(JSON.parse(twice?.text ?? '').error.details[0].path, '/amount');
  });

  test('starts no operation', async () => {
    assert.deepEqual((await api.get(`${DEVICES}/target/operations`)).body.data, []);
  });

  test('with a method that the path does not have gets 405 and Allow', async () => {
    for (const method of METHODS.filter((one) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(one))) {
      const answer = await send(request(method, DEVICES));
      assert.equal(answer?.status, 405, method);
      assertEnvelope(answer, 405, 'method_not_allowed');
      assert.equal(answer?.headers.get('allow'), 'GET, HEAD, POST', method);
    }
    const one = await send(request('OPTIONS', `${DEVICES}/target/config?x=1`));
    assertEnvelope(one, 405, 'method_not_allowed');
    assert.equal(one?.headers.get('allow'), 'GET, HEAD, PUT');
  });

  test('to the plant store gets the body of the plant store, with a request id', async () => {
    const CASES: readonly (readonly [Buffer, number])[] = [
      [json('/sandbox/plants', '{"id":1,"id":2,"name":"x"}'), 400],
      [json('/sandbox/plants', Buffer.from('{"id":1,"name":"\xe4"}', 'latin1')), 400],
      [request('POST', '/sandbox/plants', ['Content-Type: text/plain'], '{"id":1,"name":"x"}'), 400],
      [json('/sandbox/plants', '{"id":1,"name":"x"}', 'Content-Encoding: gzip'), 400],
      [request('TRACE', '/sandbox/plants'), 400],
      [request('GET', `/sandbox/plants/${long}`), 400],
    ];
    for (const [bytes, status] of CASES) {
      const answer = await send(bytes);
      assert.equal(answer?.status, status);
      const { error, message, ...others } = JSON.parse(answer?.text ?? '');
      assert.deepEqual([Number.isInteger(error), typeof message, others], [true, 'string', {}]);
      assert.ok(answer?.headers.get('x-request-id'));
    }
    const traced = await send(request('TRACE', '/sandbox/plants'));
    assert.equal(traced?.headers.get('allow'), 'POST, GET, HEAD');
  });

  test('every answer has the headers against guessing its type and storing it', async () => {
    for (const path of ['/livez', '/readyz', DEVICES, `${DEVICES}/target/sensors`, '/v1/keys']) {
      const { headers } = await api.get(path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
      assert.equal(headers.get('cache-control'), 'no-store', path);
    }
  });

  test('an empty body that is named JSON is none where none is needed', async () => {
    await api.post(DEVICES, siloNamed('removed'));
    const empty = 'Content-Type: application/json';
    const cancel = '/v1/fielddevice/devices/unknown/missions/unknown/cancel';
    assertEnvelope(await send(json(cancel, '')), 404, 'device_not_found');
    for (const bytes of [
      json(`${DEVICES}/target/credentials`, ''),
      request('DELETE', `${DEVICES}/removed`, [empty]),
    ]) {
      assert.equal((await send(bytes))?.status, 200);
    }
  });
});
