import type { Expiry } from '../expiry.ts';
import type { Sql } from '../sql.ts';

export interface IdempotencyEntry {
  /** The API key of the caller. */
  readonly keyId: string;
  /** The value of the header `Idempotency-Key`. */
  readonly key: string;
  readonly fingerprint: string;
  readonly nowMs: number;
  readonly encryptedSecret: string | null;
}

type EntryAddress = Pick<IdempotencyEntry, 'keyId' | 'key'>;

export interface StoredResult {
  readonly fingerprint: string;
  /** As JSON; `null` while the request is being carried out. */
  readonly result: string | null;
  readonly encryptedSecret: string | null;
}

/** Replaces an entry that was created before `replaceableBeforeMs`; returns whether the row was written. */
export async function claimEntry(
  sql: Sql,
  { keyId, key, fingerprint, nowMs, encryptedSecret }: IdempotencyEntry,
  replaceableBeforeMs: number,
): Promise<boolean> {
  const claimed = await sql.run(
    `INSERT INTO idempotency (key_id, idempotency_key, fingerprint, created_at_ms, encrypted_secret)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (key_id, idempotency_key) DO UPDATE
       SET fingerprint = excluded.fingerprint, created_at_ms = excluded.created_at_ms,
           result = NULL, encrypted_secret = excluded.encrypted_secret
       WHERE idempotency.created_at_ms <= $6`,
    [keyId, key, fingerprint, nowMs, encryptedSecret, replaceableBeforeMs],
  );
  return claimed === 1;
}

export async function removeEntry(sql: Sql, { keyId, key }: EntryAddress): Promise<void> {
  await sql.run('DELETE FROM idempotency WHERE key_id = $1 AND idempotency_key = $2', [keyId, key]);
}

export async function saveResult(sql: Sql, { keyId, key }: EntryAddress, result: string): Promise<void> {
  await sql.run('UPDATE idempotency SET result = $3 WHERE key_id = $1 AND idempotency_key = $2', [
    keyId,
    key,
    result,
  ]);
}

export async function findEntry(sql: Sql, { keyId, key }: EntryAddress): Promise<StoredResult | undefined> {
  const [row] = await sql.query<[fingerprint: string, result: string | null, encryptedSecret: string | null]>(
    'SELECT fingerprint, result, encrypted_secret FROM idempotency WHERE key_id = $1 AND idempotency_key = $2',
    [keyId, key],
  );
  if (row === undefined) return undefined;
  const [fingerprint, result, encryptedSecret] = row;
  return { fingerprint, result, encryptedSecret };
}

/** Removes a limited number of the oldest rows and returns how many. */
export async function expireEntries(sql: Sql, { beforeMs, rowsMax }: Expiry): Promise<number> {
  return await sql.run(
    `DELETE FROM idempotency WHERE (key_id, idempotency_key) IN (
       SELECT key_id, idempotency_key FROM idempotency WHERE created_at_ms < $1 ORDER BY created_at_ms LIMIT $2
     )`,
    [beforeMs, rowsMax],
  );
}
