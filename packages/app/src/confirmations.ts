import { Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/codes';
import type { StoredConfirmation } from '@granary/core/confirmations';
import { canAccess, limitsWith, type Place } from '@granary/core/keys';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed } from './effects.ts';
import { requireOwn } from './rights.ts';
import { type CheckedSecret, refuseChanged } from './session/checked-secret.ts';
import type { Transaction } from './transaction.ts';

interface ConfirmationRow extends Omit<StoredConfirmation, 'confirmedBy'> {
  readonly confirmedBy: string;
}

export const reads = {
  async find(sql: Sql, hash: string): Promise<StoredConfirmation | undefined> {
    const [row] = await sql.query<ConfirmationRow>(
      'SELECT hash, key_id, digest, confirmed_by, expires_at_ms FROM confirmations WHERE hash = $1',
      [hash],
    );
    return row && { ...row, confirmedBy: JSON.parse(row.confirmedBy) };
  },
};

export const writes = {
  async create(
    tx: Transaction,
    confirmation: StoredConfirmation,
    place: Place,
    checked: CheckedSecret,
    nowMs: number,
  ): Promise<Committed<StoredConfirmation>> {
    const { keyId, confirmedBy } = confirmation;
    const by = await refuseChanged(tx.sql, confirmedBy.key_id, checked, nowMs);
    await requireOwn(tx, keyId);
    // A caller that confirms its own request needs no check here: the confirmed request checks the right.
    if (by.keyId !== keyId && !canAccess(limitsWith(by, 'operate'), place)) {
      throw new Refusal('forbidden', 'this person does not operate at this device');
    }
    const row = { ...confirmation, confirmedBy: JSON.stringify(confirmation.confirmedBy) };
    await insertRows(tx.sql, { table: 'confirmations' }, [row]);
    return committed(confirmation);
  },
};

/** The confirmation of a change, as the change refers to it. */
export type UsedConfirmation = Pick<StoredConfirmation, 'hash' | 'keyId' | 'digest'>;

/** Uses the confirmation in the transaction of the change. If two changes use one confirmation, only one is done, on any node. */
export async function useConfirmation(
  sql: Sql,
  { hash, keyId, digest }: UsedConfirmation,
  nowMs: number,
): Promise<void> {
  const used = await sql.run(
    'DELETE FROM confirmations WHERE hash = $1 AND key_id = $2 AND digest = $3 AND expires_at_ms > $4',
    [hash, keyId, digest, nowMs],
  );
  if (used !== 1) throw new Refusal('confirmation_required', sentence('confirmation_has_ended'));
}
