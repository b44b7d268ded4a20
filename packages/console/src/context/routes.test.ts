import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressOf, parseRoute } from './routes.ts';

test('an address is read as it was written', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ minLength: 1 }), (id, filter) => {
      const { query, ...rest } = parseRoute(addressOf('devices', id, { q: filter, none: undefined }));
      assert.deepEqual(
        { ...rest, query: Object.fromEntries(query) },
        { view: 'devices', id, query: { q: filter } },
      );
    }),
  );
});

test('an unknown or broken address leads to the overview', () => {
  for (const hash of ['', '#', '#/', '#/nothing', '#nothing/%zz?%']) {
    assert.equal(parseRoute(hash).view, 'overview', hash);
  }
  assert.equal(parseRoute('#/devices/%E0%A4%A').id, '%E0%A4%A');
});
