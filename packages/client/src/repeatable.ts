/** Whoever sends a request again with the same key gets the first one's answer, and nothing is done twice. */
export interface Repeatable {
  readonly idempotencyKey?: string;
}

export const repeatable = ({ idempotencyKey }: Repeatable = {}): Readonly<Record<string, string>> =>
  idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
