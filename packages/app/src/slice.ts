import { DAY_MS } from '@granary/contract/time';

/** For how many days the service keeps what its slices store. */
export interface KeptDays {
  readonly rawRetentionDays: number;
  readonly fiveMinuteRetentionDays: number;
  readonly eventRetentionDays: number;
  readonly jobRetentionDays: number;
  readonly alertRetentionDays: number;
  readonly auditRetentionDays: number;
}

/** What a slice says of itself. Its functions are called by their names, so each has its own type of arguments and results. */
export interface Slice {
  /** Functions of the database handle. */
  readonly reads: object;
  /** Functions of a transaction; each is one transaction. */
  readonly writes: object;
  /** What a write of the same name needs first in its transaction. */
  readonly preparations?: object;
  /** Says what is too old at a time. A worker passes this, with a number of rows, to the write `expire` until nothing is left. */
  readonly expiry?: (kept: KeptDays, nowMs: number) => object;
}

/** The expiry of a slice whose records are kept for a number of days. */
export const keptFor =
  (days: keyof KeptDays) =>
  (kept: KeptDays, nowMs: number): { readonly beforeMs: number } => ({
    beforeMs: nowMs - kept[days] * DAY_MS,
  });
