import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DAY_MS } from '@granary/contract/time';
import type { CertificatePair } from '@granary/link/tls';
import { newCertificate } from '@granary/testing/link/certificates';
import { eventually } from '@granary/testing/server/eventually';
import { pino } from 'pino';
import { CertificateFiles } from './certificate-files.ts';

const [first, second] = [newCertificate('first'), newCertificate('second')];

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-renewal-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function writePair(folder: string, { cert, key }: CertificatePair): Promise<void> {
  await writeFile(join(folder, 'cert.pem'), cert);
  await writeFile(join(folder, 'key.pem'), key);
}

/** Follows the files in a folder, and records what is used and what is logged. */
async function follow(t: TestContext, folder: string, clock = { nowMs: Date.now() }) {
  const used: string[] = [];
  const lines: { readonly level: string; readonly msg: string }[] = [];
  const formatters = { level: (level: string) => ({ level }) };
  const logger = pino({ base: null, formatters }, { write: (line) => void lines.push(JSON.parse(line)) });
  const files = await CertificateFiles.open({
    paths: { certPath: join(folder, 'cert.pem'), keyPath: join(folder, 'key.pem') },
    logger,
    now: () => clock.nowMs,
  });
  files.start(({ subject }) => used.push(subject));
  t.after(() => files.stop());
  const logged = (level: string) => lines.filter((line) => line.level === level).map(({ msg }) => msg);
  return { files, used, logged };
}

test('files that are written in place are used', async (t) => {
  const folder = await newFolder(t);
  await writePair(folder, first);
  const { files, used, logged } = await follow(t, folder);
  assert.equal(files.current.subject, 'CN=first');
  await writePair(folder, second);
  await eventually(async () => used.join(), 'CN=second');
  assert.equal(files.current.subject, 'CN=second');
  assert.deepEqual(logged('error'), []);
});

test('files that are replaced by a rename are used', async (t) => {
  const folder = await newFolder(t);
  const next = join(folder, 'next');
  await mkdir(next);
  await writePair(folder, first);
  await writePair(next, second);
  const { used } = await follow(t, folder);
  for (const name of ['cert.pem', 'key.pem']) await rename(join(next, name), join(folder, name));
  await eventually(async () => used.join(), 'CN=second');
});

test('a folder link that is replaced, as Kubernetes does, is followed', async (t) => {
  const folder = await newFolder(t);
  for (const [name, pair] of Object.entries({ v1: first, v2: second })) {
    await mkdir(join(folder, name));
    await writePair(join(folder, name), pair);
  }
  await symlink('v1', join(folder, 'data'));
  for (const name of ['cert.pem', 'key.pem']) await symlink(join('data', name), join(folder, name));
  const { used } = await follow(t, folder);
  await symlink('v2', join(folder, 'data-new'));
  await rename(join(folder, 'data-new'), join(folder, 'data'));
  await eventually(async () => used.join(), 'CN=second');
});

test('a pair that cannot be used is logged once and not used, and the next good one is', async (t) => {
  const folder = await newFolder(t);
  await writePair(folder, first);
  const { files, used, logged } = await follow(t, folder);
  await writeFile(join(folder, 'cert.pem'), second.cert);
  await eventually(async () => logged('error').length, 1);
  assert.match(logged('error')[0] ?? '', /not used.*GRANARY_TLS_KEY .* is not the key of/);
  await writeFile(join(folder, 'unrelated'), '');
  await files.reload();
  assert.deepEqual([used, files.current.subject], [[], 'CN=first']);
  await writeFile(join(folder, 'key.pem'), second.key);
  await eventually(async () => used.join(), 'CN=second');
});

test('a reload on request reads at once and reports a fault each time', async (t) => {
  const folder = await newFolder(t);
  await writePair(folder, first);
  const { files, used, logged } = await follow(t, folder);
  await rm(join(folder, 'cert.pem'));
  await files.reload();
  await files.reload();
  assert.equal(logged('error').length, 2);
  await writePair(folder, second);
  await files.reload();
  assert.deepEqual(used, ['CN=second']);
  await copyFile(join(folder, 'cert.pem'), join(folder, 'copy.pem'));
  await files.reload();
  assert.deepEqual(used, ['CN=second'], 'unchanged files are not used again');
});

test('an expired new certificate does not replace a valid one, but one that has expired too', async (t) => {
  const folder = await newFolder(t);
  await writePair(folder, first);
  const clock = { nowMs: Date.now() };
  const { files, used, logged } = await follow(t, folder, clock);
  clock.nowMs += 2 * DAY_MS;
  await writePair(folder, newCertificate('one day', 1));
  await files.reload();
  assert.deepEqual(used, []);
  assert.match(logged('error').join(), /not used.*it expired at/);
  clock.nowMs += 30 * DAY_MS;
  await files.reload();
  assert.deepEqual(used, ['CN=one day']);
});

test('the end of a certificate is announced 14 days before, once a day, and reported when it has come', async (t) => {
  const folder = await newFolder(t);
  await writePair(folder, first);
  const clock = { nowMs: Date.now() };
  const { files, logged } = await follow(t, folder, clock);
  const after = async (days: number) => {
    clock.nowMs += days * DAY_MS;
    await files.reload();
    return [logged('warn').length, logged('error').length];
  };
  assert.deepEqual(await after(15), [0, 0]);
  assert.deepEqual(await after(2), [1, 0]);
  assert.deepEqual(await after(0.5), [1, 0]);
  assert.deepEqual(await after(1), [2, 0]);
  assert.deepEqual(await after(20), [2, 1]);
});
