import { Histogram, type HistogramFigures } from '../../process/metrics/exposition.ts';

/** Counts messages of devices since the start of the service; each fault is also logged. */
export interface IngestCounters {
  storedMessages: number;
  storedReadings: number;
  /** Readings per transaction, and the time in seconds until it was on disk. */
  readonly batchReadings: Histogram;
  readonly batchSeconds: Histogram;
  /** Messages that were rejected, completely or in part. */
  rejectedMessages: number;
  /** Messages that made their batch fail; the others of the batch were stored. */
  unstorableArrivals: number;
  /** Replies that could not be processed because of a fault of the service. */
  failedReplies: number;
  /** Attempts to write that failed because the storage was not available. */
  storageFaults: number;
  /** Messages that were refused, closing their connection, because too many waited for the storage. */
  refusedWhenFull: number;
  /** Lines that were not logged because their device had reached its limit. */
  suppressedLogLines: number;
}

const BATCH_READINGS_BOUNDS = [1, 10, 50, 100, 500, 1_000, 2_500, 5_000];
const BATCH_SECONDS_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export const newIngestCounters = (): IngestCounters => ({
  storedMessages: 0,
  storedReadings: 0,
  batchReadings: new Histogram(BATCH_READINGS_BOUNDS),
  batchSeconds: new Histogram(BATCH_SECONDS_BOUNDS),
  rejectedMessages: 0,
  unstorableArrivals: 0,
  failedReplies: 0,
  storageFaults: 0,
  refusedWhenFull: 0,
  suppressedLogLines: 0,
});

/** The counters as data that can pass between threads. */
export type IngestCounts = {
  readonly [Name in keyof IngestCounters]: IngestCounters[Name] extends Histogram ? HistogramFigures : number;
};

export const countsOf = (counters: IngestCounters): IngestCounts => ({
  ...counters,
  batchReadings: counters.batchReadings.figures,
  batchSeconds: counters.batchSeconds.figures,
});

export function sumOf(all: readonly IngestCounts[]): IngestCounters {
  const sum = newIngestCounters();
  for (const { batchReadings, batchSeconds, ...counts } of all) {
    sum.batchReadings.add(batchReadings);
    sum.batchSeconds.add(batchSeconds);
    sum.storedMessages += counts.storedMessages;
    sum.storedReadings += counts.storedReadings;
    sum.rejectedMessages += counts.rejectedMessages;
    sum.unstorableArrivals += counts.unstorableArrivals;
    sum.failedReplies += counts.failedReplies;
    sum.storageFaults += counts.storageFaults;
    sum.refusedWhenFull += counts.refusedWhenFull;
    sum.suppressedLogLines += counts.suppressedLogLines;
  }
  return sum;
}
