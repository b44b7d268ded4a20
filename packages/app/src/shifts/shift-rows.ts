import type { Actor } from '@granary/contract/audit';
import { isUnlimited, type Limits } from '@granary/core/keys';
import type { StoredHandover, StoredNote } from '@granary/core/shifts';
import { type Expiry, expireRows } from '@granary/store/expiry';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import {
  type DeviceSelection,
  limitConditions,
  Parameters,
  selectionConditions,
  where,
} from '../conditions.ts';
import type { DeviceJob, JobKind } from '../jobs/job-rows.ts';
import { type FleetRow, type Listed, readable } from '../list-rows.ts';

/** Returns the stored form of the actor who has written something. */
const written = (actor: Actor | null): string | null => (actor === null ? null : JSON.stringify(actor));
const read = (actor: string | null): Actor | null => (actor === null ? null : JSON.parse(actor));

/** The place of a row in the order of a list. */
export interface TimePosition {
  readonly atMs: number;
  readonly no: number;
}

export interface NotePage {
  readonly limits: Limits;
  readonly deviceId: string | null;
  readonly facility: string | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly before: TimePosition | null;
  readonly limit: number;
}

export interface ListedNote extends StoredNote {
  readonly noteNo: number;
  readonly deviceNo: number | null;
}

interface NoteRow extends Omit<ListedNote, 'createdBy'> {
  readonly createdBy: string | null;
}

/** Returns, as JSON, the facilities that the limits contain as a whole. */
const facilitiesOf = (limits: Limits): string =>
  JSON.stringify(
    limits.flatMap(({ facilities, deviceIds }) => (deviceIds === null ? (facilities ?? []) : [])),
  );

const SELECT_NOTE = `
  SELECT note_no, note_id, notes.device_no, device_id, COALESCE(devices.facility, notes.facility) AS facility, at_ms, text,
    created_at_ms, created_by
  FROM notes LEFT JOIN devices ON devices.device_no = notes.device_no`;

const toNote = ({ createdBy, ...row }: NoteRow): ListedNote => ({ ...row, createdBy: read(createdBy) });

export async function findNote(sql: Sql, noteId: string): Promise<ListedNote | undefined> {
  const [row] = await sql.query<NoteRow>(`${SELECT_NOTE} WHERE note_id = $1`, [noteId]);
  return row && toNote(row);
}

/** Lists the notes by the times that they are about, newest first. */
export async function listNotes(sql: Sql, page: NotePage): Promise<ListedNote[]> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const { limits, before } = page;
  const conditions: string[] = [];
  const ofDevice = limitConditions(sql, limits, parameters);
  if (ofDevice.length > 0) {
    const ofFacility = sql.isOneOf('notes.facility', bind(facilitiesOf(limits)));
    conditions.push(
      `CASE WHEN notes.device_no IS NULL THEN ${ofFacility} ELSE ${ofDevice.join(' AND ')} END`,
    );
  }
  if (page.deviceId !== null) {
    conditions.push(
      `notes.device_no = (SELECT device_no FROM devices WHERE device_id = ${bind(page.deviceId)})`,
    );
  }
  if (page.facility !== null) {
    conditions.push(`COALESCE(devices.facility, notes.facility) = ${bind(page.facility)}`);
  }
  if (page.fromMs !== null) conditions.push(`at_ms >= ${bind(page.fromMs)}`);
  if (page.toMs !== null) conditions.push(`at_ms < ${bind(page.toMs)}`);
  if (before !== null) conditions.push(`(at_ms, note_no) < (${bind(before.atMs)}, ${bind(before.no)})`);
  const rows = await sql.query<NoteRow>(
    `${SELECT_NOTE} ${where(conditions)} ORDER BY at_ms DESC, note_no DESC LIMIT ${bind(page.limit)}`,
    parameters.values,
  );
  return rows.map(toNote);
}

export interface NewNoteRow extends Omit<StoredNote, 'deviceId' | 'facility' | 'createdBy'> {
  readonly deviceNo: number | null;
  /** The facility is `null` for a note on a device, which has its own facility. */
  readonly facility: string | null;
}

export async function insertNote(sql: Sql, note: NewNoteRow, actor: Actor | null): Promise<void> {
  await insertRows(sql, { table: 'notes' }, [{ ...note, createdBy: written(actor) }]);
}

/** Returns whether there was such a note. */
export async function removeNote(sql: Sql, noteId: string): Promise<boolean> {
  return (await sql.run('DELETE FROM notes WHERE note_id = $1', [noteId])) === 1;
}

/** Removes notes by the time that they are about. */
export const expireNotes = (sql: Sql, expiry: Expiry): Promise<number> =>
  expireRows(sql, { table: 'notes', key: 'note_no', time: 'at_ms' }, expiry);

export interface ShiftJobs {
  readonly devices: DeviceSelection;
  readonly fromMs: number;
  readonly toMs: number;
  /** True selects also the jobs that have not ended. */
  readonly withUnfinished: boolean;
  readonly limit: number;
}

/** Lists the jobs that ended in a time range, newest first, from the index of their ends. */
export async function listJobsOfShift<Job extends DeviceJob>(
  sql: Sql,
  { name, document }: JobKind<Job>,
  { devices, fromMs, toMs, withUnfinished, limit }: ShiftJobs,
): Promise<Listed<Job>[]> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const unfinished = `UNION SELECT ${name}_no FROM ${name}s WHERE is_finished = 0`;
  const conditions = [
    `listed.${name}_no = chosen.${name}_no`,
    'devices.device_no = listed.device_no',
    ...selectionConditions(sql, devices, parameters),
  ];
  const rows = await sql.query<FleetRow>(
    `WITH chosen AS MATERIALIZED (
       SELECT ${name}_no FROM ${name}s WHERE ended_at_ms >= ${bind(fromMs)} AND ended_at_ms < ${bind(toMs)}
       ${withUnfinished ? unfinished : ''})
     SELECT listed.${name}_id AS id, device_id, devices.name AS device_name, facility, zone, listed.body
     FROM chosen CROSS JOIN ${name}s AS listed CROSS JOIN devices WHERE ${conditions.join(' AND ')}
     ORDER BY listed.${name}_no DESC LIMIT ${bind(limit)}`,
    parameters.values,
  );
  return readable(rows, (body) => document.read(body));
}

export interface HandoverPage {
  readonly limits: Limits;
  readonly facility: string | null;
  readonly isWaiting: boolean;
  readonly beforeId: string | null;
  readonly limit: number;
}

interface HandoverRow extends Omit<StoredHandover, 'createdBy' | 'acknowledgedBy'> {
  readonly createdBy: string | null;
  readonly acknowledgedBy: string | null;
}

const SELECT_HANDOVER = `SELECT handover_id, facility, from_ms, to_ms, text, created_at_ms, created_by, acknowledged_at_ms,
    acknowledged_by FROM handovers`;

const toHandover = ({ createdBy, acknowledgedBy, ...row }: HandoverRow): StoredHandover => ({
  ...row,
  createdBy: read(createdBy),
  acknowledgedBy: read(acknowledgedBy),
});

export async function findHandover(sql: Sql, handoverId: string): Promise<StoredHandover | undefined> {
  const [row] = await sql.query<HandoverRow>(`${SELECT_HANDOVER} WHERE handover_id = $1`, [handoverId]);
  return row && toHandover(row);
}

/** Lists the handovers, newest first. */
export async function listHandovers(sql: Sql, page: HandoverPage): Promise<StoredHandover[]> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const { limits, facility, isWaiting, beforeId } = page;
  const conditions: string[] = [];
  if (!isUnlimited(limits)) conditions.push(sql.isOneOf('facility', bind(facilitiesOf(limits))));
  if (facility !== null) conditions.push(`(facility IS NULL OR facility = ${bind(facility)})`);
  if (isWaiting) conditions.push('acknowledged_at_ms IS NULL');
  if (beforeId !== null) conditions.push(`handover_id < ${bind(beforeId)}`);
  const rows = await sql.query<HandoverRow>(
    `${SELECT_HANDOVER} ${where(conditions)} ORDER BY handover_id DESC LIMIT ${bind(page.limit)}`,
    parameters.values,
  );
  return rows.map(toHandover);
}

export type NewHandoverRow = Omit<StoredHandover, 'createdBy' | 'acknowledgedAtMs' | 'acknowledgedBy'>;

export async function insertHandover(sql: Sql, handover: NewHandoverRow, actor: Actor | null): Promise<void> {
  await insertRows(sql, { table: 'handovers' }, [{ ...handover, createdBy: written(actor) }]);
}

/** Locks the row, so that only the first acknowledgement counts. */
export async function lockHandover(sql: Sql, handoverId: string): Promise<StoredHandover | undefined> {
  const [row] = await sql.query<HandoverRow>(`${SELECT_HANDOVER} WHERE handover_id = $1 ${sql.forUpdate}`, [
    handoverId,
  ]);
  return row && toHandover(row);
}

export async function saveAcknowledgement(
  sql: Sql,
  handoverId: string,
  atMs: number,
  actor: Actor | null,
): Promise<void> {
  const acknowledgement = { acknowledgedAtMs: atMs, acknowledgedBy: written(actor) };
  await updateRows(sql, 'handovers', { handoverId }, acknowledgement);
}

export const expireHandovers = (sql: Sql, expiry: Expiry): Promise<number> =>
  expireRows(sql, { table: 'handovers', key: 'handover_id', time: 'created_at_ms' }, expiry);
