import { CHALLENGE_MS } from '@granary/core/session';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';

/** A challenge that a passkey has signed. */
export interface UsedChallenge {
  readonly hash: string;
  readonly expiresAtMs: number;
}

/** With which every node signs the challenges that it makes; in base64url. */
export async function findChallengeKey(sql: Sql): Promise<string | undefined> {
  const [row] = await sql.query<{ secret: string }>('SELECT secret FROM challenge_keys');
  return row?.secret;
}

/** Of several nodes that make one at the same time one is first. */
export async function insertChallengeKey(sql: Sql, secret: string): Promise<void> {
  const target = { table: 'challenge_keys', onConflict: 'ON CONFLICT (key_no) DO NOTHING' };
  await insertRows(sql, target, [{ keyNo: 1, secret }]);
}

/** Whether it is the first time: of two that use the same at the same moment, one is told so. */
export async function isFirstUse(sql: Sql, hash: string, expiresAtMs: number): Promise<boolean> {
  const target = { table: 'sign_on_uses', onConflict: 'ON CONFLICT (hash) DO NOTHING' };
  return (await insertRows(sql, target, [{ hash, expiresAtMs }])) === 1;
}

/** Kept for longer than it can be used, because the clocks of nodes differ. */
export const useUpChallenge = (sql: Sql, { hash, expiresAtMs }: UsedChallenge): Promise<boolean> =>
  isFirstUse(sql, `challenge ${hash}`, expiresAtMs + CHALLENGE_MS);
