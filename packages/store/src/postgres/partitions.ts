import { DAY_MS, toIso } from '@granary/contract/time';
import type { StatementQueue } from './statement-queue.ts';

type Scripts = Pick<StatementQueue, 'script'>;

/** An arbitrary advisory lock number, so that only one node at a time adds a partition. */
const PARTITION_LOCK = 7_281_540_002;

/**
 * Raw readings have one partition per day (UTC), so that expired readings are removed by dropping a table, which costs
 * nothing. The existing days are cached, because every batch needs them.
 */
export class Partitions {
  readonly #knownDays = new Set<number>();

  /** Commits the empty transaction before the batch, so that other nodes do not wait for the new partitions. */
  async prepare(scripts: Scripts, timesMs: Iterable<number>): Promise<void> {
    const days = new Set<number>();
    for (const timeMs of timesMs) days.add(Math.floor(timeMs / DAY_MS));
    const missing = [...days.difference(this.#knownDays)].toSorted((a, b) => a - b);
    if (missing.length === 0) return;
    await scripts.script(`SELECT pg_advisory_xact_lock(${PARTITION_LOCK})`);
    for (const day of missing) {
      await scripts.script(`CREATE TABLE IF NOT EXISTS ${nameOf(day)} PARTITION OF readings
                     FOR VALUES FROM (${day * DAY_MS}) TO (${(day + 1) * DAY_MS})`);
    }
    await scripts.script('COMMIT; BEGIN');
    for (const day of missing) this.#knownDays.add(day);
  }

  /** Drops the oldest day if it ends before the time, and returns the number of dropped days. */
  async dropOldest(scripts: Scripts, beforeMs: number): Promise<number> {
    const { rows } = await scripts.script(
      `SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
       WHERE inhparent = 'readings'::regclass AND relname < '${nameOf(Math.floor(beforeMs / DAY_MS))}'
       ORDER BY relname LIMIT 1`,
    );
    for (const [name] of rows) await scripts.script(`DROP TABLE IF EXISTS ${name}`);
    this.forget();
    return rows.length;
  }

  /** Clears the cache, because another node may have dropped a day. */
  forget(): void {
    this.#knownDays.clear();
  }
}

/** The names sort in the order of their days. */
const nameOf = (day: number): string =>
  `readings_${toIso(day * DAY_MS)
    .slice(0, 10)
    .replaceAll('-', '_')}`;
