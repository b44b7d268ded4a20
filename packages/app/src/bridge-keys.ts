import type { KeyOfBridge } from '@granary/contract/bridges';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';

/**
 * Returns the keys that may report for a bridge. Ended keys stay in the list. While a key lasts, it also stays when the bridge
 * is removed, so that nobody else gets the bridge by reporting first.
 */
export async function keysOfBridge(sql: Sql, bridgeId: string): Promise<string[]> {
  const rows = await sql.query<{ readonly keyId: string }>(
    'SELECT key_id FROM bridge_keys WHERE bridge_id = $1 ORDER BY key_id',
    [bridgeId],
  );
  return rows.map(({ keyId }) => keyId);
}

/** Returns the keys of a bridge of this name that have not ended. The name is compared without case, and the bridge may be removed. */
export async function lastingKeysOfName(sql: Sql, bridgeId: string, nowMs: number): Promise<string[]> {
  const rows = await sql.query<{ readonly keyId: string }>(
    `SELECT keys.key_id FROM bridge_keys JOIN keys ON keys.key_id = bridge_keys.key_id
     WHERE LOWER(bridge_keys.bridge_id) = LOWER($1) AND ${lasts('$2')}`,
    [bridgeId, nowMs],
  );
  return rows.map(({ keyId }) => keyId);
}

const lasts = (now: string): string =>
  `keys.revoked_at_ms IS NULL AND (keys.expires_at_ms IS NULL OR keys.expires_at_ms > ${now})`;

export async function countBridgesOfKey(sql: Sql, keyId: string): Promise<number> {
  const [row] = await sql.query<{ readonly count: number }>(
    `SELECT COUNT(*) AS count FROM bridge_keys JOIN bridges ON bridges.bridge_id = bridge_keys.bridge_id
     WHERE bridge_keys.key_id = $1`,
    [keyId],
  );
  return row?.count ?? 0;
}

/** Makes the key the only one of the bridge; with `null` the bridge has no key. */
export async function putKeyOfBridge(sql: Sql, bridgeId: string, keyId: string | null): Promise<void> {
  await sql.run('DELETE FROM bridge_keys WHERE LOWER(bridge_id) = LOWER($1)', [bridgeId]);
  if (keyId !== null) await insertRows(sql, { table: 'bridge_keys' }, [{ bridgeId, keyId }]);
}

/** Lets a new key report for the bridges of the key that it replaces. The bridge uses the old key until it has the new one. */
export async function shareBridges(sql: Sql, fromKeyId: string, toKeyId: string): Promise<void> {
  const own = 'SELECT bridge_id FROM bridge_keys WHERE key_id = $1';
  // A bridge that is given to another key at this moment must not be shared with the former one afterwards.
  await sql.query(
    `SELECT bridge_id FROM bridges WHERE bridge_id IN (${own}) ORDER BY bridge_id ${sql.forUpdate}`,
    [fromKeyId],
  );
  await sql.run(
    'INSERT INTO bridge_keys (bridge_id, key_id) SELECT bridge_id, $2 FROM bridge_keys WHERE key_id = $1',
    [fromKeyId, toKeyId],
  );
}

/** Returns the newest key of each bridge, by the id of the bridge. */
export async function newestKeysOfBridges(
  sql: Sql,
  nowMs: number,
): Promise<ReadonlyMap<string, KeyOfBridge>> {
  const rows = await sql.query<{ bridgeId: string; keyId: string; name: string; ended: number }>(
    `SELECT bridge_keys.bridge_id, keys.key_id, keys.name,
       CASE WHEN ${lasts('$1')} THEN 0 ELSE 1 END AS ended
     FROM bridge_keys JOIN keys ON keys.key_id = bridge_keys.key_id ORDER BY keys.created_at_ms, keys.key_id`,
    [nowMs],
  );
  return new Map(
    rows.map(({ bridgeId, keyId, name, ended }) => [bridgeId, { key_id: keyId, name, ended: ended === 1 }]),
  );
}
