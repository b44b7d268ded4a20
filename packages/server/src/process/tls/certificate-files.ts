import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import type { Logger } from '../logging/logger.ts';
import { type Certificate, CertificateFault, type CertificatePaths, readCertificate } from './certificate.ts';

export interface CertificateFilesParts {
  readonly paths: CertificatePaths;
  readonly logger: Logger;
  readonly now: () => number;
}

/** A new certificate and its key are two files, so both are read after nothing has changed for this long. */
const SETTLE_MS = 500;
/** Finds changes that the operating system does not report, for example on network drives. */
const CHECK_MS = MINUTE_MS / 2;
export const EXPIRY_WARNING_MS = 14 * DAY_MS;

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
    // Folders are watched, because files are usually replaced by a rename or by another link.
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
      // The interval still finds changes.
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

  /** Never rejects. */
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
