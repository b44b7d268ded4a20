import { DAY_MS, toIso } from '@granary/contract/time';
import type { StatementQueue } from './statement-queue.ts';

type Scripts = Pick<StatementQueue, 'script'>;

/** An arbitrary advisory lock number, so that only one node at a time adds a partition. */
const PARTITION_LOCK = 7_281_540_002;

/** The number of days after today that have a partition in advance. */
const DAYS_AHEAD = 3;

/** Finds the days that are partitions, and the tables of days that were detached or are not attached yet. */
const FIND_PARTITIONS = `
  SELECT relname, inhrelid IS NOT NULL, COALESCE(inhdetachpending, false)
  FROM pg_class LEFT JOIN pg_inherits ON inhrelid = pg_class.oid
  WHERE relkind = 'r' AND relname ~ '^readings_[0-9]{4}_[0-9]{2}_[0-9]{2}$'
    AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'readings'::regclass)
  ORDER BY relname`;

export interface StoredDay {
  /** The names sort in the order of their days. */
  readonly name: string;
  readonly isAttached: boolean;
  /** True if an attempt to detach the day was interrupted. */
  readonly isHalfDetached: boolean;
}

/**
 * Raw readings have one partition per day (UTC), so that expired readings are removed by dropping a table, which costs nothing.
 * The existing days are cached, because every batch needs them. A table is created first and then attached: attaching takes no
 * lock that has to wait for a dump, which reads all tables as long as it runs.
 */
export class Partitions {
  readonly #knownDays = new Set<number>();
  #isDropPostponed = false;
  #dayToDrop: StoredDay | null = null;

  /** Commits the empty transaction before the batch, so that other nodes do not wait for the new partitions. */
  async prepare(scripts: Scripts, timesMs: Iterable<number>): Promise<void> {
    const days = new Set<number>();
    for (const timeMs of timesMs) days.add(Math.floor(timeMs / DAY_MS));
    const missing = [...days.difference(this.#knownDays)];
    if (missing.length === 0) return;
    await this.#create(scripts, missing);
    await scripts.script('COMMIT; BEGIN');
    for (const day of missing) this.#knownDays.add(day);
  }

  /** Creates the partitions of today and of the next days, in a transaction of its own. */
  async prepareAhead(scripts: Scripts, nowMs: number): Promise<void> {
    const today = Math.floor(nowMs / DAY_MS);
    await this.#create(
      scripts,
      Array.from({ length: DAYS_AHEAD + 1 }, (_, n) => today + n),
    );
  }

  /** Finds the oldest day if it ends before the time, and returns the number of days to drop; they are dropped after the commit. */
  async markOldest(scripts: Scripts, beforeMs: number): Promise<number> {
    const isPostponed = this.#isDropPostponed;
    this.#isDropPostponed = false;
    if (isPostponed) return 0;
    const end = nameOf(Math.floor(beforeMs / DAY_MS));
    this.#dayToDrop = (await storedDays(scripts)).find(({ name }) => name < end) ?? null;
    return this.#dayToDrop === null ? 0 : 1;
  }

  takeDayToDrop(): StoredDay | null {
    const day = this.#dayToDrop;
    this.#dayToDrop = null;
    return day;
  }

  /** Makes the next `markOldest` return 0, so that the removal of old data continues with something else. */
  postponeDrop(): void {
    this.#isDropPostponed = true;
  }

  /** Clears the cache, because a node may have dropped a day. */
  forget(): void {
    this.#knownDays.clear();
  }

  async #create(scripts: Scripts, days: readonly number[]): Promise<void> {
    if ((await missingDays(scripts, days)).length === 0) return;
    await scripts.script(`SELECT pg_advisory_xact_lock(${PARTITION_LOCK})`);
    for (const day of await missingDays(scripts, days)) {
      const name = nameOf(day);
      await scripts.script(`CREATE TABLE IF NOT EXISTS ${name} (LIKE readings INCLUDING ALL);
        ALTER TABLE readings ATTACH PARTITION ${name} FOR VALUES FROM (${day * DAY_MS}) TO (${(day + 1) * DAY_MS})`);
    }
  }
}

async function missingDays(scripts: Scripts, days: readonly number[]): Promise<number[]> {
  const attached = new Set(
    (await storedDays(scripts)).flatMap(({ name, isAttached }) => (isAttached ? name : [])),
  );
  return days.filter((day) => !attached.has(nameOf(day))).toSorted((a, b) => a - b);
}

async function storedDays(scripts: Scripts): Promise<StoredDay[]> {
  const { rows } = await scripts.script(FIND_PARTITIONS);
  return rows.map(([name, isAttached, isHalfDetached]) => ({
    name: String(name),
    isAttached: isAttached === true,
    isHalfDetached: isHalfDetached === true,
  }));
}

const nameOf = (day: number): string =>
  `readings_${toIso(day * DAY_MS)
    .slice(0, 10)
    .replaceAll('-', '_')}`;
