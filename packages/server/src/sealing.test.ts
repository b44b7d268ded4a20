import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seal, unseal } from './sealing.ts';

test('whoever holds the key reads it again, nobody else does', () => {
  const sealed = seal('hunter2 ✓', 'gk_mine');
  assert.equal(unseal(sealed, 'gk_mine'), 'hunter2 ✓');
  assert.equal(sealed.includes('hunter2'), false);
  assert.throws(() => unseal(sealed, 'gk_other'));
});

test('the same text is never sealed the same way twice, and a changed one does not open', () => {
  const sealed = seal('secret', 'gk_mine');
  assert.notEqual(sealed, seal('secret', 'gk_mine'));
  const bytes = Buffer.from(sealed, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  assert.throws(() => unseal(bytes.toString('base64url'), 'gk_mine'));
});
