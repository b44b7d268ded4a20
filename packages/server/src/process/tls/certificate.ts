import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { type CertificatePair, secureOptions } from '@granary/link/tls';

export interface CertificatePaths {
  readonly certPath: string;
  readonly keyPath: string;
}

export interface Certificate extends CertificatePair {
  readonly subject: string;
  readonly validFromMs: number;
  readonly validToMs: number;
}

/** A certificate cannot be used; the message is one line that names the setting. */
export class CertificateFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CertificateFault';
  }
}

/** Larger files are something else. */
const FILE_BYTES_MAX = 1024 * 1024;

/** Reads a certificate and its key, and checks that a server can use them together. */
export async function readCertificate({ certPath, keyPath }: CertificatePaths): Promise<Certificate> {
  const certName = `GRANARY_TLS_CERT (${certPath})`;
  const keyName = `GRANARY_TLS_KEY (${keyPath})`;
  const cert = await readPem(certPath, certName);
  const key = await readPem(keyPath, keyName);
  const leaf = parsedCertificate(cert, certName);
  if (!leaf.checkPrivateKey(parsedKey(key, keyName))) {
    throw new CertificateFault(`${keyName}: it is not the key of the first certificate in ${certPath}`);
  }
  const pair = { cert, key };
  try {
    createSecureContext(secureOptions(pair));
  } catch (error) {
    throw new CertificateFault(`${certName}: TLS refuses it: ${firstLineOf(error)}`, { cause: error });
  }
  const { subject, validFromDate, validToDate } = leaf;
  return {
    ...pair,
    subject: (subject ?? '').replaceAll('\n', ', '),
    validFromMs: validFromDate.getTime(),
    validToMs: validToDate.getTime(),
  };
}

const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
  ELOOP: 'its links lead nowhere',
};

async function readPem(path: string, name: string): Promise<Buffer> {
  try {
    const file = await stat(path);
    if (!file.isFile()) throw new CertificateFault(`${name}: it is not a file`);
    if (file.size > FILE_BYTES_MAX) throw new CertificateFault(`${name}: it is too large for a PEM file`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof CertificateFault) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new CertificateFault(`${name}: ${READ_FAULTS[code] ?? `it cannot be read (${code})`}`, {
      cause: error,
    });
  }
}

function parsedCertificate(cert: Buffer, name: string): X509Certificate {
  try {
    if (!cert.includes('-----BEGIN')) throw new Error('not PEM');
    return new X509Certificate(cert);
  } catch (cause) {
    throw new CertificateFault(`${name}: it holds no certificate in PEM format`, { cause });
  }
}

function parsedKey(key: Buffer, name: string): KeyObject {
  try {
    return createPrivateKey(key);
  } catch (error) {
    const needsPassphrase = key.includes('ENCRYPTED');
    throw new CertificateFault(
      needsPassphrase
        ? `${name}: it is protected by a passphrase; store it without one, readable only for this user`
        : `${name}: it holds no private key in PEM format`,
      { cause: error },
    );
  }
}

const firstLineOf = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).split('\n', 1)[0] ?? '';
