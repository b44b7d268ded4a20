import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MemoryFile } from './files.ts';
import { isMemory, type Memory } from './silo/machine.ts';

const memoryOf = (amount_kg: number): Memory => ({
  offsetKg: amount_kg,
  operations: [{ operation_id: 'op_1', type: 'feed', state: 'running', amount_kg, ts: 1 }],
});

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-farm-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test('what is stored is read back, and nothing else', async (t) => {
  const path = join(await temporaryFolder(t), 'memory.json');
  const file = await MemoryFile.open(path);
  await file.keep('silo-01', memoryOf(1));
  assert.deepEqual((await MemoryFile.open(path)).find('silo-01', isMemory), memoryOf(1));
  assert.equal((await MemoryFile.open(path)).find('silo-02', isMemory), undefined);
});

test('after concurrent writes each resolved promise means that the latest contents are in the file', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'memory.json');
  const file = await MemoryFile.open(path);
  const kept = Array.from({ length: 200 }, async (_, i) => {
    await file.keep(`silo-${i % 9}`, memoryOf(i));
    if (i % 50 > 0) return;
    const found = (await MemoryFile.open(path)).find(`silo-${i % 9}`, isMemory);
    assert.ok((found?.offsetKg ?? 0) >= i);
  });
  await Promise.all(kept);
  assert.deepEqual((await MemoryFile.open(path)).find('silo-1', isMemory), memoryOf(199));
  assert.deepEqual(await readdir(folder), ['memory.json']);
});

test('a failed write rejects for its callers, and the next write is tried again', async (t) => {
  const folder = join(await temporaryFolder(t), 'inner');
  const path = join(folder, 'memory.json');
  const file = await MemoryFile.open(path);
  await writeFile(folder, 'a file where a folder should be');
  await assert.rejects(file.keep('silo-01', memoryOf(1)));
  await rm(folder);
  await file.keep('silo-01', memoryOf(2));
  assert.deepEqual((await MemoryFile.open(path)).find('silo-01', isMemory), memoryOf(2));
});

for (const damaged of ['', '[]', '{"silo-01":7}', '{"silo-01":{"offsetKg":"much","operations":[]}}']) {
  test(`a file that holds ${JSON.stringify(damaged)} is read as empty`, async (t) => {
    const path = join(await temporaryFolder(t), 'memory.json');
    await writeFile(path, damaged);
    assert.equal((await MemoryFile.open(path)).find('silo-01', isMemory), undefined);
  });
}
