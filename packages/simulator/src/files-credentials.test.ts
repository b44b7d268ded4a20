import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CredentialsFile } from './files.ts';

async function temporaryPath(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-farm-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'not-there-yet', 'devices.json');
}

test('keeps secrets for the next start, readable by the owner alone', async (t) => {
  const path = await temporaryPath(t);
  const file = await CredentialsFile.open(path);
  await Promise.all(['a', 'b', 'c'].map((username) => file.keep({ username, secret: `${username}!` })));
  const reopened = await CredentialsFile.open(path);
  assert.deepEqual(reopened.find('b'), { username: 'b', secret: 'b!' });
  assert.equal(reopened.find('d'), undefined);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

for (const damaged of ['', '{"a":', '[]', '{"a":7}', 'null']) {
  test(`a file that holds ${JSON.stringify(damaged)} is read as empty`, async (t) => {
    const path = await temporaryPath(t);
    await mkdir(dirname(path));
    await writeFile(path, damaged);
    assert.equal((await CredentialsFile.open(path)).find('a'), undefined);
  });
}
