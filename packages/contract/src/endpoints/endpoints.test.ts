import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES } from '../errors.ts';
import { fillPath } from './declaration/paths.ts';
import { ALL_ENDPOINTS, endpoints } from './endpoints.ts';

/**
 * The success of these endpoints needs a signature of an authenticator, a thing that was added before, or a map, push
 * service or mail server.
 */
const WITHOUT_SUCCESS = [
  'console.mapTile',
  'me.addPasskey',
  'me.removePasskey',
  'push.unsubscribe',
  'push.test',
  'reports.send',
];

for (const { name, endpoint } of ALL_ENDPOINTS) {
  test(`${name} has examples that its schemas accept`, () => {
    const { query, body, examples, errors, path } = endpoint;
    assert.ok(WITHOUT_SUCCESS.includes(name) || examples.some(({ refusal }) => refusal === undefined));
    for (const example of examples) {
      assert.ok(!fillPath(path, example.parameters).includes('{'));
      if (example.refusal !== 'invalid_input') {
        assert.deepEqual(query?.faults(example.query ?? {}) ?? [], []);
        if (example.body !== undefined) assert.deepEqual(body?.check.faults(example.body), []);
      }
      if (example.refusal !== undefined) assert.ok(errors.includes(example.refusal), example.refusal);
    }
  });
}

/** Fields of bodies that give a name or say who a person is; all other fields only choose among existing names. */
const NAME =
  /^(?:.*\/)?(?:(?:mission_)?name|model|(?:acknowledged|shelved|looked)_by|location\/(?:facility|zone)|grants\/\d+\/facilities\/\d+)$/;
/** These endpoints are of a foreign interface, whose names stay as they are. */
const FOREIGN = ['plants.create', 'plants.update'];

/** The addresses of all texts in a value. */
function textsIn(value: unknown, address = ''): string[] {
  if (typeof value === 'string') return [address];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => textsIn(one, `${address}/${key}`));
}

test('no name in a body has a character that nobody sees', () => {
  const refused = new Set<string>();
  for (const { name, endpoint } of ALL_ENDPOINTS) {
    for (const { body, refusal } of endpoint.examples) {
      if (FOREIGN.includes(name) || refusal === 'invalid_input') continue;
      for (const address of textsIn(body).filter((one) => NAME.test(one))) {
        const path = address.slice(1).split('/');
        const last = path.pop() ?? '';
        const changed = structuredClone(body);
        const holder = path.reduce((one, key) => Object(one)[key], changed);
        Object(holder)[last] += '\u2060';
        const faults = endpoint.body?.check.faults(changed).map((fault) => fault.path);
        assert.deepEqual(faults, [address], `${name} ${address}`);
        refused.add(last);
      }
    }
  }
  const names = ['acknowledged_by', 'facility', 'looked_by', 'mission_name', 'model', 'name', 'shelved_by'];
  assert.deepEqual([...refused].filter((one) => !/^\d+$/.test(one)).toSorted(), [...names, 'zone']);
});

test('every endpoint has an address of its own, and those with a scope need a key', () => {
  const addresses = ALL_ENDPOINTS.map(({ endpoint }) => {
    assert.ok(endpoint.scope === null || endpoint.needsKey);
    return `${endpoint.method} ${endpoint.group} ${endpoint.path}`;
  });
  assert.equal(new Set(addresses).size, addresses.length);
});

test('the codes of an endpoint follow from its path, scope and method', () => {
  const { stop, feed } = endpoints.operations;
  assert.ok(stop.errors.includes('operation_not_found') && stop.errors.includes('forbidden'));
  assert.ok(feed.errors.includes('rate_limited') && feed.errors.includes('idempotency_key_reused'));
  for (const never of ['rate_limited', 'malformed_json', 'idempotency_key_reused'] as const) {
    assert.equal(stop.errors.includes(never), false, never);
  }
  assert.equal(endpoints.health.live.errors.includes('unauthorized'), false);
});

test('every code belongs to an endpoint, or to what is no endpoint', () => {
  const declared = new Set(ALL_ENDPOINTS.flatMap(({ endpoint }) => endpoint.errors));
  const others = ERROR_CODES.filter((code) => !declared.has(code));
  assert.deepEqual(others, ['method_not_allowed']);
});

test('parameters are written into a path so that they stay in their place', () => {
  assert.equal(fillPath('/devices/{device_id}/link', { device_id: 'a/b c' }), '/devices/a%2Fb%20c/link');
  assert.throws(() => fillPath('/devices/{device_id}', {}), /needs device_id/);
});
