import { DAY_MS, toIso } from '@granary/contract/time';
import { BEGIN } from './transaction.ts';

type Execute = (text: string) => Promise<{ readonly rows: readonly (readonly unknown[])[] }>;

/** Only one node at a time may add a day. Any number will do that nothing else in the database locks. */
const PARTITION_LOCK = 7_281_540_002;

/**
 * Raw readings are kept in one partition per day (UTC): what is past its time is then dropped with the table that holds
 * it, at no cost. Which days exist is remembered, because every batch asks.
 */
export class Partitions {
  readonly #knownDays = new Set<number>();

  /** Commits the empty transaction it was called in, so that nobody waits for the new days until the batch is in. */
  async prepare(execute: Execute, timesMs: readonly number[]): Promise<void> {
    const days = new Set<number>();
    for (const timeMs of timesMs) days.add(Math.floor(timeMs / DAY_MS));
    const missing = [...days.difference(this.#knownDays)].toSorted((a, b) => a - b);
    if (missing.length === 0) return;
    await execute(`SELECT pg_advisory_xact_lock(${PARTITION_LOCK})`);
    for (const day of missing) {
      await execute(`CREATE TABLE IF NOT EXISTS ${nameOf(day)} PARTITION OF readings
                     FOR VALUES FROM (${day * DAY_MS}) TO (${(day + 1) * DAY_MS})`);
    }
    await execute(`COMMIT; ${BEGIN}`);
    for (const day of missing) this.#knownDays.add(day);
  }

  /** Drops the oldest day if all of it lies before the time. Answers the number of days dropped. */
  async dropOldest(execute: Execute, beforeMs: number): Promise<number> {
    const { rows } = await execute(
      `SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
       WHERE inhparent = 'readings'::regclass AND relname < '${nameOf(Math.floor(beforeMs / DAY_MS))}'
       ORDER BY relname LIMIT 1`,
    );
    for (const [name] of rows) await execute(`DROP TABLE IF EXISTS ${name}`);
    this.forget();
    return rows.length;
  }

  /** Another node may have dropped a day. */
  forget(): void {
    this.#knownDays.clear();
  }
}

/** Names sort like the days they stand for. */
const nameOf = (day: number): string =>
  `readings_${toIso(day * DAY_MS)
    .slice(0, 10)
    .replaceAll('-', '_')}`;
