import { Refusal } from '@granary/contract/errors';
import type { StoredKey } from '@granary/core/keys';
import type { UsedFactor } from '@granary/core/people';
import type { Sql } from '@granary/store/sql';
import { lockKey } from '../keys/key-rows.ts';
import { useUpFactor } from './second-factor-rows.ts';

/** The secret with which a person has identified themselves. */
export interface CheckedSecret {
  readonly kind: 'password' | 'pin';
  /** The hash with which the secret was compared, in PHC form; `null` if the person has none. */
  readonly stored: string | null;
  /** The second factor that is used up; `null` if none was asked for. */
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

/** The refusal is the same as for a code that was not right. */
export const wrongCode = (): Refusal =>
  new Refusal('wrong_code', 'the code is not right, or was used before');

/** The refusal is the same as for a secret that was not right. */
export const wrongSecret = (kind: CheckedSecret['kind']): Refusal =>
  kind === 'pin'
    ? new Refusal('wrong_pin', 'the PIN is not right')
    : new Refusal('wrong_password', 'the password is not right');

/**
 * Refuses if the person was disabled or got another secret while the secret was compared, which takes a while. If two requests
 * use one code, only one succeeds. The person is locked until the end of the transaction.
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
