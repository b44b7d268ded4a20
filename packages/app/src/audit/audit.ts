import type { ErrorCode } from '@granary/contract/errors';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { useConfirmation } from '../confirmations.ts';
import { type Committed, committed } from '../effects.ts';
import { keptFor } from '../slice.ts';
import { longWrite, type Transaction, together } from '../transaction.ts';
import {
  type Attempt,
  type AuditFilter,
  type AuditOutcome,
  type AuditPosition,
  type AuditRow,
  addEntry,
  expireEntries,
  listEntries,
  removeEntry,
  saveEntry,
} from './audit-rows.ts';

/** Refused attempts with the same caller, action, device and error code. */
export interface RefusedAttempts {
  /** The first of these attempts. */
  readonly attempt: Attempt;
  readonly code: ErrorCode;
  readonly count: number;
}

/**
 * Carries out a write and enters it in the same transaction. The entry comes first, as in the lock order of all writes. A write
 * that finds nothing (`undefined`) has changed nothing and is not entered; a write with several changes has a further entry for
 * each.
 */
export async function enterChange(
  sql: Sql,
  attempt: Attempt,
  write: () => Promise<Committed<unknown>>,
): Promise<Committed<unknown>> {
  if (attempt.confirmation !== undefined) await useConfirmation(sql, attempt.confirmation, attempt.atMs);
  // The statement of the entry is sent first; the write does not depend on its result.
  const [isNew, done] = await together([saveEntry(sql, attempt, DONE), write()]);
  const { result, effects, audited = [] } = done;
  if (isNew && (result === undefined || audited === 'nothing')) await removeEntry(sql, attempt.attemptId);
  if (isNew && audited !== 'nothing') {
    for (const [index, change] of audited.entries()) {
      const entry = { ...attempt, ...change, attemptId: `${attempt.attemptId}_${index + 1}` };
      // Every hundredth entry is awaited, so that other work can run and the storage does not take a long write for a hung one.
      await (index % ENTRIES_PER_STEP === 0 ? saveEntry : addEntry)(sql, entry, DONE);
    }
  }
  return { result, effects };
}

const ENTRIES_PER_STEP = 100;
const DONE: AuditOutcome = { result: 'done', code: null, count: 1 };

export const reads = {
  /** Lists the entries, newest first. */
  list: (sql: Sql, filter: AuditFilter, before: AuditPosition | null, limit: number): Promise<AuditRow[]> =>
    listEntries(sql, filter, before, limit),
};

export const expiry = keptFor('auditRetentionDays');

export const writes = {
  /** A repetition with the same ids raises the counts. */
  async refused(tx: Transaction, refusals: readonly RefusedAttempts[]): Promise<Committed<undefined>> {
    // The order of the ids ensures that two nodes never wait for each other.
    for (const { attempt, code, count } of refusals.toSorted(byId)) {
      await saveEntry(tx.sql, attempt, { result: 'refused', code, count });
    }
    return committed(undefined);
  },

  expire: longWrite(async (tx, expiry: Expiry) => committed(await expireEntries(tx.sql, expiry))),
};

const byId = (a: RefusedAttempts, b: RefusedAttempts): number =>
  a.attempt.attemptId < b.attempt.attemptId ? -1 : 1;
