import { LIVE_MS } from '../nodes.ts';
import type { Sql } from '../sql.ts';

/** The hashes of the admin keys that are preset by settings of live nodes. */
export async function presetHashesOfNodes(sql: Sql, nowMs: number): Promise<string[]> {
  if (sql.hasOneWriter) return [];
  const rows = await sql.query<[presetHash: string]>(
    'SELECT preset_hash FROM nodes WHERE preset_hash IS NOT NULL AND last_seen_at_ms >= $1',
    [nowMs - LIVE_MS],
  );
  return rows.flat();
}
