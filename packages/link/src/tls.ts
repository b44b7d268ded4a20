import type { SecureContextOptions } from 'node:tls';

/** A certificate with its chain, and its private key, both in PEM format. */
export interface CertificatePair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** The TLS options of every encrypted port. */
export const secureOptions = ({ cert, key }: CertificatePair): SecureContextOptions => ({
  cert,
  key,
  minVersion: 'TLSv1.2',
});
