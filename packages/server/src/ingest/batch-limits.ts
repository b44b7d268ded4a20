/** How telemetry is divided into transactions. */
export interface BatchLimits {
  readonly readings: number;
  /** Batches that may be under way at the same time while enough messages wait to fill a further one. */
  readonly underWay: number;
}

/**
 * The writer of SQLite puts as many of these into one commit as it can write in 10 ms. A stop waits for the running one
 * only, so a batch has few readings: about 5 ms of work.
 */
export const SQLITE_BATCHES: BatchLimits = { readings: 500, underWay: 4 };
/** Stops have connections of their own here, and a batch costs many round trips. */
export const POSTGRES_BATCHES: BatchLimits = { readings: 5_000, underWay: 2 };
