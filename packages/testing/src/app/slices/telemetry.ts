import { DAY_MS } from '@granary/contract/time';
import { readingsOf } from '../../core/readings.ts';
import { batchOf, reading } from '../fixtures.ts';
import { atMs, LIMIT, type WhoMayOf, type WriteRound, type WritesOf } from '../write-round.ts';

/** Raw readings of this age are removed again in the same round. */
const PAST_MS = 40 * DAY_MS;

/** Appends the same rows in both orders. This causes no deadlock only if the order of the locks does not depend on the input. */
function append(round: WriteRound): Promise<unknown>[] {
  const { app, silos, rovers } = round;
  const nowMs = atMs(round);
  const weight = round.round % 2 ? 1_500_000 : 5_000_000;
  const batteryLevel = round.round % 2 ? 100_000 : 20_000;
  const position = { latitude: 520_000_000, longitude: 130_000_000, battery_level: batteryLevel };
  const readings = [
    ...silos.flatMap((no) => [reading(no, nowMs, { weight }), reading(no, nowMs - PAST_MS, { weight })]),
    ...rovers.flatMap((no) => readingsOf(no, nowMs, position)),
  ];
  const seen = [...silos, ...rovers].map((deviceNo) => ({ deviceNo, atMs: nowMs }));
  const rejections = silos.map((deviceNo) => {
    return { deviceNo, receivedAtMs: nowMs, topic: 'telemetry', reason: 'wrong', payload: '?' };
  });
  const cause = { code: 'other', text: 'wrong' } as const;
  const receptions = silos.map((deviceNo) => {
    return { deviceNo, atMs: nowMs, refusal: { taken: 'some', cause }, clockOffsetMs: 0 } as const;
  });
  return [
    app.telemetry.append({ ...batchOf({ readings, seen, rejections }), receptions }),
    app.telemetry.append({
      ...batchOf({
        readings: readings.toReversed(),
        seen: seen.toReversed(),
        rejections: rejections.toReversed(),
      }),
      receptions: receptions.toReversed(),
    }),
  ];
}

// Storing readings is not an audited change, so the write has no caller: who may report is checked when the readings are taken in.
export const whoMay: WhoMayOf<'telemetry'> = {
  append: 'proof',
  expire: 'nobody',
  compress: 'nobody',
  compressHistory: 'nobody',
};

export const writes: WritesOf<'telemetry'> = {
  append,
  expire: (round) => [
    round.app.telemetry.expire({
      rawBeforeMs: atMs(round) - PAST_MS + DAY_MS,
      fiveMinutesBeforeMs: atMs(round) - PAST_MS + DAY_MS,
      rowsMax: LIMIT,
    }),
  ],
  compress: (round) => [
    round.app.telemetry.compress({ beforeMs: atMs(round) }),
    round.app.telemetry.compress({ beforeMs: atMs(round) }),
  ],
  compressHistory: (round) => [
    round.app.telemetry.compressHistory({ beforeMs: atMs(round) }),
    round.app.telemetry.compressHistory({ beforeMs: atMs(round) }),
  ],
};
