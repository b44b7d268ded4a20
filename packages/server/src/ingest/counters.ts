/** What went wrong with messages from devices since the service started. Every such case is also logged. */
export interface IngestCounters {
  /** Messages of which nobody could use all, or anything. */
  rejectedMessages: number;
  /** Arrivals that made their batch fail; the others of that batch were stored. */
  unstorableArrivals: number;
  /** Replies that could not be processed by our fault. */
  failedReplies: number;
  /** Attempts to write that the storage could not take. */
  storageFaults: number;
  /** Messages refused, with their connection, because too much waited for the storage already. */
  refusedWhenFull: number;
  /** Lines that were not logged because their device had used up its share. */
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
