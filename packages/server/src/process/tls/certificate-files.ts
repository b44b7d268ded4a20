import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createSecureContext } from 'node:tls';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { type CertificatePair, secureOptions } from '@granary/link/tls';
import type { Logger } from '../logging/logger.ts';

/** A larger file is not a certificate or key. */
const FILE_BYTES_MAX = 1024 * 1024;
const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
  ELOOP: 'its links lead nowhere',
};
/** A new certificate and its key are two files, so both are read after nothing has changed for this long. */
const SETTLE_MS = 500;
/** Finds changes that the operating system does not report, for example on network drives. */
const CHECK_MS = MINUTE_MS / 2;
const EXPIRY_WARNING_MS = 14 * DAY_MS;

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

export interface CertificateFilesParts {
  readonly paths: CertificatePaths;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * The certificate in use. Its files are read again when they change; a pair that cannot be used is logged once, and the
 * current certificate stays in use.
 */
export class CertificateFiles {
  readonly #parts: CertificateFilesParts;
  #current: Certificate;
  #renewed: (certificate: Certificate) => void = () => undefined;
  readonly #watchers: FSWatcher[] = [];
  #interval: NodeJS.Timeout | undefined;
  #settling: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #seenFault: string | null = null;
  #loggedFault: string | null = null;
  #expiryLoggedAtMs = Number.NEGATIVE_INFINITY;

  private constructor(parts: CertificateFilesParts, first: Certificate) {
    this.#parts = parts;
    this.#current = first;
  }

  /** Throws a `CertificateFault`. An expired certificate is only logged, because the rest of the service must run. */
  static async open(parts: CertificateFilesParts): Promise<CertificateFiles> {
    return new CertificateFiles(parts, await readCertificate(parts.paths));
  }

  get current(): Certificate {
    return this.#current;
  }

  /** `renewed` is called with each certificate after the first. */
  start(renewed: (certificate: Certificate) => void): void {
    this.#renewed = renewed;
    const { certPath, keyPath } = this.#parts.paths;
    // The folders are watched and not the files, because files are usually replaced by a rename or by another link.
    for (const folder of new Set([dirname(certPath), dirname(keyPath)])) this.#watch(folder);
    this.#interval = setInterval(() => this.#check(false), CHECK_MS).unref();
    this.#logExpiry();
  }

  async stop(): Promise<void> {
    clearInterval(this.#interval);
    clearTimeout(this.#settling);
    for (const watcher of this.#watchers.splice(0)) watcher.close();
    await this.#reading;
  }

  /** Reads the files now, because a person asked for it. */
  reload(): Promise<void> {
    this.#loggedFault = null;
    return this.#check(true);
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#settle());
      // Without the watcher the interval still finds changes.
      watcher.on('error', () => watcher.close());
      this.#watchers.push(watcher);
    } catch (error) {
      this.#parts.logger.warn({ err: error, folder }, 'the folder of the certificate cannot be watched');
    }
  }

  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#check(false), SETTLE_MS).unref();
  }

  #check(isRequested: boolean): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read(isRequested));
    return this.#reading;
  }

  /** The promise never rejects. */
  async #read(isRequested: boolean): Promise<void> {
    try {
      const next = await readCertificate(this.#parts.paths);
      this.#refuseExpired(next);
      this.#use(next);
      this.#seenFault = null;
      this.#loggedFault = null;
    } catch (error) {
      this.#failed(error instanceof CertificateFault ? error.message : String(error), isRequested);
    }
    this.#logExpiry();
  }

  #refuseExpired({ validToMs }: Certificate): void {
    const nowMs = this.#parts.now();
    if (validToMs > nowMs || this.#current.validToMs <= nowMs) return;
    const { certPath } = this.#parts.paths;
    throw new CertificateFault(`GRANARY_TLS_CERT (${certPath}): it expired at ${timeText(validToMs)}`);
  }

  #use(next: Certificate): void {
    if (next.cert.equals(this.#current.cert) && next.key.equals(this.#current.key)) return;
    this.#renewed(next);
    this.#current = next;
    this.#expiryLoggedAtMs = Number.NEGATIVE_INFINITY;
    const { subject, validToMs } = next;
    this.#parts.logger.info({ subject, valid_to: timeText(validToMs) }, 'new TLS certificate in use');
  }

  /** A fault is logged when a second look finds it again, because the files may have been in the middle of a change. */
  #failed(fault: string, isRequested: boolean): void {
    const isSeenAgain = fault === this.#seenFault;
    this.#seenFault = fault;
    if (!isSeenAgain && !isRequested) {
      this.#settle();
      return;
    }
    if (fault === this.#loggedFault) return;
    this.#loggedFault = fault;
    this.#parts.logger.error(`the new TLS certificate is not used, the current one stays in use: ${fault}`);
  }

  #logExpiry(): void {
    const { logger, now } = this.#parts;
    const { validFromMs, validToMs, subject } = this.#current;
    const nowMs = now();
    if (nowMs - this.#expiryLoggedAtMs < DAY_MS) return;
    const details = { subject, valid_from: timeText(validFromMs), valid_to: timeText(validToMs) };
    if (validToMs <= nowMs)
      logger.error(details, 'the TLS certificate has expired: callers and devices will refuse it');
    else if (validFromMs > nowMs)
      logger.error(details, 'the TLS certificate is not valid yet: check the clock');
    else if (validToMs - nowMs < EXPIRY_WARNING_MS) logger.warn(details, 'the TLS certificate expires soon');
    else return;
    this.#expiryLoggedAtMs = nowMs;
  }
}

const timeText = (atMs: number): string => new Date(atMs).toISOString();
