import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Writer } from '@granary/store/sqlite/engine';
import { isRefusal } from '@granary/testing/app/fixtures';
import { USE_CASES } from '../use-cases.ts';

describe('a writer thread that ends', () => {
  it('rejects the waiting writes and all later ones', async () => {
    const writer = new Writer(join(tmpdir(), 'no such folder', 'granary.db'), USE_CASES.threadUrl);
    const waiting = [writer.submit(null), writer.submit(null)];
    for (const { status } of await Promise.allSettled(waiting)) assert.equal(status, 'rejected');
    await assert.rejects(writer.submit(null), isRefusal('storage_unavailable'));
    await writer.close();
  });
});
