import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untouched } from './untouched.ts';

test('operations and error codes that no test got are found', () => {
  const document = {
    paths: { '/a': { get: { operationId: 'readA' }, post: { operationId: 'makeA' } } },
    'x-errors': { forbidden: {}, unauthorized: {} },
  };
  assert.deepEqual(untouched(document, ['readA 200 -', 'readA 403 forbidden', '']), [
    'the operation makeA',
    'the error code unauthorized',
  ]);
  assert.deepEqual(untouched(document, ['readA 200 -', 'makeA 403 forbidden', '- 401 unauthorized']), []);
});
