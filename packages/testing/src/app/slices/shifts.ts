import { atMs, LIMIT, type WhoMayOf, type WritesOf } from '../write-round.ts';

export const whoMay: WhoMayOf<'shifts'> = {
  addNote: 'rights',
  removeNote: 'rights',
  expire: 'nobody',
  handOver: 'rights',
  acknowledgeHandover: 'rights',
};

export const writes: WritesOf<'shifts'> = {
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
  handOver: (round) => [
    round.app.shifts.handOver({
      handoverId: `ho_${round.node}_${round.round}`,
      facility: null,
      fromMs: 0,
      toMs: 1,
      text: 'quiet',
      createdAtMs: atMs(round),
    }),
  ],
  acknowledgeHandover: (round) => [
    round.app.shifts.acknowledgeHandover({ handoverId: `ho_0_${round.round - 1}`, nowMs: atMs(round) }),
  ],
  expire: (round) => [round.app.shifts.expire({ beforeMs: 0, rowsMax: LIMIT })],
};
