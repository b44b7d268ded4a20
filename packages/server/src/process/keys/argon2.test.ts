import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Argon2 } from './argon2.ts';

const JOB = { message: 'm', nonce: Buffer.alloc(16), tagLength: 32, memory: 64, passes: 1, parallelism: 1 };

test('after a thread that has failed the next one computes, also at once', async () => {
  const argon2 = new Argon2();
  const failed = argon2.derive({ ...JOB, parallelism: 0 });
  const next = failed.catch(() => argon2.derive(JOB));
  await assert.rejects(failed);
  assert.equal((await next).length, 32);
});
