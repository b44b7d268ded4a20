import { DAY_MS, toIso } from '@granary/contract/time';
import { atMs, LIMIT, type WhoMayOf, type WriteRound, type WritesOf } from '../write-round.ts';

const wishOf = (round: WriteRound) => ({ nowMs: atMs(round), timeZone: 'UTC', horizonDays: 0 });

async function saveForecasts(round: WriteRound): Promise<void> {
  const { outcomes } = await round.app.foresight.makeForecasts(round.silos, wishOf(round));
  await round.app.foresight.save({ outcomes, nowMs: atMs(round) });
}

export const whoMay: WhoMayOf<'foresight'> = {
  save: 'nobody',
  noteRefill: 'rights',
  planDelivery: 'rights',
  cancelDelivery: 'rights',
  takeLease: 'nobody',
  expire: 'nobody',
};

export const writes: WritesOf<'foresight'> = {
  save: (round) => [saveForecasts(round)],
  noteRefill: (round) => [
    round.app.foresight
      .noteRefill({ refillId: 'rf_lasting', patch: { delivery_note_kg: 1 }, nowMs: atMs(round) })
      .catch(() => undefined),
  ],
  planDelivery: (round) =>
    round.silos.map((deviceNo) =>
      round.app.foresight.planDelivery({
        deviceNo,
        nowMs: atMs(round),
        delivery: { at: toIso(atMs(round) + DAY_MS), kg: 100 },
      }),
    ),
  cancelDelivery: (round) =>
    round.silos.map((deviceNo) =>
      round.app.foresight.cancelDelivery({ deviceNo, nowMs: atMs(round), at: null }),
    ),
  takeLease: (round) => [
    round.app.foresight.takeLease({
      holder: `node ${round.node}`,
      nowMs: atMs(round),
      untilMs: atMs(round) + DAY_MS,
    }),
  ],
  expire: (round) => [round.app.foresight.expire({ nowMs: atMs(round), refillsBeforeMs: 0, rowsMax: LIMIT })],
};
