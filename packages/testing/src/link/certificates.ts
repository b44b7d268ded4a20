import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { CertificatePair } from '@granary/link/tls';

const DAY_MS = 86_400_000;
const TAG = {
  boolean: 1,
  integer: 2,
  bits: 3,
  octets: 4,
  oid: 6,
  text: 12,
  time: 23,
  sequence: 0x30,
  set: 0x31,
};
const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];
const ALTERNATIVE_NAMES = [0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];

/**
 * A new self-signed certificate for `localhost` and 127.0.0.1, which clients trust as their own authority. Tests tell
 * certificates apart by the name of their owner. Node can only read certificates, so this one is written as ASN.1.
 */
export function newCertificate(commonName = 'localhost', days = 30): CertificatePair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = der(TAG.sequence, der(TAG.oid, ECDSA_WITH_SHA256));
  const name = der(
    TAG.sequence,
    der(TAG.set, der(TAG.sequence, der(TAG.oid, COMMON_NAME), der(TAG.text, Buffer.from(commonName)))),
  );
  const names = der(TAG.sequence, der(0x82, Buffer.from('localhost')), der(0x87, [127, 0, 0, 1]));
  const isAuthority = der(TAG.sequence, der(TAG.boolean, [0xff]));
  const extensions = der(
    TAG.sequence,
    der(TAG.sequence, der(TAG.oid, ALTERNATIVE_NAMES), der(TAG.octets, names)),
    der(TAG.sequence, der(TAG.oid, BASIC_CONSTRAINTS), der(TAG.octets, isAuthority)),
  );
  const content = der(
    TAG.sequence,
    der(0xa0, der(TAG.integer, [2])),
    der(TAG.integer, [1], randomBytes(8)),
    algorithm,
    name,
    der(TAG.sequence, time(Date.now() - 60 * DAY_MS), time(Date.now() + days * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(TAG.bits, [0], sign('sha256', content, privateKey));
  return {
    cert: pem('CERTIFICATE', der(TAG.sequence, content, algorithm, signature)),
    key: Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

/** One ASN.1 value: tag, length and content. */
function der(tag: number, ...parts: readonly (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

/** A time up to the year 2049, as `YYMMDDhhmmssZ`. */
const time = (atMs: number): Buffer =>
  der(
    TAG.time,
    Buffer.from(
      `${new Date(atMs)
        .toISOString()
        .replace(/[-:T]|\..*$/g, '')
        .slice(2)}Z`,
    ),
  );

function pem(label: string, bytes: Buffer): Buffer {
  const lines = bytes.toString('base64').replace(/.{1,64}/g, '$&\n');
  return Buffer.from(`-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`);
}
