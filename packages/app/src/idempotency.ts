import { Refusal } from '@granary/contract/errors';
import { DAY_MS } from '@granary/contract/time';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed } from './effects.ts';

/** How long a repeated request is answered with the first answer. */
export const REMEMBERED_MS = DAY_MS;

/** What a caller asks to be done once only. */
export interface IdempotencyKey {
  /** The API key of the caller: callers do not share their names for requests. */
  readonly keyId: string;
  /** The caller's name for the request. */
  readonly key: string;
  /** Tells whether a request of that name is still the same. */
  readonly fingerprint: string;
  readonly nowMs: number;
  /** Kept beside the result and given back with it, unread. */
  readonly encryptedSecret: string | null;
}

export interface IdempotentResult<Result> {
  readonly result: Result;
  readonly encryptedSecret: string | null;
  /** Nothing was done this time: it is what the first request led to. */
  readonly replayed: boolean;
}

type EntryRow = [fingerprint: string, result: string | null, encryptedSecret: string | null];

/**
 * Does the work if the request is new and remembers what came of it, all in one transaction: a crash leaves both or
 * neither. Of two at once the second waits for the first, because both want the same row. Work that is refused or finds
 * nothing to do (`undefined`) is not remembered. The effects belong to the first request: a repetition has none.
 */
export async function runOnce(
  sql: Sql,
  request: IdempotencyKey,
  work: () => Promise<Committed<unknown>>,
): Promise<Committed<IdempotentResult<unknown>>> {
  if (!(await claim(sql, request))) return committed(await storedResult(sql, request));
  const { result, effects } = await work();
  if (result === undefined) {
    await sql.run('DELETE FROM idempotency WHERE key_id = $1 AND idempotency_key = $2', [
      request.keyId,
      request.key,
    ]);
  } else {
    await sql.run('UPDATE idempotency SET result = $3 WHERE key_id = $1 AND idempotency_key = $2', [
      ...[request.keyId, request.key, JSON.stringify(result)],
    ]);
  }
  return { result: { result, encryptedSecret: request.encryptedSecret, replayed: false }, effects };
}

async function claim(
  sql: Sql,
  { keyId, key, fingerprint, nowMs, encryptedSecret }: IdempotencyKey,
): Promise<boolean> {
  const claimed = await sql.run(
    `INSERT INTO idempotency (key_id, idempotency_key, fingerprint, created_at_ms, encrypted_secret)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (key_id, idempotency_key) DO UPDATE
       SET fingerprint = excluded.fingerprint, created_at_ms = excluded.created_at_ms,
           result = NULL, encrypted_secret = excluded.encrypted_secret
       WHERE idempotency.created_at_ms <= $6`,
    [keyId, key, fingerprint, nowMs, encryptedSecret, nowMs - REMEMBERED_MS],
  );
  return claimed === 1;
}

async function storedResult(
  sql: Sql,
  { keyId, key, fingerprint }: IdempotencyKey,
): Promise<IdempotentResult<unknown>> {
  const [entry] = await sql.query<EntryRow>(
    'SELECT fingerprint, result, encrypted_secret FROM idempotency WHERE key_id = $1 AND idempotency_key = $2',
    [keyId, key],
  );
  if (entry === undefined) {
    throw new Refusal('idempotency_in_progress', 'a request of this name was given up just now; try again');
  }
  const [stored, result, encryptedSecret] = entry;
  if (stored !== fingerprint) {
    throw new Refusal('idempotency_key_reused', 'the Idempotency-Key was used for another request');
  }
  if (result === null) throw new Refusal('idempotency_in_progress', 'a request of this name is under way');
  return { result: JSON.parse(result), encryptedSecret, replayed: true };
}

export const reads = {};

export const writes = {
  /** Forgets some of the oldest and answers how many. */
  async expire(
    sql: Sql,
    { beforeMs, rowsMax }: { beforeMs: number; rowsMax: number },
  ): Promise<Committed<number>> {
    const removed = await sql.run(
      `DELETE FROM idempotency WHERE (key_id, idempotency_key) IN (
         SELECT key_id, idempotency_key FROM idempotency WHERE created_at_ms < $1 ORDER BY created_at_ms LIMIT $2
       )`,
      [beforeMs, rowsMax],
    );
    return committed(removed);
  },
};
