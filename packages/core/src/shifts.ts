import { instantOf, localMs } from '@granary/common/time-zone';
import type { Actor } from '@granary/contract/audit';
import type { Handover, Note } from '@granary/contract/shifts';
import { DAY_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import { canAccess, hasFacility, isUnlimited, type Limits } from './keys.ts';

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

/** A note about a whole facility is only for callers who may read all of the facility. */
export const canSeeNote = (limits: Limits, { deviceId, facility }: StoredNote): boolean =>
  deviceId === null ? hasFacility(limits, facility) : canAccess(limits, { deviceId, facility });

export interface StoredHandover {
  readonly handoverId: string;
  /** `null` means all facilities. */
  readonly facility: string | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly text: string;
  readonly createdAtMs: number;
  readonly createdBy: Actor | null;
  readonly acknowledgedAtMs: number | null;
  readonly acknowledgedBy: Actor | null;
}

export const handoverRecord = (handover: StoredHandover): Handover => ({
  handover_id: handover.handoverId,
  facility: handover.facility,
  from: toIso(handover.fromMs),
  to: toIso(handover.toMs),
  text: handover.text,
  created_at: toIso(handover.createdAtMs),
  created_by: handover.createdBy,
  acknowledged_at: toIsoOrNull(handover.acknowledgedAtMs),
  acknowledged_by: handover.acknowledgedBy,
});

/** A handover of all facilities is only for callers who have all facilities. */
export const hasPlaceOf = (limits: Limits, facility: string | null): boolean =>
  facility === null ? isUnlimited(limits) : hasFacility(limits, facility);

/** The last start of a shift; `startsMs` are times of day in the time zone, in ascending order. */
export function shiftStartMs(nowMs: number, zone: string, startsMs: readonly number[]): number {
  const midnight = Math.floor(localMs(nowMs, zone) / DAY_MS) * DAY_MS;
  const starts = [midnight - DAY_MS, midnight].flatMap((day) =>
    startsMs.map((startMs) => instantOf(day + startMs, zone)),
  );
  return starts.findLast((startMs) => startMs <= nowMs) ?? nowMs - DAY_MS;
}

/** The length of the longest shift of a day; `startsMs` are times of day in ascending order. */
export function longestShiftMs(startsMs: readonly number[]): number {
  const [first = 0] = startsMs;
  const ends = [...startsMs.slice(1), first + DAY_MS];
  return Math.max(...ends.map((endMs, index) => endMs - (startsMs[index] ?? first)));
}
