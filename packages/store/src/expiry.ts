/** Removes what is older than a time, at most so many rows in one call, so that other writes are not held up for long. */
export interface Expiry {
  readonly beforeMs: number;
  readonly rowsMax: number;
}
