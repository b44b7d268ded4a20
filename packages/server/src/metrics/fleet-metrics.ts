import { setImmediate, setTimeout } from 'node:timers/promises';
import type { App } from '@granary/app/app';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { LATE, within } from '../urgent/within.ts';
import { gauge, type Metric, type Sample } from './exposition.ts';

type Counts = Awaited<ReturnType<typeof readCounts>>;

/** Several readers of the metrics share one look at the storage. */
const FRESH_MS = 5 * SECOND_MS;
/** Up to this age the last counts are answered while they are read again, so that no answer waits for them. */
const USABLE_MS = MINUTE_MS;
const AFTER_ANSWER_MS = 50;
/** Shorter than the time limit of a scrape, so that the other figures are answered while the storage hangs. */
const READ_MS_MAX = 2 * SECOND_MS;

/** The numbers of devices, open alerts and unfinished jobs, from the storage. */
export class FleetMetrics {
  readonly #app: App;
  readonly #now: () => number;
  #last: { readonly counts: Counts; readonly readAtMs: number } | null = null;
  #reading: Promise<Counts> | null = null;

  constructor(app: App, now: () => number) {
    this.#app = app;
    this.#now = now;
  }

  /** Without the counts while the storage does not answer. */
  async metrics(): Promise<Metric[]> {
    const counts = await within(READ_MS_MAX, this.#counts()).catch(() => null);
    const isReadable = counts !== null && counts !== LATE;
    const readable = gauge(
      'granary_storage_readable',
      'Whether the storage answered the last question of the metrics.',
      isReadable ? 1 : 0,
    );
    return isReadable ? [readable, ...metricsOf(counts)] : [readable];
  }

  async #counts(): Promise<Counts> {
    const ageMs = this.#last === null ? Number.POSITIVE_INFINITY : performance.now() - this.#last.readAtMs;
    if (this.#last !== null && ageMs <= FRESH_MS) return this.#last.counts;
    const isUsable = this.#last !== null && ageMs <= USABLE_MS;
    this.#reading ??= this.#read(isUsable ? AFTER_ANSWER_MS : 0).finally(() => {
      this.#reading = null;
    });
    if (this.#last === null || !isUsable) return await this.#reading;
    // The answer after the next one shows whether the storage still answers.
    this.#reading.catch(() => undefined);
    return this.#last.counts;
  }

  async #read(delayMs: number): Promise<Counts> {
    await setTimeout(delayMs, undefined, { ref: false });
    const counts = await readCounts(this.#app, this.#now());
    this.#last = { counts, readAtMs: performance.now() };
    return counts;
  }
}

/** Lets other work run between the reads, because SQLite reads in this thread. */
async function readCounts({ fleet }: App, nowMs: number) {
  const devices = await fleet.countDevices(nowMs);
  await setImmediate();
  const alerts = await fleet.countAlerts();
  await setImmediate();
  const jobs = await fleet.countJobs();
  await setImmediate();
  return { devices, alerts, ...jobs, ...(await fleet.countMessages()) };
}

function metricsOf(counts: Counts): Metric[] {
  const { devices, alerts, operations, commands, missions, deliveries, notifications } = counts;
  const byStatus = (rows: readonly (readonly [status: string, count: number])[]): Sample[] =>
    rows.map(([status, value]) => ({ labels: { status }, value }));
  return [
    gauge(
      'granary_devices',
      'Registered devices by profile and status.',
      devices.map(([profile, status, value]) => ({ labels: { profile, status }, value })),
    ),
    gauge(
      'granary_open_alerts',
      'Open alerts that are not shelved.',
      alerts.map(([type, severity, status, value]) => ({ labels: { type, severity, status }, value })),
    ),
    gauge('granary_operations', 'Operations that have not ended.', byStatus(operations)),
    gauge('granary_commands', 'Commands that have not ended.', byStatus(commands)),
    gauge('granary_missions', 'Missions that have not ended.', byStatus(missions)),
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
