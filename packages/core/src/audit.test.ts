import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditedChange, auditInput, withoutSecrets } from './audit.ts';

const read = (query: object, body: unknown) => JSON.parse(auditInput(query, body) ?? 'null');

test('the input has the query and the body, if there are any', () => {
  assert.equal(auditInput({}, undefined), null);
  assert.equal(auditInput({}, null), null);
  assert.deepEqual(read({ purge: 'true' }, undefined), { query: { purge: 'true' } });
  assert.deepEqual(read({}, { amount: 10 }), { body: { amount: 10 } });
});

test('secrets are left out, by their name and by their form', () => {
  const key = `gk_${'a'.repeat(46)}`;
  const body = { name: `my ${key}`, targets: [{ password: 'x', api_key: 'y', url: 'http://a' }], secret: 1 };
  assert.deepEqual(read({ token: 'z' }, body), {
    query: { token: '(left out)' },
    body: {
      name: 'my (left out)',
      targets: [{ password: '(left out)', api_key: '(left out)', url: 'http://a' }],
      secret: '(left out)',
    },
  });
  assert.equal(withoutSecrets(`/v1/keys/${key}`), '/v1/keys/(left out)');
});

test('a long input is shortened, and one that is nested too deeply is not written', () => {
  const shortened = read({}, { note: 'ü'.repeat(5_000) });
  assert.deepEqual(Object.keys(shortened), ['shortened']);
  assert.equal(shortened.shortened.length, 2_000);
  let nested: unknown = 1;
  for (let depth = 0; depth < 100_000; depth++) nested = [nested];
  assert.deepEqual(read({}, nested), { shortened: '(nested too deeply)' });
});

test('a change has whole differences, as many as fit, and says how many were left out', () => {
  const difference = { path: '/name', before: 'Py silo', after: 'Py silo 2' };
  const change = { action: 'update', name: 'py-silo', differences: [difference] } as const;
  assert.deepEqual(JSON.parse(auditedChange({ ...change, differences: [difference] })), { change });
  const rules = Array.from({ length: 200 }, (_, i) => ({
    path: `/rules/${i}`,
    before: null,
    after: 'x'.repeat(500),
  }));
  const { change: cut } = JSON.parse(auditedChange({ ...change, differences: rules }));
  assert.equal(cut.differences.length + cut.left_out, 200);
  assert.deepEqual(cut.differences[0], rules[0]);
  const long = { path: '/geofence', before: null, after: Array.from({ length: 3_000 }, (_, i) => i) };
  const { change: shortened } = JSON.parse(auditedChange({ ...change, differences: [long] }));
  assert.match(shortened.differences[0].after, /^\[0,1,2,.*… \(shortened, \d+ characters\)$/);
  assert.equal(shortened.left_out, undefined);
});

test('a change has no secrets', () => {
  const key = `gk_${'a'.repeat(46)}`;
  const differences = [{ path: '/headers', before: null, after: { token: 'x', note: `my ${key}` } }];
  const { change } = JSON.parse(auditedChange({ action: 'update', name: 'n', differences }));
  assert.deepEqual(change.differences[0].after, { token: '(left out)', note: 'my (left out)' });
});
