import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeOnce, servedDocument } from './served-document.ts';

test('a document is made once, and again only after a failure', async () => {
  let attempts = 0;
  const document = madeOnce(async () => {
    attempts++;
    if (attempts === 1) throw new Error('too many open files');
    return await servedDocument('text/plain', `attempt ${attempts}`);
  });
  await assert.rejects(document(), /too many open files/);
  const [one, other] = await Promise.all([document(), document()]);
  assert.equal(one.bytes.toString(), 'attempt 2');
  assert.equal(one, other);
  assert.equal(attempts, 2);
});
