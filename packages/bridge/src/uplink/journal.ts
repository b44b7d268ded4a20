import { closeSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import type { LogLevel } from '../drivers/driver.ts';
import type { Total } from '../mapping/totals.ts';
import { messageOf } from '../message-of.ts';
import { GAPS_SCHEMA, type Gap, Gaps, storeGap, trimGaps } from './gaps.ts';
import { isDamaged, isInUse } from './journal-errors.ts';
import { type Reading, settled } from './message.ts';

const FLUSH_MS = 100;
const RETRY_MS = SECOND_MS;
const TRIM_EVERY_MS = 10 * SECOND_MS;
/** The limit of readings in memory while the disk cannot be written; beyond it, the oldest are dropped, some at once. */
const PENDING_MAX = 20_000;
const FORGET_AT_ONCE = 1_000;
/** The number of the oldest readings that are dropped at once when the journal is full. */
const DROP_AT_ONCE = 5_000;

export interface JournalOptions {
  /** The file; `:memory:` keeps nothing over a restart. */
  readonly file: string;
  readonly hoursMax: number;
  readonly bytesMax: number;
  readonly now: () => number;
  /** How far the time of the service is ahead of the boot clock, which is never set; `null` while it is not known. */
  readonly aheadMs: () => number | null;
  /** The id of the present boot of the machine; `null` if the system does not provide it. */
  readonly bootId: string | null;
  readonly log: (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export class JournalInUseError extends Error {}

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
  readonly clock_ms: number | null;
  readonly body: string;
}

/** Readings of a device, oldest first, which are removed when they are delivered. */
export interface Batch {
  readonly deviceId: string;
  /** The number of the last of them on disk; `null` if they are in memory only. */
  readonly upTo: number | null;
  readonly readings: readonly Reading[];
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS waiting (seq INTEGER PRIMARY KEY, device TEXT NOT NULL, at_ms INTEGER NOT NULL, clock_ms INTEGER, body TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS waiting_of_device ON waiting (device, seq);
  CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value TEXT NOT NULL);
`;
const PUT_STATE =
  'INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';

/**
 * The readings that the service has not acknowledged, on disk. Readings are written a moment later, many at once; a process
 * that is killed loses at most that moment.
 */
export class Journal {
  readonly #options: JournalOptions;
  #database: DatabaseSync | null = null;
  #insert: StatementSync | null = null;
  #pending: Reading[] = [];
  /** The delivered readings that are still on disk: up to these numbers, by device. */
  readonly #delivered = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #trimTimer: NodeJS.Timeout | undefined;
  #countOf = new Map<string, number>();
  readonly #gaps = new Gaps();
  #loggedGapMs = Number.NEGATIVE_INFINITY;
  #fault: string | null = null;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  start(): void {
    const { file } = this.#options;
    try {
      this.#use();
    } catch (error) {
      if (isInUse(error)) throw new JournalInUseError(`another bridge uses ${file}`, { cause: error });
      this.#failed(error);
      if (isDamaged(error)) this.#attempt(() => this.#use());
    }
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
      const oldest = this.#pending.splice(0, FORGET_AT_ONCE);
      for (const { deviceId } of oldest) this.#count(deviceId, -1);
      this.#giveUp(oldest);
    }
    this.#flushSoon(this.#fault === null ? FLUSH_MS : RETRY_MS);
  }

  waitingOf(deviceId: string): number {
    return this.#countOf.get(deviceId) ?? 0;
  }

  /** Returns the oldest readings of a device, as many as fit, with corrected times; `null` if none of them can be sent now. */
  next(
    deviceId: string,
    readingsMax: number,
    fitting: (readings: readonly Pick<Reading, 'body'>[]) => number,
  ): Batch | null {
    if (this.waitingOf(deviceId) === 0) return null;
    const waiting = this.#attempt(
      () =>
        this.#database
          ?.prepare(
            'SELECT seq, at_ms, clock_ms, body FROM waiting WHERE device = ? AND seq > ? ORDER BY seq LIMIT ?',
          )
          .all(deviceId, this.#delivered.get(deviceId) ?? 0, readingsMax) as unknown as Row[] | undefined,
    );
    const rows = waiting?.slice(0, fitting(waiting)) ?? [];
    const last = rows.at(-1);
    const stored = rows.map(({ at_ms, clock_ms, body }) => ({
      deviceId,
      atMs: at_ms,
      clockMs: clock_ms,
      body,
    }));
    const readings = last === undefined ? this.#inMemory(deviceId, readingsMax, fitting) : stored;
    if (readings.length === 0) return null;
    const aheadMs = this.#options.aheadMs();
    return {
      deviceId,
      upTo: last?.seq ?? null,
      readings: readings.map((reading) => settled(reading, aheadMs)),
    };
  }

  /** Returns readings in memory only while the disk cannot be written: otherwise they are on disk in a moment. */
  #inMemory(
    deviceId: string,
    readingsMax: number,
    fitting: (readings: readonly Pick<Reading, 'body'>[]) => number,
  ): readonly Reading[] {
    if (this.#fault === null) return [];
    const waiting = this.#pending.filter((reading) => reading.deviceId === deviceId).slice(0, readingsMax);
    return waiting.slice(0, fitting(waiting));
  }

  /** Removes readings that the service has stored. They are deleted a moment later; until then they are skipped. */
  remove({ deviceId, upTo, readings }: Batch): void {
    if (upTo === null) {
      let left = readings.length;
      const kept = this.#pending.filter((reading) => reading.deviceId !== deviceId || left-- <= 0);
      this.#count(deviceId, kept.length - this.#pending.length);
      this.#pending = kept;
      return;
    }
    this.#attempt(() => {
      const row = this.#database
        ?.prepare('SELECT COUNT(*) AS count FROM waiting WHERE device = ? AND seq > ? AND seq <= ?')
        .get(deviceId, this.#delivered.get(deviceId) ?? 0, upTo);
      this.#count(deviceId, -Number(row?.['count'] ?? 0));
      this.#delivered.set(deviceId, upTo);
    });
    this.#flushSoon(this.#fault === null ? FLUSH_MS : RETRY_MS);
  }

  /** Returns the last total of a counter, such as that of rain, which is kept over a restart. */
  totalOf(counter: string): Total | null {
    const stored = this.#attempt(
      () =>
        this.#database?.prepare('SELECT value FROM state WHERE key = ?').get(`total ${counter}`)?.['value'],
    );
    return typeof stored === 'string' ? (JSON.parse(stored) as Total) : null;
  }

  /** Stores a total at once: a total that is counted twice would be wrong, and a missing one would not. */
  keepTotal(counter: string, total: Total): void {
    this.#attempt(() => this.#database?.prepare(PUT_STATE).run(`total ${counter}`, JSON.stringify(total)));
  }

  status(): JournalStatus {
    const oldest = this.#attempt(
      () =>
        this.#database?.prepare('SELECT at_ms, clock_ms FROM waiting ORDER BY seq LIMIT 1').get() as
          | Pick<Row, 'at_ms' | 'clock_ms'>
          | undefined,
    );
    let readings = 0;
    for (const count of this.#countOf.values()) readings += count;
    return {
      readings,
      bytes: this.#attempt(() => this.#bytes()) ?? 0,
      oldestMs: oldest?.at_ms ?? this.#pending[0]?.atMs ?? null,
      dropped: this.#gaps.dropped,
      fault: this.#fault,
      gaps: this.#gaps.shown(),
    };
  }

  #use(): void {
    const { file, bootId } = this.#options;
    if (file !== ':memory:') {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      // SQLite would create the file with rights for everybody.
      closeSync(openSync(file, 'a', 0o600));
    }
    const database = new DatabaseSync(file);
    try {
      // Two bridges with one journal would send and remove the readings of each other.
      database.exec(
        'PRAGMA locking_mode = EXCLUSIVE; PRAGMA busy_timeout = 1000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL',
      );
      database.exec(SCHEMA + GAPS_SCHEMA);
      const boot = database.prepare("SELECT value FROM state WHERE key = 'boot'").get()?.['value'];
      if (bootId === null || boot !== bootId) {
        // The boot clock began again, so the times can no longer be compared with it.
        database.exec('UPDATE waiting SET clock_ms = NULL WHERE clock_ms IS NOT NULL');
        database.prepare(PUT_STATE).run('boot', bootId ?? '');
      }
      this.#insert = database.prepare(
        'INSERT INTO waiting (device, at_ms, clock_ms, body) VALUES (?, ?, ?, ?)',
      );
      this.#load(database);
    } catch (error) {
      database.close();
      throw error;
    }
    this.#database = database;
  }

  #load(database: DatabaseSync): void {
    const counts = database.prepare('SELECT device, COUNT(*) AS count FROM waiting GROUP BY device').all();
    this.#countOf = new Map(counts.map(({ device, count }) => [String(device), Number(count)]));
    for (const { deviceId } of this.#pending) this.#count(deviceId, 1);
    this.#gaps.load(database);
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
      if (this.#pending.length > 0 || this.#delivered.size > 0) this.#flushSoon(RETRY_MS);
    }, waitMs);
  }

  #write(): void {
    if (this.#pending.length === 0 && this.#delivered.size === 0) return;
    if (this.#database === null) this.#use();
    this.#deleteDelivered();
    this.#transaction(() => {
      for (const { deviceId, atMs, clockMs, body } of this.#pending)
        this.#insert?.run(deviceId, atMs, clockMs, body);
    });
    this.#pending = [];
    if (this.#bytes() > this.#options.bytesMax) this.#trim();
  }

  /** Deletes delivered readings; it is done before all work that needs space. */
  #deleteDelivered(): void {
    if (this.#delivered.size === 0) return;
    this.#transaction(() => {
      const statement = this.#database?.prepare('DELETE FROM waiting WHERE device = ? AND seq <= ?');
      for (const [deviceId, upTo] of this.#delivered) statement?.run(deviceId, upTo);
    });
    this.#delivered.clear();
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

  /** Returns the size of the file without its free pages. */
  #bytes(): number {
    const pragma = (name: string) =>
      Number(Object.values(this.#database?.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  }

  /** Drops readings that exceed the limits of size or age. */
  trim(): void {
    this.#attempt(() => this.#trim());
  }

  #trim(): void {
    const { hoursMax, bytesMax, now, aheadMs } = this.#options;
    if (this.#database === null) this.#use();
    this.#deleteDelivered();
    if (this.#database !== null) trimGaps(this.#database);
    while (this.#bytes() > bytesMax) if (!this.#dropOldest(null)) break;
    // Readings are dropped by their age only while the time is known to be right.
    if (aheadMs() === null) return;
    const beforeMs = now() - hoursMax * HOUR_MS;
    while (this.#dropOldest(beforeMs));
  }

  /** Drops some of the oldest readings, or only those of them from before `beforeMs`; returns whether there were any. */
  #dropOldest(beforeMs: number | null): boolean {
    let dropped: Reading[] = [];
    this.#transaction(() => {
      const rows = this.#database
        ?.prepare(
          `DELETE FROM waiting WHERE seq IN (SELECT seq FROM waiting ORDER BY seq LIMIT ?)
             AND at_ms + COALESCE(? - clock_ms, 0) < ?
           RETURNING device, at_ms`,
        )
        .all(DROP_AT_ONCE, this.#options.aheadMs(), beforeMs ?? Number.MAX_SAFE_INTEGER);
      dropped = (rows ?? []).map(({ device, at_ms }) => ({
        deviceId: String(device),
        atMs: Number(at_ms),
        clockMs: null,
        body: '',
      }));
    });
    for (const { deviceId } of dropped) this.#count(deviceId, -1);
    this.#giveUp(dropped);
    return dropped.length > 0;
  }

  #giveUp(readings: readonly Reading[]): void {
    const [first] = readings;
    if (first === undefined) return;
    for (const gap of this.#gaps.add(readings))
      this.#attempt(() => (this.#database === null ? undefined : storeGap(this.#database, gap)));
    const nowMs = performance.now();
    if (nowMs - this.#loggedGapMs < MINUTE_MS) return;
    this.#loggedGapMs = nowMs;
    this.#options.log('error', 'readings were given up, because the journal is full', {
      readings: readings.length,
      since: first.atMs,
      inAll: this.#gaps.dropped,
    });
  }

  /** Runs work on the disk. A full or broken disk stops nothing; the fault is logged once, and its end, too. */
  #attempt<T>(work: () => T): T | undefined {
    try {
      const result = work();
      const isWritten = this.#pending.length === 0 && this.#delivered.size === 0;
      if (this.#fault !== null && this.#database !== null && isWritten) {
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
    const fault = messageOf(error);
    if (this.#fault === null)
      this.#options.log('error', 'the journal cannot be written; readings wait in memory', {
        file: this.#options.file,
        fault,
      });
    this.#fault = fault;
    if (isDamaged(error)) this.#putAside();
  }

  /** Keeps an unusable file under another name, for people; the next write begins a new file. */
  #putAside(): void {
    const { file, log, now } = this.#options;
    const aside = `${file}.damaged-${now()}`;
    try {
      this.#database?.close();
      this.#database = null;
      for (const part of ['-wal', '']) renamed(file + part, aside + part);
    } catch (error) {
      log('error', 'the damaged journal cannot be put aside', { file, error: String(error) });
      return;
    }
    let lost = -this.#pending.length;
    for (const count of this.#countOf.values()) lost += count;
    log('error', 'the journal is damaged and was put aside; a new one is begun', { file, aside, lost });
    this.#delivered.clear();
    this.#countOf.clear();
    for (const { deviceId } of this.#pending) this.#count(deviceId, 1);
  }
}

function renamed(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
