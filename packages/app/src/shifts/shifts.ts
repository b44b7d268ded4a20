import { Refusal } from '@granary/contract/errors';
import { handoverRecord, noteRecord, type StoredHandover } from '@granary/core/shifts';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { COMMANDS } from '../commands/command-rows.ts';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents, type NewEvent } from '../events/event-rows.ts';
import { MISSIONS } from '../missions/mission-rows.ts';
import { OPERATIONS } from '../operations/operation-rows.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import {
  expireHandovers,
  expireNotes,
  findHandover,
  findNote,
  type HandoverPage,
  insertHandover,
  insertNote,
  type ListedNote,
  listHandovers,
  listJobsOfShift,
  listNotes,
  lockHandover,
  type NewHandoverRow,
  type NewNoteRow,
  type NotePage,
  removeNote,
  type ShiftJobs,
  saveAcknowledgement,
} from './shift-rows.ts';

export const reads = {
  notes: (sql: Sql, page: NotePage) => listNotes(sql, page),
  note: (sql: Sql, noteId: string) => findNote(sql, noteId),
  operations: (sql: Sql, wish: ShiftJobs) => listJobsOfShift(sql, OPERATIONS.kind, wish),
  commands: (sql: Sql, wish: ShiftJobs) => listJobsOfShift(sql, COMMANDS.kind, wish),
  missions: (sql: Sql, wish: ShiftJobs) => listJobsOfShift(sql, MISSIONS.kind, wish),
  handovers: (sql: Sql, page: HandoverPage) => listHandovers(sql, page),
  handover: (sql: Sql, handoverId: string) => findHandover(sql, handoverId),
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
  expire: longWrite(async (tx, expiry: Expiry) =>
    committed((await expireNotes(tx.sql, expiry)) + (await expireHandovers(tx.sql, expiry))),
  ),

  async handOver(tx: Transaction, handover: NewHandoverRow): Promise<Committed<StoredHandover>> {
    await insertHandover(tx.sql, handover, tx.actor);
    const stored = { ...handover, createdBy: tx.actor, acknowledgedAtMs: null, acknowledgedBy: null };
    return await logHandover(tx, 'handover.created', stored, handover.createdAtMs);
  },

  /** The first who acknowledges it stays. `undefined` if there is no such handover. */
  async acknowledgeHandover(
    tx: Transaction,
    { handoverId, nowMs }: { readonly handoverId: string; readonly nowMs: number },
  ): Promise<Committed<StoredHandover | undefined>> {
    const handover = await lockHandover(tx.sql, handoverId);
    if (handover === undefined || handover.acknowledgedAtMs !== null) return committed(handover);
    await saveAcknowledgement(tx.sql, handoverId, nowMs, tx.actor);
    const stored = { ...handover, acknowledgedAtMs: nowMs, acknowledgedBy: tx.actor };
    return await logHandover(tx, 'handover.acknowledged', stored, nowMs);
  },
};

async function logHandover(
  tx: Transaction,
  type: 'handover.created' | 'handover.acknowledged',
  handover: StoredHandover,
  atMs: number,
): Promise<Committed<StoredHandover>> {
  const events: NewEvent[] = [{ type, deviceNo: null, atMs, data: handoverRecord(handover) }];
  await logEvents(tx, events);
  return committed(handover, ...eventsLogged(events));
}

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
