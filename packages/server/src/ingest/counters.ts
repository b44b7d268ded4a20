/** Counts faults in messages of devices since the start of the service; each of them is also logged. */
export interface IngestCounters {
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

export const newIngestCounters = (): IngestCounters => ({
  rejectedMessages: 0,
  unstorableArrivals: 0,
  failedReplies: 0,
  storageFaults: 0,
  refusedWhenFull: 0,
  suppressedLogLines: 0,
});
