import { setImmediate } from 'node:timers/promises';
import type { App } from '@granary/app/app';
import { LATE, within } from '@granary/common/within';
import type { CommandStatus } from '@granary/contract/commands';
import type { MissionStatus } from '@granary/contract/missions';
import type { OperationStatus } from '@granary/contract/operations';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { gauge, type Metric, type Sample } from '../../process/metrics/exposition.ts';

/** The number of rows that SQLite counts in about a millisecond, during which it blocks the main thread. */
const ROWS_PER_PART = 1_000;

/** The counts are read at this interval while somebody reads the metrics; a request waits for a read only when they are too old. */
const REFRESH_MS = 5 * SECOND_MS;
/** Without a request for this long, the counts are not read any more; the usual intervals of Prometheus are shorter. */
const UNUSED_MS_MAX = 3 * MINUTE_MS;
/** Counts that are older than this are not answered. */
const AGE_MS_MAX = 10 * SECOND_MS;
/** This is shorter than the time limit of a scrape, so that the other figures are answered while the storage hangs. */
const READ_MS_MAX = 2 * SECOND_MS;

interface Clocks {
  readonly now: () => number;
  /** A clock that is never set. */
  readonly monotonicMs: () => number;
}

interface DatedCounts {
  readonly counts: FleetCounts;
  /** The time at which the read began, so that the age is never shown as less than it is. */
  readonly atMs: number;
}

/** The numbers of devices, open alerts and unfinished jobs, from the storage. */
export class FleetMetrics {
  readonly #fleet: CountReads;
  readonly #clocks: Clocks;
  #last: DatedCounts | null = null;
  #reading: Promise<DatedCounts> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #usedAtMs = 0;

  constructor(fleet: CountReads, clocks: Clocks) {
    this.#fleet = fleet;
    this.#clocks = clocks;
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** The metrics; the counts are left out while the storage does not answer. */
  async metrics(): Promise<Metric[]> {
    this.#usedAtMs = this.#clocks.monotonicMs();
    this.#timer ??= setInterval(() => this.#refresh(), REFRESH_MS).unref();
    const last =
      this.#youngEnough() ?? (await within(READ_MS_MAX, this.#read()).catch((): typeof LATE => LATE));
    const isReadable = last !== LATE;
    const readable = gauge(
      'granary_storage_readable',
      'Whether the storage answered the last question of the metrics.',
      isReadable ? 1 : 0,
    );
    if (!isReadable) return [readable];
    const age = gauge(
      'granary_storage_counts_age_seconds',
      'Age of the numbers of devices, alerts, jobs, deliveries and notifications.',
      this.#ageMs(last) / SECOND_MS,
    );
    return [readable, age, ...metricsOf(last.counts)];
  }

  #ageMs({ atMs }: DatedCounts): number {
    return this.#clocks.monotonicMs() - atMs;
  }

  #youngEnough(): DatedCounts | null {
    return this.#last !== null && this.#ageMs(this.#last) <= AGE_MS_MAX ? this.#last : null;
  }

  #refresh(): void {
    if (this.#clocks.monotonicMs() - this.#usedAtMs > UNUSED_MS_MAX) this.stop();
    // The next answer shows the failure.
    else this.#read().catch(() => undefined);
  }

  /** Several callers share one read. */
  #read(): Promise<DatedCounts> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readNow(): Promise<DatedCounts> {
    const atMs = this.#clocks.monotonicMs();
    try {
      this.#last = { counts: await readCounts(this.#fleet, this.#clocks.now()), atMs };
      return this.#last;
    } catch (error) {
      this.#last = null;
      throw error;
    }
  }
}

type StatusCounts = readonly { readonly status: string; readonly count: number }[];

/** Jobs are counted as 0 where there are none, so that a panel shows 0 and not that it has no data. */
const OPEN_OPERATIONS = ['started', 'in_progress', 'stopping', 'unconfirmed'] satisfies OperationStatus[];
const OPEN_COMMANDS = ['queued', 'sent', 'executing'] satisfies CommandStatus[];
const OPEN_MISSIONS = ['scheduled', 'dispatched', 'in_progress', 'paused'] satisfies MissionStatus[];

function metricsOf(counts: FleetCounts): Metric[] {
  const { devices, alerts, operations, commands, missions, deliveries, notifications } = counts;
  const byStatus = (rows: StatusCounts, always: readonly string[] = []): Sample[] =>
    [...new Set([...always, ...rows.map(({ status }) => status)])].map((status) => ({
      labels: { status },
      value: rows.find((row) => row.status === status)?.count ?? 0,
    }));
  return [
    gauge(
      'granary_devices',
      'Registered devices by profile and status.',
      devices.map(({ profile, status, count }) => ({ labels: { profile, status }, value: count })),
    ),
    gauge(
      'granary_open_alerts',
      'Open alerts that are not shelved.',
      alerts.map(({ type, severity, status, count }) => ({
        labels: { type, severity, status },
        value: count,
      })),
    ),
    gauge('granary_operations', 'Operations that have not ended.', byStatus(operations, OPEN_OPERATIONS)),
    gauge('granary_commands', 'Commands that have not ended.', byStatus(commands, OPEN_COMMANDS)),
    gauge('granary_missions', 'Missions that have not ended.', byStatus(missions, OPEN_MISSIONS)),
    gauge(
      'granary_webhook_deliveries',
      'Deliveries to webhooks that wait, and those that were given up.',
      byStatus(deliveries),
    ),
    gauge(
      'granary_notifications',
      'Notifications that wait to be sent, and those that were given up.',
      byStatus(notifications),
    ),
  ];
}

/** The reads of the storage that the metrics need. */
export type CountReads = Pick<App['fleet'], 'countDevices' | 'countAlerts' | 'countJobs' | 'countMessages'>;

type FleetCounts = Awaited<ReturnType<typeof readCounts>>;

/** Lets other work run between the reads, because SQLite reads in this thread. */
async function readCounts(fleet: CountReads, nowMs: number, rowsMax = ROWS_PER_PART) {
  const devices = await inParts((after) => fleet.countDevices(nowMs, { after, rowsMax }));
  const alerts = await inParts((after) => fleet.countAlerts({ after, rowsMax }));
  const jobs = await fleet.countJobs();
  await setImmediate();
  return { devices, alerts, ...jobs, ...(await fleet.countMessages()) };
}

interface Count {
  readonly count: number;
}

interface Part<Row extends Count> {
  readonly counts: readonly Row[];
  readonly next: number | null;
}

/** Adds up the counts of all parts, because a metric has one value for the same labels. */
async function inParts<Row extends Count>(read: (after: number) => Promise<Part<Row>>): Promise<Row[]> {
  const sums = new Map<string, Row>();
  for (let after: number | null = 0; after !== null; ) {
    const { counts, next }: Part<Row> = await read(after);
    for (const row of counts) {
      const labels = JSON.stringify({ ...row, count: 0 });
      sums.set(labels, { ...row, count: row.count + (sums.get(labels)?.count ?? 0) });
    }
    after = next;
    await setImmediate();
  }
  return [...sums.values()];
}
