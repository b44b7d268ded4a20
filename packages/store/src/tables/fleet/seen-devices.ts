import type { Sql } from '../../sql.ts';
import { endOfPart, type PartWanted } from './parts.ts';

export interface SeenDevice {
  readonly deviceId: string;
  readonly lastSeenAtMs: number;
}

export interface SeenPart {
  readonly seen: readonly SeenDevice[];
  /** After which device number the next part begins; `null` after the last part. */
  readonly next: number | null;
}

/** The devices that were seen at or after a time, whichever node they report to. */
export async function listSeenSince(sql: Sql, sinceMs: number, part: PartWanted): Promise<SeenPart> {
  const next = await endOfPart(sql, 'device_no', 'presence WHERE device_no >', part);
  const rows = await sql.query<[deviceId: string, lastSeenAtMs: number]>(
    `SELECT device_id, last_seen_at_ms FROM presence JOIN devices USING (device_no)
     WHERE presence.device_no > $1 AND presence.device_no <= $2 AND last_seen_at_ms >= $3`,
    [part.after, next ?? Number.MAX_SAFE_INTEGER, sinceMs],
  );
  return { seen: rows.map(([deviceId, lastSeenAtMs]) => ({ deviceId, lastSeenAtMs })), next };
}
