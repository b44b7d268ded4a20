import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decryptSecret, encryptSecret } from './secrets.ts';

test('a secret is decrypted with the same key, and with no other', () => {
  const encryptedSecret = encryptSecret('hunter2 ✓', 'gk_same');
  assert.equal(decryptSecret(encryptedSecret, 'gk_same'), 'hunter2 ✓');
  assert.equal(encryptedSecret.includes('hunter2'), false);
  assert.equal(decryptSecret(encryptedSecret, 'gk_other'), null);
});

test('the same text is encrypted differently each time, and a changed one cannot be decrypted', () => {
  const encryptedSecret = encryptSecret('secret', 'gk_same');
  assert.notEqual(encryptedSecret, encryptSecret('secret', 'gk_same'));
  const bytes = Buffer.from(encryptedSecret, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  assert.equal(decryptSecret(bytes.toString('base64url'), 'gk_same'), null);
});
