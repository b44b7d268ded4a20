import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newCertificate } from '@granary/testing/link/certificates';
import { CertificateFault, readCertificate } from './certificate-files.ts';

let folder = '';
const at = (name: string): string => join(folder, name);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'granary-pem-'));
  const [first, second] = [newCertificate('first'), newCertificate('second')];
  await writeFile(at('cert.pem'), first.cert);
  await writeFile(at('key.pem'), first.key);
  await writeFile(at('other-key.pem'), second.key);
  await writeFile(at('chain.pem'), Buffer.concat([first.cert, second.cert]));
  await writeFile(at('wrong-order.pem'), Buffer.concat([second.cert, first.cert]));
  await writeFile(at('empty.pem'), '');
  await writeFile(at('text.pem'), 'not a certificate\n');
  await writeFile(at('broken.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  await writeFile(at('large.pem'), '');
  await truncate(at('large.pem'), 5_000_000);
  await mkdir(at('folder'));
  await symlink(at('loop.pem'), at('loop.pem'));
  await writeFile(at('unreadable.pem'), first.cert);
  await chmod(at('unreadable.pem'), 0);
  const encrypted = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
  await writeFile(at('encrypted-key.pem'), createPrivateKey(first.key).export(encrypted));
});

after(() => rm(folder, { recursive: true, force: true }));

const read = (cert: string, key: string) => readCertificate({ certPath: at(cert), keyPath: at(key) });

test('a certificate is read with its owner and its end, also with a chain', async () => {
  const { subject, validToMs } = await read('cert.pem', 'key.pem');
  assert.equal(subject, 'CN=first');
  const days = (validToMs - Date.now()) / 86_400_000;
  assert.ok(days > 29 && days <= 30, String(days));
  assert.equal((await read('chain.pem', 'key.pem')).subject, 'CN=first');
});

const FAULTS: readonly (readonly [cert: string, key: string, fault: RegExp])[] = [
  ['missing.pem', 'key.pem', /^GRANARY_TLS_CERT \(.*missing\.pem\): there is no such file$/],
  ['cert.pem', 'missing.pem', /^GRANARY_TLS_KEY \(.*missing\.pem\): there is no such file$/],
  ['folder', 'key.pem', /^GRANARY_TLS_CERT .*: it is not a file$/],
  ['cert.pem/below', 'key.pem', /there is no such file$/],
  ['loop.pem', 'key.pem', /its links lead nowhere$/],
  ['large.pem', 'key.pem', /too large/],
  ['empty.pem', 'key.pem', /^GRANARY_TLS_CERT .*: it holds no certificate in PEM format$/],
  ['text.pem', 'key.pem', /it holds no certificate in PEM format$/],
  ['broken.pem', 'key.pem', /it holds no certificate in PEM format$/],
  ['key.pem', 'key.pem', /it holds no certificate in PEM format$/],
  ['cert.pem', 'cert.pem', /^GRANARY_TLS_KEY .*: it holds no private key in PEM format$/],
  [
    'cert.pem',
    'other-key.pem',
    /^GRANARY_TLS_KEY .*: it is not the key of the first certificate in .*cert\.pem$/,
  ],
  ['wrong-order.pem', 'key.pem', /it is not the key of the first certificate/],
  ['cert.pem', 'encrypted-key.pem', /^GRANARY_TLS_KEY .*protected by a passphrase/],
];

for (const [cert, key, fault] of FAULTS) {
  test(`${cert} with ${key} is refused in one line`, async () => {
    await assert.rejects(read(cert, key), (error) => {
      assert.ok(error instanceof CertificateFault, String(error));
      assert.match(error.message, fault);
      assert.equal(error.message.includes('\n'), false);
      return true;
    });
  });
}
