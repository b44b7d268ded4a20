import type { Actor } from '@granary/contract/audit';
import type { Note } from '@granary/contract/shifts';
import { toIso } from '@granary/contract/time';
import { canAccess, hasFacility, type Limits } from './keys.ts';

export interface StoredNote {
  readonly noteId: string;
  /** `null` for a note on the whole facility. */
  readonly deviceId: string | null;
  readonly facility: string;
  readonly atMs: number;
  readonly text: string;
  readonly createdAtMs: number;
  readonly createdBy: Actor | null;
}

export const noteRecord = (note: StoredNote): Note => ({
  note_id: note.noteId,
  device_id: note.deviceId,
  facility: note.facility,
  at: toIso(note.atMs),
  text: note.text,
  created_at: toIso(note.createdAtMs),
  created_by: note.createdBy,
});

/** A note on a facility is for those who have all of it. */
export const canSeeNote = (limits: Limits, { deviceId, facility }: StoredNote): boolean =>
  deviceId === null ? hasFacility(limits, facility) : canAccess(limits, { deviceId, facility });
