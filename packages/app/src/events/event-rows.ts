import type { Actor } from '@granary/contract/audit';
import type { EventType } from '@granary/contract/events';
import type { Expiry } from '@granary/store/expiry';
import { insertRowsUnawaited } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import type { Transaction } from '../transaction.ts';

export interface NewEvent {
  readonly type: EventType;
  /** `null` for an event that concerns no device. */
  readonly deviceNo: number | null;
  readonly atMs: number;
  /** The resource after the change. */
  readonly data: object;
}

export interface StoredEvent {
  readonly sequence: number;
  readonly type: EventType;
  readonly deviceId: string | null;
  readonly facility: string | null;
  readonly atMs: number;
  readonly actor: Actor | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventBounds {
  /** The oldest and the newest number are both 0 when the log is empty. */
  readonly oldest: number;
  readonly newest: number;
}

interface EventRow extends Omit<StoredEvent, 'actor' | 'data'> {
  readonly actor: string | null;
  readonly data: string;
}

/**
 * Writes the events with the actor of the write. Where several writes run at the same time, `numberEvents` numbers the events
 * after the commit: a number taken earlier would be held until the commit, and every other write would wait for it.
 */
export async function logEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const actor = tx.actor === null ? null : JSON.stringify(tx.actor);
  const rows = events.map(({ atMs, type, deviceNo, data }) => ({
    atMs,
    type,
    deviceNo,
    actor,
    data: JSON.stringify(data),
  }));
  if (!tx.sql.hasOneWriter) {
    await insertRowsUnawaited(tx.sql, { table: 'unnumbered_events' }, rows);
    return;
  }
  const [counter] = await tx.sql.query<{ lastSequence: number }>(
    'UPDATE event_counter SET last_sequence = last_sequence + $1 RETURNING last_sequence',
    [events.length],
  );
  if (counter === undefined) throw new Error('the event counter is missing');
  const firstSequence = counter.lastSequence - events.length + 1;
  await insertRowsUnawaited(
    tx.sql,
    { table: 'events' },
    rows.map((row, i) => ({ sequence: firstSequence + i, ...row })),
  );
}

/**
 * Gives committed events their numbers, in the order in which they were logged, and returns how many. The row of the counter is
 * locked first, so numbers have no gaps, and no reader sees an event before all events with smaller numbers. A write that logs
 * an event of a device locks the device until the commit, so the events of a device are numbered in the order of their changes.
 */
export async function numberEvents(sql: Sql): Promise<number> {
  if (sql.hasOneWriter) return 0;
  const columns = 'at_ms, type, device_no, actor, data';
  await sql.runUnawaited(`SELECT last_sequence FROM event_counter ${sql.forUpdate}`, []);
  return await sql.run(
    `WITH taken AS (DELETE FROM unnumbered_events RETURNING event_no, ${columns}),
     counted AS (UPDATE event_counter SET last_sequence = last_sequence + (SELECT COUNT(*) FROM taken)
                 RETURNING last_sequence - (SELECT COUNT(*) FROM taken) AS before)
     INSERT INTO events (sequence, ${columns})
     SELECT before + ROW_NUMBER() OVER (ORDER BY event_no), ${columns} FROM taken CROSS JOIN counted`,
    [],
  );
}

export async function hasUnnumberedEvents(sql: Sql): Promise<boolean> {
  return (
    !sql.hasOneWriter && (await sql.query('SELECT 1 AS found FROM unnumbered_events LIMIT 1', [])).length > 0
  );
}

const SELECT_EVENT = `
  SELECT sequence, type, COALESCE(purged_device_id, device_id) AS device_id, facility, at_ms, actor, data FROM events LEFT JOIN devices USING (device_no)`;

const toEvent = ({ actor, data, ...fields }: EventRow): StoredEvent => ({
  ...fields,
  actor: actor === null ? null : JSON.parse(actor),
  data: JSON.parse(data),
});

/** The events after one that was seen, in order. */
export async function eventsAfter(
  sql: Sql,
  { sequence, limit }: { readonly sequence: number; readonly limit: number },
): Promise<StoredEvent[]> {
  const rows = await sql.query<EventRow>(`${SELECT_EVENT} WHERE sequence > $1 ORDER BY sequence LIMIT $2`, [
    sequence,
    limit,
  ]);
  return rows.map(toEvent);
}

/** Returns the events with these numbers that are still stored. */
export async function eventsNumbered(sql: Sql, sequences: readonly number[]): Promise<StoredEvent[]> {
  if (sequences.length === 0) return [];
  const rows = await sql.query<EventRow>(`${SELECT_EVENT} WHERE ${sql.isOneOfNumbers('sequence', '$1')}`, [
    JSON.stringify(sequences),
  ]);
  return rows.map(toEvent);
}

/** The number of the newest event, also when it is no longer stored. */
export async function lastSequence(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ lastSequence: number }>('SELECT last_sequence FROM event_counter');
  return row?.lastSequence ?? 0;
}

export async function eventBounds(sql: Sql): Promise<EventBounds> {
  const [row] = await sql.query<EventBounds>(
    `SELECT COALESCE((SELECT MIN(sequence) FROM events), 0) AS oldest,
            COALESCE((SELECT MAX(sequence) FROM events), 0) AS newest`,
  );
  return row ?? { oldest: 0, newest: 0 };
}

/** Removes a limited number of the oldest events and returns how many; the others have no gaps, whatever the clocks showed. */
export async function expireEvents(sql: Sql, { beforeMs, rowsMax }: Expiry): Promise<number> {
  const oldest = await sql.query<{ sequence: number; atMs: number }>(
    'SELECT sequence, at_ms FROM events ORDER BY sequence LIMIT $1',
    [rowsMax],
  );
  const firstKept = oldest.findIndex(({ atMs }) => atMs >= beforeMs);
  const lastDropped = oldest.at(firstKept === -1 ? -1 : firstKept - 1);
  if (firstKept === 0 || lastDropped === undefined) return 0;
  return await sql.run('DELETE FROM events WHERE sequence <= $1', [lastDropped.sequence]);
}
