import { atMs, type EveryWrite, LIMIT } from './write-round.ts';

export const EVERY_SHIFT_WRITE: EveryWrite['shifts'] = {
  addNote: (round) =>
    round.silos.map((deviceNo) =>
      round.app.shifts.addNote({
        noteId: `nt_${round.node}_${round.round}_${deviceNo}`,
        deviceNo,
        facility: null,
        atMs: atMs(round),
        text: 'noisy',
        createdAtMs: atMs(round),
      }),
    ),
  removeNote: (round) =>
    round.silos.map((deviceNo) =>
      round.app.shifts
        .removeNote({ noteId: `nt_0_${round.round - 1}_${deviceNo}`, nowMs: atMs(round) })
        .catch(() => undefined),
    ),
  expire: (round) => [round.app.shifts.expire({ beforeMs: 0, rowsMax: LIMIT })],
};
