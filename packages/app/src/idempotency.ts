import { Refusal } from '@granary/contract/errors';
import { DAY_MS } from '@granary/contract/time';
import { documentKind } from '@granary/core/documents/versioned';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import {
  claimEntry,
  expireEntries,
  findEntry,
  removeEntry,
  saveResult,
} from '@granary/store/tables/idempotency';
import { type Committed, committed } from './effects.ts';

/** How long a repeated request is answered with the first answer. */
export const REMEMBERED_MS = DAY_MS;

/** A result that changes its shape needs an upgrade: those of the last 24 hours are still answered. */
const RESULT_DOCUMENT = documentKind<{ readonly result: unknown }>([], ({ result }) => ({ result }));

/** Before results had a version they were stored as they are, which may be any JSON value. */
const asDocument = (text: string): string => (text.startsWith('{"v":') ? text : `{"v":0,"result":${text}}`);

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
  return { ...RESULT_DOCUMENT.read(asDocument(result)), encryptedSecret, replayed: true };
}

export const reads = {};

export const writes = {
  async expire(sql: Sql, expiry: Expiry): Promise<Committed<number>> {
    return committed(await expireEntries(sql, expiry));
  },
};
