import { Refusal } from '@granary/contract/errors';
import type { StoredKey } from '@granary/core/keys';
import type { UsedFactor } from '@granary/core/people';
import type { Sql } from '@granary/store/sql';
import { lockKey } from '../keys/key-rows.ts';
import { useUpFactor } from './second-factor-rows.ts';

/** What a person was recognised by. */
export interface CheckedSecret {
  readonly kind: 'password' | 'pin';
  /** In PHC form; `null` where the person has none. */
  readonly stored: string | null;
  /** What of the second factor is used up by it; `null` where none was asked for. */
  readonly factor: UsedFactor | null;
}

export async function secretOf(
  sql: Sql,
  personId: string,
  kind: CheckedSecret['kind'],
): Promise<string | null> {
  const [row] = await sql.query<{ secret: string | null }>(
    `SELECT ${kind} AS secret FROM people WHERE key_id = $1`,
    [personId],
  );
  return row?.secret ?? null;
}

/** Like a code that was not right. */
export const wrongCode = (): Refusal =>
  new Refusal('wrong_code', 'the code is not right, or was used before');

/** Like a secret that was not right. */
export const wrongSecret = (kind: CheckedSecret['kind']): Refusal =>
  kind === 'pin'
    ? new Refusal('wrong_pin', 'the PIN is not right')
    : new Refusal('wrong_password', 'the password is not right');

/**
 * Comparing takes a while, in which the person may have been disabled, or have got another secret; and of two with one code one is
 * told so. Locks the person until the end of the transaction.
 */
export async function refuseChanged(
  sql: Sql,
  personId: string,
  { kind, stored, factor }: CheckedSecret,
  nowMs: number,
): Promise<StoredKey> {
  const key = await lockKey(sql, personId);
  if (key?.revokedAtMs !== null || (await secretOf(sql, personId, kind)) !== stored) throw wrongSecret(kind);
  if (factor !== null && !(await useUpFactor(sql, personId, factor, nowMs))) throw wrongCode();
  return key;
}
