import { setImmediate } from 'node:timers/promises';
import type { App } from '@granary/app/app';

/** The reads of the storage that the metrics need. */
export type CountReads = Pick<App['fleet'], 'countDevices' | 'countAlerts' | 'countJobs' | 'countMessages'>;
export type FleetCounts = Awaited<ReturnType<typeof readCounts>>;

/** SQLite counts so many rows in about a millisecond, for which it blocks the main thread. */
const ROWS_PER_PART = 1_000;

/** Lets other work run between the reads, because SQLite reads in this thread. */
export async function readCounts(fleet: CountReads, nowMs: number, rowsMax = ROWS_PER_PART) {
  const devices = await inParts((after) => fleet.countDevices(nowMs, { after, rowsMax }));
  const alerts = await inParts((after) => fleet.countAlerts({ after, rowsMax }));
  const jobs = await fleet.countJobs();
  await setImmediate();
  return { devices, alerts, ...jobs, ...(await fleet.countMessages()) };
}

type Count = [...labels: string[], count: number];

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
      const labels = row.slice(0, -1).join('\n');
      const known = sums.get(labels);
      if (known === undefined) sums.set(labels, row);
      else known[known.length - 1] = Number(known.at(-1)) + Number(row.at(-1));
    }
    after = next;
    await setImmediate();
  }
  return [...sums.values()];
}
