import { Refusal } from '@granary/contract/errors';
import { noteRecord } from '@granary/core/shifts';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents, type NewEvent } from '../events/event-rows.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import {
  expireNotes,
  findNote,
  insertNote,
  type ListedNote,
  listNotes,
  type NewNoteRow,
  type NotePage,
  removeNote,
} from './shift-rows.ts';

export const reads = {
  notes: (sql: Sql, page: NotePage) => listNotes(sql, page),
  note: (sql: Sql, noteId: string) => findNote(sql, noteId),
};

export const writes = {
  async addNote(tx: Transaction, note: NewNoteRow): Promise<Committed<ListedNote>> {
    await insertNote(tx.sql, note, tx.actor);
    return await logNote(tx, 'note.added', await knownNote(tx.sql, note.noteId), note.createdAtMs);
  },

  async removeNote(
    tx: Transaction,
    { noteId, nowMs }: { readonly noteId: string; readonly nowMs: number },
  ): Promise<Committed<ListedNote>> {
    const note = await knownNote(tx.sql, noteId);
    if (!(await removeNote(tx.sql, noteId))) throw noSuchNote();
    return await logNote(tx, 'note.removed', note, nowMs);
  },

  /** Removes what is older than it is kept. */
  expire: longWrite(async (tx, { beforeMs, rowsMax }: Expiry) =>
    committed(await expireNotes(tx.sql, beforeMs, rowsMax)),
  ),
};

const noSuchNote = (): Refusal => new Refusal('note_not_found', 'there is no such note');

async function knownNote(sql: Sql, noteId: string): Promise<ListedNote> {
  const note = await findNote(sql, noteId);
  if (note === undefined) throw noSuchNote();
  return note;
}

async function logNote(
  tx: Transaction,
  type: 'note.added' | 'note.removed',
  note: ListedNote,
  atMs: number,
): Promise<Committed<ListedNote>> {
  const events: NewEvent[] = [{ type, deviceNo: note.deviceNo, atMs, data: noteRecord(note) }];
  await logEvents(tx, events);
  return committed(note, ...eventsLogged(events));
}
