import type { EventType } from '@granary/contract/events';
import type { Sql } from '../sql.ts';
import { insertRows } from './insert-rows.ts';

export interface NewEvent {
  readonly type: EventType;
  /** `null` for what concerns no device. */
  readonly deviceNo: number | null;
  readonly atMs: number;
  /** The resource as the change left it. */
  readonly data: object;
}

/**
 * Numbers the events and writes them down. The number comes from a row that stays held until the transaction ends, so
 * numbers have no gaps and nobody sees one before all smaller ones. It must therefore be the last thing a write does:
 * whoever holds that row waits for nothing but the disk.
 */
export async function logEvents(sql: Sql, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const [row] = await sql.query<[lastSequence: number]>(
    'UPDATE event_counter SET last_sequence = last_sequence + $1 RETURNING last_sequence',
    [events.length],
  );
  if (row === undefined) throw new Error('the event counter is missing');
  const firstSequence = row[0] - events.length + 1;
  await insertRows(
    sql,
    { table: 'events', columns: ['sequence', 'at_ms', 'type', 'device_no', 'data'] },
    events.map(({ atMs, type, deviceNo, data }, i) => [
      firstSequence + i,
      atMs,
      type,
      deviceNo,
      JSON.stringify(data),
    ]),
  );
}
