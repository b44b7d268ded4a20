import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decryptSecret, encryptSecret } from './secret-encryption.ts';

test('whoever holds the key reads it again, nobody else does', () => {
  const encryptedSecret = encryptSecret('hunter2 ✓', 'gk_mine');
  assert.equal(decryptSecret(encryptedSecret, 'gk_mine'), 'hunter2 ✓');
  assert.equal(encryptedSecret.includes('hunter2'), false);
  assert.throws(() => decryptSecret(encryptedSecret, 'gk_other'));
});

test('the same text is never sealed the same way twice, and a changed one does not open', () => {
  const encryptedSecret = encryptSecret('secret', 'gk_mine');
  assert.notEqual(encryptedSecret, encryptSecret('secret', 'gk_mine'));
  const bytes = Buffer.from(encryptedSecret, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  assert.throws(() => decryptSecret(bytes.toString('base64url'), 'gk_mine'));
});
