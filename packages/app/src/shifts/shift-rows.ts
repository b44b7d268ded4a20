import type { Actor } from '@granary/contract/audit';
import type { StoredNote } from '@granary/core/shifts';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type AccessLimits, limitConditions, Parameters, where } from '../conditions.ts';

/** The actor as it is stored beside what somebody has written. */
const written = (actor: Actor | null): string | null => (actor === null ? null : JSON.stringify(actor));
const read = (actor: string | null): Actor | null => (actor === null ? null : JSON.parse(actor));

/** The place of a row in the order of a list. */
export interface TimePosition {
  readonly atMs: number;
  readonly no: number;
}

export interface NotePage {
  readonly limits: AccessLimits;
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

const SELECT_NOTE = `
  SELECT note_no, note_id, notes.device_no, device_id, COALESCE(devices.facility, notes.facility) AS facility, at_ms, text,
    created_at_ms, created_by
  FROM notes LEFT JOIN devices ON devices.device_no = notes.device_no`;

const toNote = ({ createdBy, ...row }: NoteRow): ListedNote => ({ ...row, createdBy: read(createdBy) });

export async function findNote(sql: Sql, noteId: string): Promise<ListedNote | undefined> {
  const [row] = await sql.query<NoteRow>(`${SELECT_NOTE} WHERE note_id = $1`, [noteId]);
  return row && toNote(row);
}

/** Newest first, by the times that they are about. */
export async function listNotes(sql: Sql, page: NotePage): Promise<ListedNote[]> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const { limits, before } = page;
  const conditions: string[] = [];
  const ofDevice = limitConditions(sql, limits, parameters);
  if (ofDevice.length > 0) {
    const ofFacility =
      limits.facilities === null
        ? '1 = 0'
        : sql.isOneOf('notes.facility', bind(JSON.stringify(limits.facilities)));
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
  /** `null` for a note on a device, which has its own. */
  readonly facility: string | null;
}

export async function insertNote(sql: Sql, note: NewNoteRow, actor: Actor | null): Promise<void> {
  await insertRows(sql, { table: 'notes' }, [{ ...note, createdBy: written(actor) }]);
}

/** Returns whether there was one. */
export async function removeNote(sql: Sql, noteId: string): Promise<boolean> {
  return (await sql.run('DELETE FROM notes WHERE note_id = $1', [noteId])) === 1;
}

/** Removes a limited number of notes that are about an earlier time and returns how many. */
export async function expireNotes(sql: Sql, beforeMs: number, rowsMax: number): Promise<number> {
  return await sql.run(
    `DELETE FROM notes WHERE note_no IN (
       SELECT note_no FROM notes WHERE at_ms < $1 ORDER BY at_ms LIMIT $2 ${sql.forUpdate} ${sql.skipLocked})`,
    [beforeMs, rowsMax],
  );
}
