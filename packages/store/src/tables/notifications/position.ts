import type { Alert } from '@granary/contract/alerts';
import type { EventType } from '@granary/contract/events';
import type { AlertEvent } from '@granary/core/notifications/notice';
import type { Sql } from '../../sql.ts';

/**
 * The number of the last event that the rules have seen. Whoever decides what to tell, or changes a rule, locks it, so that
 * one node does it at a time; `undefined` if another node has it and this one does not wait.
 */
export async function lockPosition(
  sql: Sql,
  { isWaiting }: { readonly isWaiting: boolean },
): Promise<number | undefined> {
  const [row] = await sql.query<[lastSequence: number]>(
    `SELECT last_sequence FROM notification_position ${sql.forUpdate} ${isWaiting ? '' : sql.skipLocked}`,
  );
  return row?.[0];
}

export async function savePosition(sql: Sql, lastSequence: number): Promise<void> {
  await sql.run('UPDATE notification_position SET last_sequence = $1', [lastSequence]);
}

export async function newestSequence(sql: Sql): Promise<number> {
  const [row] = await sql.query<[lastSequence: number]>('SELECT last_sequence FROM event_counter');
  return row?.[0] ?? 0;
}

type EventRow = [
  sequence: number,
  type: EventType,
  atMs: number,
  deviceId: string,
  facility: string,
  data: string,
];

export interface EventRange {
  readonly after: number;
  readonly upTo: number;
  readonly types: readonly EventType[];
  readonly limit: number;
}

export interface NumberedAlertEvent {
  readonly sequence: number;
  readonly event: AlertEvent;
}

/** The events of these types about alerts of devices that still exist, in order. */
export async function alertEvents(
  sql: Sql,
  { after, upTo, types, limit }: EventRange,
): Promise<NumberedAlertEvent[]> {
  const rows = await sql.query<EventRow>(
    `SELECT sequence, type, at_ms, device_id, facility, data FROM events JOIN devices USING (device_no)
     WHERE sequence > $1 AND sequence <= $2 AND ${sql.isOneOf('type', '$3')} AND purged_device_id IS NULL
     ORDER BY sequence LIMIT $4`,
    [after, upTo, JSON.stringify(types), limit],
  );
  return rows.map(([sequence, type, atMs, deviceId, facility, data]) => ({
    sequence,
    event: { type, atMs, snapshot: { alert: JSON.parse(data) as Alert, deviceId, facility } },
  }));
}
