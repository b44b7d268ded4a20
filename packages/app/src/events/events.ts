import type { EventType } from '@granary/contract/events';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed } from '../effects.ts';

export interface StoredEvent {
  readonly sequence: number;
  readonly type: EventType;
  readonly deviceId: string | null;
  readonly facility: string | null;
  readonly atMs: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventBounds {
  /** Both 0 when the log is empty. */
  readonly oldest: number;
  readonly newest: number;
}

type EventRow = [
  ...[sequence: number, type: EventType, deviceId: string | null, facility: string | null],
  ...[atMs: number, data: string],
];

export const reads = {
  /** The events after one that was seen, in order. */
  async after(sql: Sql, { sequence, limit }: { sequence: number; limit: number }): Promise<StoredEvent[]> {
    const rows = await sql.query<EventRow>(
      `SELECT sequence, type, device_id, facility, at_ms, data
       FROM events LEFT JOIN devices USING (device_no)
       WHERE sequence > $1 ORDER BY sequence LIMIT $2`,
      [sequence, limit],
    );
    return rows.map(([number, type, deviceId, facility, atMs, data]) => ({
      ...{ sequence: number, type, deviceId, facility, atMs },
      data: JSON.parse(data),
    }));
  },

  async bounds(sql: Sql): Promise<EventBounds> {
    const [row] = await sql.query<[oldest: number, newest: number]>(
      `SELECT COALESCE((SELECT MIN(sequence) FROM events), 0), COALESCE((SELECT MAX(sequence) FROM events), 0)`,
    );
    return { oldest: row?.[0] ?? 0, newest: row?.[1] ?? 0 };
  },
};

export const writes = {
  /** Removes some of the oldest events and answers how many. What is left has no gaps, whatever the clocks said. */
  async expire(
    sql: Sql,
    { beforeMs, rowsMax }: { beforeMs: number; rowsMax: number },
  ): Promise<Committed<number>> {
    const oldest = await sql.query<[sequence: number, atMs: number]>(
      'SELECT sequence, at_ms FROM events ORDER BY sequence LIMIT $1',
      [rowsMax],
    );
    const firstKept = oldest.findIndex(([, atMs]) => atMs >= beforeMs);
    const lastDropped = oldest.at(firstKept === -1 ? -1 : firstKept - 1);
    if (firstKept === 0 || lastDropped === undefined) return committed(0);
    return committed(await sql.run('DELETE FROM events WHERE sequence <= $1', [lastDropped[0]]));
  },
};
