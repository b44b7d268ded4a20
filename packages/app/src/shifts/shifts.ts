import { Refusal } from '@granary/contract/errors';
import { hasFacility, limitsWith } from '@granary/core/keys';
import {
  canSeeNote,
  handoverRecord,
  hasPlaceOf,
  noteRecord,
  type StoredHandover,
} from '@granary/core/shifts';
import { quoted } from '@granary/core/words';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { COMMANDS } from '../commands/command-rows.ts';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents, type NewEvent } from '../events/event-rows.ts';
import { MISSIONS } from '../missions/mission-rows.ts';
import { OPERATIONS } from '../operations/operation-rows.ts';
import { limitsOf, refuseOutside, requireRight } from '../rights.ts';
import { keptFor } from '../slice.ts';
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

export const expiry = keptFor('jobRetentionDays');

export const writes = {
  async addNote(tx: Transaction, note: NewNoteRow): Promise<Committed<ListedNote>> {
    const { deviceNo, facility } = note;
    if (deviceNo !== null) await refuseOutside(tx, deviceNo);
    else if (!hasFacility(await limitsOf(tx), facility ?? '')) {
      throw new Refusal('forbidden', `this key may not write about the facility ${quoted(facility ?? '')}`);
    }
    await insertNote(tx.sql, note, tx.actor);
    return await logNote(tx, 'note.added', await knownNote(tx.sql, note.noteId), note.createdAtMs);
  },

  async removeNote(
    tx: Transaction,
    { noteId, nowMs }: { readonly noteId: string; readonly nowMs: number },
  ): Promise<Committed<ListedNote>> {
    const note = await knownNote(tx.sql, noteId);
    const limits = await limitsOf(tx);
    if (!canSeeNote(limits, note)) throw noSuchNote(noteId);
    await requireRight(
      tx,
      (caller) => note.createdBy?.key_id === caller.keyId || canSeeNote(limitsWith(caller, 'admin'), note),
      () => new Refusal('forbidden', 'only the key that wrote a note, or an admin, may remove it'),
    );
    if (!(await removeNote(tx.sql, noteId))) throw noSuchNote(noteId);
    return await logNote(tx, 'note.removed', note, nowMs);
  },

  /** Removes the notes and handovers whose retention has passed. */
  expire: longWrite(async (tx, expiry: Expiry) =>
    committed((await expireNotes(tx.sql, expiry)) + (await expireHandovers(tx.sql, expiry))),
  ),

  async handOver(tx: Transaction, handover: NewHandoverRow): Promise<Committed<StoredHandover>> {
    const { facility } = handover;
    if (!hasPlaceOf(await limitsOf(tx), facility)) {
      const place = facility === null ? 'all facilities' : `the facility ${quoted(facility)}`;
      throw new Refusal('forbidden', `this key may not hand over ${place}`);
    }
    await insertHandover(tx.sql, handover, tx.actor);
    const stored = { ...handover, createdBy: tx.actor, acknowledgedAtMs: null, acknowledgedBy: null };
    return await logHandover(tx, 'handover.created', stored, handover.createdAtMs);
  },

  /** Acknowledges a handover; only the first acknowledgement counts. */
  async acknowledgeHandover(
    tx: Transaction,
    { handoverId, nowMs }: { readonly handoverId: string; readonly nowMs: number },
  ): Promise<Committed<StoredHandover>> {
    const handover = await lockHandover(tx.sql, handoverId);
    if (handover === undefined || !hasPlaceOf(await limitsOf(tx), handover.facility)) {
      throw new Refusal(
        'handover_not_found',
        `there is no handover ${quoted(handoverId)}, or this key may not see it`,
      );
    }
    if (handover.acknowledgedAtMs !== null) return committed(handover);
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

const noSuchNote = (noteId: string): Refusal =>
  new Refusal('note_not_found', `there is no note ${quoted(noteId)}, or this key may not see it`);

async function knownNote(sql: Sql, noteId: string): Promise<ListedNote> {
  const note = await findNote(sql, noteId);
  if (note === undefined) throw noSuchNote(noteId);
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
