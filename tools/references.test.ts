import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { outdatedReferences, readableJson } from './references.ts';

test('the committed references are those of the contract', async () => {
  assert.deepEqual(await outdatedReferences(), [], 'run `npm run references`');
});

test('readable JSON has the value and short lines', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(readableJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
  const item = { name: 'x'.repeat(50) };
  assert.equal(
    readableJson({ a: [], b: {}, c: [item] }),
    `{ "a": [], "b": {}, "c": [${`{ "name": "${item.name}" }`}] }\n`,
  );
  assert.equal(readableJson([item, item, item]).split('\n').length, 6);
});
