import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditInput, withoutSecrets } from './input.ts';

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
