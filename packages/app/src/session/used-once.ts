import { CHALLENGE_MS } from '@granary/core/session';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';

/** A challenge that a passkey has signed. */
export interface UsedChallenge {
  readonly hash: string;
  readonly expiresAtMs: number;
}

/** Finds the key, in base64url, with which every node signs the challenges that it makes. */
export async function findChallengeKey(sql: Sql): Promise<string | undefined> {
  const [row] = await sql.query<{ secret: string }>('SELECT secret FROM challenge_keys');
  return row?.secret;
}

/** If several nodes create a key at the same time, the first one stays. */
export async function insertChallengeKey(sql: Sql, secret: string): Promise<void> {
  const target = { table: 'challenge_keys', onConflict: 'ON CONFLICT (key_no) DO NOTHING' };
  await insertRows(sql, target, [{ keyNo: 1, secret }]);
}

/** Returns whether this is the first use: if two requests use the same hash at the same moment, only one succeeds. */
export async function isFirstUse(sql: Sql, hash: string, expiresAtMs: number): Promise<boolean> {
  const target = { table: 'sign_on_uses', onConflict: 'ON CONFLICT (hash) DO NOTHING' };
  return (await insertRows(sql, target, [{ hash, expiresAtMs }])) === 1;
}

/** Marks a challenge as used. The mark stays longer than the challenge is valid, because the clocks of nodes differ. */
export const useUpChallenge = (sql: Sql, { hash, expiresAtMs }: UsedChallenge): Promise<boolean> =>
  isFirstUse(sql, `challenge ${hash}`, expiresAtMs + CHALLENGE_MS);
