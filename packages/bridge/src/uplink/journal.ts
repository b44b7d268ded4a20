import { mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { HOUR_MS, SECOND_MS } from '@granary/contract/time';
import type { LogLevel } from '../drivers/driver.ts';
import type { Reading } from './message.ts';

const FLUSH_MS = 100;
const RETRY_MS = SECOND_MS;
const TRIM_EVERY_MS = 10 * SECOND_MS;
/** What is kept in memory while the disk takes nothing; of more the oldest are given up. */
const PENDING_MAX = 20_000;
/** How many of the oldest readings are given up at once when the journal is full. */
const DROP_AT_ONCE = 5_000;
const GAPS_MAX = 20;

export interface JournalOptions {
  /** `:memory:` keeps nothing over a restart. */
  readonly file: string;
  readonly hoursMax: number;
  readonly bytesMax: number;
  /** The pages that the file may have, for tests of a full disk. */
  readonly pagesMax?: number;
  readonly now: () => number;
  /** Readings are given up by their age only while the time is known to be right. */
  readonly isTimeRight: () => boolean;
  readonly log: (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export class JournalInUseError extends Error {}

/** A period of a device of which readings were given up. */
export interface Gap {
  readonly deviceId: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly readings: number;
}

export interface JournalStatus {
  readonly readings: number;
  readonly bytes: number;
  readonly oldestMs: number | null;
  readonly dropped: number;
  readonly fault: string | null;
  readonly gaps: readonly Gap[];
}

interface Row {
  readonly seq: number;
  readonly at_ms: number;
  readonly body: string;
}

/** Readings from the journal, the oldest first, with the number up to which they are removed when they are delivered. */
export interface Batch {
  readonly upTo: number;
  readonly readings: readonly Pick<Reading, 'atMs' | 'body'>[];
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS readings (seq INTEGER PRIMARY KEY, device TEXT NOT NULL, at_ms INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS readings_of_device ON readings (device, seq);
  CREATE TABLE IF NOT EXISTS gaps (gap INTEGER PRIMARY KEY, device TEXT NOT NULL, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, readings INTEGER NOT NULL);
`;

/**
 * The readings that the service has not acknowledged, on disk. What is added is written a moment later, many at once; a process that is
 * killed loses at most that moment.
 */
export class Journal {
  readonly #options: JournalOptions;
  #database: DatabaseSync | null = null;
  #insert: StatementSync | null = null;
  #pending: Reading[] = [];
  #timer: NodeJS.Timeout | undefined;
  #trimTimer: NodeJS.Timeout | undefined;
  #countOf = new Map<string, number>();
  #dropped = 0;
  #gaps: Gap[] = [];
  #fault: string | null = null;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  start(): void {
    this.#open();
    this.#trimTimer = setInterval(() => this.trim(), TRIM_EVERY_MS).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#trimTimer);
    this.#attempt(() => this.#write());
    if (this.#pending.length > 0) this.#giveUp(this.#pending);
    this.#pending = [];
    this.#database?.close();
    this.#database = null;
  }

  /** Never fails: while the disk takes nothing, readings wait in memory. */
  add(reading: Reading): void {
    this.#pending.push(reading);
    this.#count(reading.deviceId, 1);
    if (this.#pending.length > PENDING_MAX) {
      const given = this.#pending.splice(0, this.#pending.length - PENDING_MAX);
      for (const { deviceId } of given) this.#count(deviceId, -1);
      this.#giveUp(given);
    }
    this.#flushSoon(this.#fault === null ? FLUSH_MS : RETRY_MS);
  }

  /** For tests of a full disk. */
  allowPages(pagesMax: number): void {
    this.#database?.exec(`PRAGMA max_page_count = ${pagesMax}`);
  }

  waitingOf(deviceId: string): number {
    return this.#countOf.get(deviceId) ?? 0;
  }

  /** The oldest readings of a device, as many as fit; `null` if nothing of it waits on disk. */
  next(
    deviceId: string,
    readingsMax: number,
    fitting: (readings: readonly Pick<Reading, 'body'>[]) => number,
  ): Batch | null {
    if (this.waitingOf(deviceId) === 0) return null;
    const found = this.#attempt(
      () =>
        this.#database
          ?.prepare('SELECT seq, at_ms, body FROM readings WHERE device = ? ORDER BY seq LIMIT ?')
          .all(deviceId, readingsMax) as unknown as Row[] | undefined,
    );
    const rows = found?.slice(0, fitting(found)) ?? [];
    const last = rows.at(-1);
    if (last === undefined) return null;
    return { upTo: last.seq, readings: rows.map(({ at_ms, body }) => ({ atMs: at_ms, body })) };
  }

  /** The service has these. */
  remove(deviceId: string, upTo: number): void {
    this.#attempt(() => {
      const { changes = 0 } =
        this.#database?.prepare('DELETE FROM readings WHERE device = ? AND seq <= ?').run(deviceId, upTo) ??
        {};
      this.#count(deviceId, -Number(changes));
    });
  }

  status(): JournalStatus {
    const oldest = this.#attempt(
      () => this.#database?.prepare('SELECT at_ms FROM readings ORDER BY seq LIMIT 1').get()?.['at_ms'],
    );
    let readings = 0;
    for (const count of this.#countOf.values()) readings += count;
    return {
      readings,
      bytes: this.#attempt(() => this.#bytes()) ?? 0,
      oldestMs: typeof oldest === 'number' ? oldest : (this.#pending[0]?.atMs ?? null),
      dropped: this.#dropped,
      fault: this.#fault,
      gaps: this.#gaps,
    };
  }

  /** A file that is not usable is kept under another name, for people, and a new one is begun. */
  #open(): void {
    const { file, log } = this.#options;
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    try {
      this.#use(file);
    } catch (error) {
      if (isInUse(error)) throw new JournalInUseError(`another bridge uses ${file}`, { cause: error });
      if (!isDamaged(error)) {
        this.#failed(error);
        return;
      }
      const aside = `${file}.damaged-${this.#options.now()}`;
      renameSync(file, aside);
      log('error', 'the journal is damaged and was put aside; a new one is begun', { file, aside });
      this.#use(file);
    }
  }

  #use(file: string): void {
    const database = new DatabaseSync(file);
    // Two bridges with one journal would send and remove each other's readings.
    database.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA busy_timeout = 1000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL',
    );
    database.exec(SCHEMA);
    const counts = database.prepare('SELECT device, COUNT(*) AS count FROM readings GROUP BY device').all();
    this.#countOf = new Map(counts.map(({ device, count }) => [String(device), Number(count)]));
    for (const { deviceId } of this.#pending) this.#count(deviceId, 1);
    const gaps = database.prepare('SELECT device, from_ms, to_ms, readings FROM gaps ORDER BY gap').all();
    this.#gaps = gaps
      .map(({ device, from_ms, to_ms, readings }) => ({
        deviceId: String(device),
        fromMs: Number(from_ms),
        toMs: Number(to_ms),
        readings: Number(readings),
      }))
      .slice(-GAPS_MAX);
    this.#dropped = gaps.reduce((sum, { readings }) => sum + Number(readings), 0);
    if (this.#options.pagesMax !== undefined)
      database.exec(`PRAGMA max_page_count = ${this.#options.pagesMax}`);
    this.#insert = database.prepare('INSERT INTO readings (device, at_ms, body) VALUES (?, ?, ?)');
    this.#database = database;
  }

  #count(deviceId: string, by: number): void {
    const count = (this.#countOf.get(deviceId) ?? 0) + by;
    if (count > 0) this.#countOf.set(deviceId, count);
    else this.#countOf.delete(deviceId);
  }

  #flushSoon(waitMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#attempt(() => this.#write());
      if (this.#pending.length > 0) this.#flushSoon(RETRY_MS);
    }, waitMs);
  }

  #write(): void {
    if (this.#pending.length === 0) return;
    if (this.#database === null) this.#use(this.#options.file);
    this.#transaction(() => {
      for (const { deviceId, atMs, body } of this.#pending) this.#insert?.run(deviceId, atMs, body);
    });
    this.#pending = [];
    if (this.#bytes() > this.#options.bytesMax) this.#trim();
  }

  #transaction(work: () => void): void {
    this.#database?.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database?.exec('COMMIT');
    } catch (error) {
      // A full disk has ended the transaction already.
      if (this.#database?.isTransaction === true) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Of the file, without the pages that are free again. */
  #bytes(): number {
    const pragma = (name: string) =>
      Number(Object.values(this.#database?.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  }

  /** Gives up what is too much or too old. */
  trim(): void {
    this.#attempt(() => this.#trim());
  }

  #trim(): void {
    const { hoursMax, bytesMax, now, isTimeRight } = this.#options;
    while (this.#database !== null && this.#bytes() > bytesMax) if (!this.#dropOldest(null)) break;
    if (!isTimeRight()) return;
    const beforeMs = now() - hoursMax * HOUR_MS;
    while (this.#dropOldest(beforeMs));
  }

  /** Gives up some of the oldest readings, or those of them that are older; returns whether there were any. */
  #dropOldest(beforeMs: number | null): boolean {
    let dropped: Reading[] = [];
    this.#transaction(() => {
      const rows = this.#database
        ?.prepare(
          `DELETE FROM readings WHERE seq IN (SELECT seq FROM readings ORDER BY seq LIMIT ?) AND at_ms < ?
           RETURNING device, at_ms`,
        )
        .all(DROP_AT_ONCE, beforeMs ?? Number.MAX_SAFE_INTEGER);
      dropped = (rows ?? []).map(({ device, at_ms }) => ({
        deviceId: String(device),
        atMs: Number(at_ms),
        body: '',
      }));
    });
    for (const { deviceId } of dropped) this.#count(deviceId, -1);
    this.#giveUp(dropped);
    return dropped.length > 0;
  }

  #giveUp(readings: readonly Reading[]): void {
    if (readings.length === 0) return;
    this.#dropped += readings.length;
    for (const [deviceId, own] of Map.groupBy(readings, (reading) => reading.deviceId)) {
      const times = own.map(({ atMs }) => atMs);
      const gap = {
        deviceId,
        fromMs: times.reduce((least, one) => Math.min(least, one)),
        toMs: times.reduce((most, one) => Math.max(most, one)),
        readings: own.length,
      };
      const last = this.#gaps.at(-1);
      this.#gaps = [...this.#gaps, gap].slice(-GAPS_MAX);
      if (last?.deviceId !== deviceId || this.#fault === null)
        this.#options.log('error', 'readings were given up, because the journal is full', { ...gap });
      this.#attempt(() =>
        this.#database
          ?.prepare('INSERT INTO gaps (device, from_ms, to_ms, readings) VALUES (?, ?, ?, ?)')
          .run(deviceId, gap.fromMs, gap.toMs, gap.readings),
      );
    }
  }

  /** A disk that is full or broken stops nothing; it is said once, and when it is over. */
  #attempt<T>(work: () => T): T | undefined {
    try {
      const result = work();
      if (this.#fault !== null && this.#database !== null && this.#pending.length === 0) {
        this.#fault = null;
        this.#options.log('info', 'the journal can be written again', { file: this.#options.file });
      }
      return result;
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  #failed(error: unknown): void {
    const fault = error instanceof Error ? error.message : String(error);
    if (this.#fault === null)
      this.#options.log('error', 'the journal cannot be written; readings wait in memory', {
        file: this.#options.file,
        fault,
      });
    this.#fault = fault;
  }
}

/** SQLITE_BUSY and SQLITE_LOCKED. */
const isInUse = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 6);

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const isDamaged = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (error.errcode === 11 || error.errcode === 26);
