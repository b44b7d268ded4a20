import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerCheck, type ReceivedAnswer } from './answer-check.ts';
import { readPublished } from './document.ts';

const check = new AnswerCheck(readPublished());

const answer = (
  request: string,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ReceivedAnswer => {
  const [method = '', path = ''] = request.split(' ');
  const usual = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r' };
  return { method, path, status, headers: new Headers({ ...usual, ...headers }), text: JSON.stringify(body) };
};

const page = { next_cursor: null };
const refusal = (code: string) => ({ success: false, error: { code, message: 'm', request_id: 'r' } });
const KEYS = 'GET /v1/keys?limit=1';
const BEARER = { 'www-authenticate': 'Bearer' };

test('an answer that the published document allows is accepted, with fields of a later version', () => {
  const list = check.check(answer(KEYS, 200, { success: true, data: [], page, more: 1 }));
  assert.deepEqual(list, { operationId: 'keysList', code: null });
  assert.deepEqual(check.check(answer(KEYS, 401, refusal('unauthorized'), BEARER)), {
    operationId: 'keysList',
    code: 'unauthorized',
  });
  assert.deepEqual(check.check(answer('GET /sandbox/plants/1', 400, { error: 404, message: 'm' })), {
    operationId: 'plantsGet',
    code: 'plant_not_found',
  });
  assert.deepEqual(check.check(answer('GET /v1/nothing', 404, refusal('route_not_found'))), {
    operationId: null,
    code: 'route_not_found',
  });
});

const WRONG: Readonly<Record<string, ReceivedAnswer>> = {
  'another status': answer(KEYS, 201, { success: true, data: [], page }),
  'a missing field': answer(KEYS, 200, { success: true, data: [] }),
  'a wrong field below a reference': answer(KEYS, 200, { success: true, data: [{ key_id: 1 }], page }),
  'a code that the endpoint does not have': answer(KEYS, 409, refusal('device_exists')),
  'a code of another status': answer(KEYS, 400, refusal('unauthorized')),
  'a missing header': answer(KEYS, 401, refusal('unauthorized')),
  'a wrong header': answer(KEYS, 200, { success: true, data: [], page }, { ratelimit: '5 left' }),
  'an undeclared header': answer(KEYS, 200, { success: true, data: [], page }, { 'x-node': '7' }),
  'another media type': answer(KEYS, 200, { success: true }, { 'content-type': 'text/html' }),
  'a body that is not declared': answer('GET /openapi.json', 304, {}, { etag: '"1"' }),
  'a wrong row': {
    ...answer('GET /v1/readings', 200, { value: 'x' }, { 'content-type': 'application/x-ndjson' }),
  },
};

for (const [name, wrong] of Object.entries(WRONG)) {
  test(`${name} is found`, () => assert.throws(() => check.check(wrong), assert.AssertionError));
}
