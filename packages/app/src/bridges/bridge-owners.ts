import { BRIDGES_MAX, BRIDGES_PER_KEY_MAX } from '@granary/contract/bridges';
import { Refusal } from '@granary/contract/errors';
import { quoted } from '@granary/core/words';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { countBridgesOfKey, keysOfBridge, lastingKeysOfName, putKeyOfBridge } from '../bridge-keys.ts';
import { countRows } from './bridge-rows.ts';

/** A process that reports as a bridge. */
export interface Reporting {
  readonly bridgeId: string;
  /** The key that it reports with. */
  readonly keyId: string;
  /** The session id, which the process chooses when it starts. */
  readonly session: string;
}

/** A bridge whose row is locked until the end of the transaction. */
export interface LockedBridge {
  readonly bridgeId: string;
  /** `null` before the first report, and after the bridge was given to another key. */
  readonly session: string | null;
  readonly figures: string | null;
}

export async function lockBridge(sql: Sql, bridgeId: string): Promise<LockedBridge | undefined> {
  const [row] = await sql.query<LockedBridge>(
    `SELECT bridge_id, session, figures FROM bridges WHERE bridge_id = $1 ${sql.forUpdate}`,
    [bridgeId],
  );
  return row;
}

/** Locks the bridge, which must belong to the key that reports; returns `undefined` if there is no such bridge. */
async function lockOwnBridge(sql: Sql, { bridgeId, keyId }: Reporting): Promise<LockedBridge | undefined> {
  const bridge = await lockBridge(sql, bridgeId);
  if (bridge === undefined) return undefined;
  if (!(await keysOfBridge(sql, bridgeId)).includes(keyId)) throw ofAnotherKey(bridgeId);
  return bridge;
}

const ofAnotherKey = (bridgeId: string): Refusal =>
  new Refusal('bridge_of_another_key', `the bridge ${quoted(bridgeId)} belongs to another key`);

/** Does the same, and gives an unknown bridge to the key, unless it was removed and only other keys of it have not ended. */
export async function lockOrClaimBridge(
  sql: Sql,
  reporting: Reporting,
  nowMs: number,
): Promise<LockedBridge> {
  const known = await lockOwnBridge(sql, reporting);
  if (known !== undefined) return known;
  await lockNumberOfBridges(sql);
  const claimed = await lockOwnBridge(sql, reporting);
  if (claimed !== undefined) return claimed;
  const { bridgeId, keyId } = reporting;
  const former = await lastingKeysOfName(sql, bridgeId, nowMs);
  if (former.length > 0 && !former.includes(keyId)) throw ofAnotherKey(bridgeId);
  // The limit prevents that one key uses the number of bridges that is meant for all keys.
  if ((await countBridgesOfKey(sql, keyId)) >= BRIDGES_PER_KEY_MAX) {
    throw new Refusal(
      'bridge_limit_reached',
      `a key makes at most ${BRIDGES_PER_KEY_MAX} bridges known; further ones can be given to it`,
    );
  }
  await putKeyOfBridge(sql, bridgeId, keyId);
  return await insertBridge(sql, bridgeId);
}

/** All nodes create new bridges one after the other, so that the number of bridges is exact and each has one key. */
export async function lockNumberOfBridges(sql: Sql): Promise<void> {
  await sql.query(`SELECT version FROM granary_schema ${sql.forUpdate}`);
}

export async function insertBridge(sql: Sql, bridgeId: string): Promise<LockedBridge> {
  const [alike] = await sql.query<{ readonly bridgeId: string }>(
    'SELECT bridge_id FROM bridges WHERE LOWER(bridge_id) = LOWER($1)',
    [bridgeId],
  );
  // People could confuse two bridges whose names differ only in capital letters.
  if (alike !== undefined) {
    throw new Refusal('bridge_of_another_key', `there is a bridge ${quoted(alike.bridgeId)} already`);
  }
  if ((await countRows(sql, 'bridges', [])) >= BRIDGES_MAX) {
    throw new Refusal('bridge_limit_reached', `there are ${BRIDGES_MAX} bridges already`);
  }
  await insertRows(sql, { table: 'bridges' }, [{ bridgeId }]);
  return { bridgeId, session: null, figures: null };
}
