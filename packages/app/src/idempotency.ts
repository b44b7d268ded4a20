import { Refusal } from '@granary/contract/errors';
import { DAY_MS } from '@granary/contract/time';
import { documentKind } from '@granary/core/documents';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed } from './effects.ts';
import { longWrite } from './transaction.ts';

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
  /** The result as JSON; `null` while the request is being carried out. */
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
  const [row] = await sql.query<StoredResult>(
    'SELECT fingerprint, result, encrypted_secret FROM idempotency WHERE key_id = $1 AND idempotency_key = $2',
    [keyId, key],
  );
  return row;
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

/** How long the first answer is repeated. */
export const REMEMBERED_MS = DAY_MS;

/** A result whose shape changes needs an upgrade, because results of the last 24 hours are still returned. */
const RESULT_DOCUMENT = documentKind<{ readonly result: unknown }>([]);

/** The idempotency key of a request. */
export interface IdempotencyKey {
  /** The API key of the caller, because different callers may use the same idempotency key. */
  readonly keyId: string;
  /** The value of the header `Idempotency-Key`. */
  readonly key: string;
  /** A hash of the request, to detect another request with the same key. */
  readonly fingerprint: string;
  readonly nowMs: number;
  /** Stored with the result and returned unchanged. */
  readonly encryptedSecret: string | null;
}

export interface IdempotentResult<Result> {
  readonly result: Result;
  readonly encryptedSecret: string | null;
  /** True if nothing was done now, and this is the result of the first request. */
  readonly replayed: boolean;
}

/**
 * Runs the work of a new request and stores its result in the same transaction, so that a crash leaves both or neither. If two
 * such requests arrive at the same time, the second waits for the first, because both lock the same row. The result of work
 * that is refused or finds nothing (`undefined`) is not stored. The effects belong to the first request: a repetition has none.
 */
export async function runOnce(
  sql: Sql,
  request: IdempotencyKey,
  work: () => Promise<Committed<unknown>>,
): Promise<Committed<IdempotentResult<unknown>>> {
  const isClaimed = await claimEntry(sql, request, request.nowMs - REMEMBERED_MS);
  if (!isClaimed) return committed(await storedResult(sql, request));
  const { result, effects } = await work();
  if (result === undefined) await removeEntry(sql, request);
  else await saveResult(sql, request, RESULT_DOCUMENT.write({ result }));
  return { result: { result, encryptedSecret: request.encryptedSecret, replayed: false }, effects };
}

async function storedResult(sql: Sql, request: IdempotencyKey): Promise<IdempotentResult<unknown>> {
  const entry = await findEntry(sql, request);
  if (entry === undefined) {
    throw new Refusal('idempotency_in_progress', 'a request of this name was given up just now; try again');
  }
  const { fingerprint, result, encryptedSecret } = entry;
  if (fingerprint !== request.fingerprint) {
    throw new Refusal('idempotency_key_reused', 'the Idempotency-Key was used for another request');
  }
  if (result === null) throw new Refusal('idempotency_in_progress', 'a request of this name is under way');
  return { ...RESULT_DOCUMENT.read(result), encryptedSecret, replayed: true };
}

export const reads = {};

export const expiry = (_kept: object, nowMs: number): Pick<Expiry, 'beforeMs'> => ({
  beforeMs: nowMs - REMEMBERED_MS,
});

export const writes = {
  expire: longWrite(async (tx, expiry: Expiry) => committed(await expireEntries(tx.sql, expiry))),
};
