import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import fc from 'fast-check';
import type { LevelReading } from '../types.ts';
import { deliveryMismatch } from './delivery-mismatch.ts';
import { type NoFlowInput, noFlow } from './no-flow.ts';
import { type SensorInput, sensorSuspect, usualSpreadKg } from './sensor-suspect.ts';
import { balanceSlope, type LossInput, unexplainedLoss } from './unexplained-loss.ts';

/** 18:00 of a Thursday, in UTC. */
const NOW_MS = Date.UTC(2026, 0, 22, 18);
const TODAY = Math.floor(NOW_MS / DAY_MS);
const CAPACITY_KG = 20_000;
const HOURLY = Array.from({ length: 24 }, () => 1 / 24);
const DAYTIME = Array.from({ length: 24 }, (_, hour) => (hour >= 6 && hour < 18 ? 1 / 12 : 0));

/** Weights every five minutes until now; `kg` is called with the number of hours before now. */
const readings = (hours: number, kg: (hoursAgo: number) => number): LevelReading[] =>
  Array.from({ length: hours * 12 + 1 }, (_, index) => {
    const atMs = NOW_MS - (hours * 12 - index) * 5 * MINUTE_MS;
    return { atMs, kg: Math.round(kg((NOW_MS - atMs) / HOUR_MS)) + (index % 3) - 1 };
  });

const nights = (
  count: number,
  of: (night: number) => { quietKg?: number | null; refilledKg?: number; dischargedKg?: number },
) =>
  Array.from({ length: count }, (_, night) => ({
    day: TODAY - count + 1 + night,
    quietKg: 10_000 + (night % 2 === 0 ? 20 : -20),
    refilledKg: 0,
    dischargedKg: 0,
    ...of(night),
  }));

describe('no flow', () => {
  const silo = (given: Partial<NoFlowInput>): NoFlowInput => ({
    nowMs: NOW_MS,
    capacityKg: CAPACITY_KG,
    readings: readings(7, (hoursAgo) => 10_000 + 80 * hoursAgo),
    running: null,
    movements: [],
    past: Array.from({ length: 14 }, (_, index) => ({ day: TODAY - 14 + index, kg: 1_920, shares: HOURLY })),
    today: TODAY,
    hourAt: (ms) => (ms % DAY_MS) / HOUR_MS,
    isInUse: true,
    hadStopped: false,
    ...given,
  });
  const stopped = readings(7, (hoursAgo) => 10_000 + 80 * Math.max(0, hoursAgo - 3));

  it('is found when use stops in hours that carry it, with the numbers that show it', () => {
    const { result, code, values, limit } = noFlow(silo({ readings: stopped }));
    assert.deepEqual([result, code], ['fail', 'use_has_stopped']);
    assert.deepEqual(values, { used_kg: 0, expected_at_least_kg: 160, hours: 2 });
    assert.equal(limit, 40);
    assert.equal(noFlow(silo({})).result, 'pass');
  });

  const sundayMill = Array.from({ length: 28 }, (_, index) => {
    const day = TODAY - 28 + index;
    return { day, kg: (TODAY - day) % 7 === 0 ? 0 : 1_920, shares: (TODAY - day) % 7 === 0 ? null : HOURLY };
  });
  const cases: readonly (readonly [string, Partial<NoFlowInput>, string])[] = [
    ['on a day of rest', { past: sundayMill }, 'no_use_expected'],
    ['while no animals are there', { isInUse: false }, 'no_use_expected'],
    [
      'in hours that carry nothing',
      { past: silo({}).past.map((day) => ({ ...day, shares: DAYTIME })), nowMs: NOW_MS, hourAt: () => 2 },
      'use_too_small',
    ],
    [
      'with a use that the scale cannot show',
      { past: silo({}).past.map((day) => ({ ...day, kg: 50 })) },
      'use_too_small',
    ],
    [
      'after a refill',
      { movements: [{ fromMs: NOW_MS - 2 * HOUR_MS, toMs: NOW_MS - HOUR_MS }] },
      'other_movement',
    ],
    ['in the first week', { past: silo({}).past.slice(0, 5) }, 'too_few_days'],
    ['when nearly empty', { readings: readings(7, () => 500) }, 'nearly_empty'],
    ['without new weights', { readings: stopped.slice(0, -12) }, 'no_weights'],
  ];
  for (const [name, given, code] of cases) {
    it(`is not told ${name}`, () => {
      const found = noFlow(silo({ readings: stopped, ...given }));
      assert.deepEqual([found.result, found.code], ['inconclusive', code]);
    });
  }

  it('is found although the house was empty, or had a day of rest, some days ago', () => {
    const past = silo({}).past.map((day) => (day.day === TODAY - 7 ? { ...day, kg: 0, shares: null } : day));
    assert.equal(noFlow(silo({ readings: stopped, past })).code, 'use_has_stopped');
  });

  it('of an operation is found within ten minutes, when the scale shows its rate', () => {
    const running = { fromMs: NOW_MS - 15 * MINUTE_MS, kgPerMinute: 100 };
    const found = noFlow(silo({ running, readings: readings(7, () => 10_000) }));
    assert.deepEqual(
      [found.result, found.code, found.severity],
      ['fail', 'operation_moves_nothing', 'critical'],
    );
    const flowing = readings(7, (hoursAgo) => 10_000 + 6_000 * Math.min(0.25, hoursAgo));
    assert.equal(noFlow(silo({ running, readings: flowing })).result, 'pass');
    const justBegun = { ...running, fromMs: NOW_MS - 5 * MINUTE_MS };
    assert.equal(noFlow(silo({ running: justBegun })).result, 'inconclusive');
  });

  it('is confirmed by the fall of what had bridged', () => {
    const fallen = readings(7, (hoursAgo) => (hoursAgo < 0.2 ? 9_000 : 10_000));
    assert.equal(noFlow(silo({ readings: fallen, hadStopped: true })).code, 'material_has_fallen');
    assert.notEqual(noFlow(silo({ readings: fallen })).code, 'material_has_fallen', 'a batch, perhaps');
  });
});

describe('unexplained loss', () => {
  const silo = (given: Partial<LossInput>): LossInput => ({
    nowMs: NOW_MS,
    capacityKg: CAPACITY_KG,
    withdrawals: 'operations_only',
    days: nights(7, () => ({})),
    readings: readings(24, () => 10_000),
    movements: [],
    usualShareAt: () => 0,
    ...given,
  });

  it('of 0.5 % a day is found in seven nights, with the least rate that these nights show', () => {
    const leaking = nights(7, (night) => ({ quietKg: 10_000 - 100 * night + (night % 2 === 0 ? 20 : -20) }));
    const { result, code, values } = unexplainedLoss(silo({ days: leaking }));
    assert.deepEqual([result, code, values['nights']], ['fail', 'steady_loss', 7]);
    assert.ok(Math.abs((values['loss_kg_per_day'] ?? 0) - 100) < 10);
    assert.equal(unexplainedLoss(silo({})).result, 'pass');
  });

  it('states the least detectable rate of the formula: 0.19 % for seven nights at 0.3 %', () => {
    const deviation = 0.003 * CAPACITY_KG;
    const sevenNights = 3.29 * deviation * Math.sqrt(12 / (7 * 48));
    const uneven = nights(7, (night) => ({ quietKg: 10_000 + (night % 2 === 0 ? deviation : -deviation) }));
    const slope = balanceSlope(uneven, CAPACITY_KG);
    assert.ok(slope !== null);
    assert.ok(Math.abs(3.29 * slope.standardErrorKgPerDay - sevenNights) < 0.3 * sevenNights);
    assert.equal(((100 * sevenNights) / CAPACITY_KG).toFixed(2), '0.19');
  });

  it('counts what operations took out, and does not compare nights across a refill', () => {
    const used = nights(10, (night) => ({ quietKg: 12_000 - 900 * night, dischargedKg: 900 }));
    assert.equal(unexplainedLoss(silo({ days: used })).result, 'pass');
    const refilled = nights(14, (night) => ({
      quietKg: night > 6 ? 15_500 : 10_000,
      refilledKg: night === 6 ? 6_000 : 0,
    }));
    assert.equal(
      unexplainedLoss(silo({ days: refilled })).result,
      'pass',
      'the refill was noted with 500 kg too much',
    );
  });

  it('is inconclusive where it cannot be told', () => {
    const code = (given: Partial<LossInput>): string => unexplainedLoss(silo(given)).code;
    assert.equal(code({ withdrawals: 'any' }), 'withdrawals_not_known');
    assert.equal(code({ days: nights(4, () => ({})) }), 'too_few_nights');
    assert.equal(code({ days: nights(14, () => ({ quietKg: null })) }), 'too_few_nights');
    assert.equal(
      code({ days: nights(7, (night) => ({ quietKg: 10_000 + 600 * (night % 2) })) }),
      'scale_too_uneven',
    );
  });

  it('of a step is found at once, unless an operation or the usual use explains it', () => {
    const stolen = readings(24, (hoursAgo) => (hoursAgo > 5 ? 10_000 : 9_500));
    const { code, values } = unexplainedLoss(silo({ readings: stolen }));
    assert.deepEqual([code, Math.round((values['loss_kg'] ?? 0) / 10)], ['step_down', 50]);
    const during = [{ fromMs: NOW_MS - 5.1 * HOUR_MS, toMs: NOW_MS - 4.9 * HOUR_MS }];
    assert.equal(unexplainedLoss(silo({ readings: stolen, movements: during })).result, 'pass');
    const any = { withdrawals: 'any', readings: stolen } as const;
    assert.equal(unexplainedLoss(silo(any)).code, 'step_down', 'in an hour in which nothing is used');
    assert.equal(unexplainedLoss(silo({ ...any, usualShareAt: () => 0.05 })).result, 'inconclusive');
  });
});

describe('sensor suspect', () => {
  const silo = (given: Partial<SensorInput>): SensorInput => ({
    nowMs: NOW_MS,
    capacityKg: CAPACITY_KG,
    withdrawals: 'operations_only',
    readings: readings(24, () => 10_000),
    usualSpreadKg: 60,
    expectedUseKg: () => 0,
    days: nights(21, () => ({})),
    ...given,
  });
  const frozen = (hours: number): LevelReading[] =>
    readings(24, () => 10_000).map((one) =>
      one.atMs < NOW_MS - hours * HOUR_MS ? one : { ...one, kg: 10_000 },
    );

  it('is stuck after six hours in which it should have changed, or after half a day in any case', () => {
    const used = { expectedUseKg: (fromMs: number, toMs: number) => (80 * (toMs - fromMs)) / HOUR_MS };
    assert.equal(sensorSuspect(silo({ readings: frozen(7), ...used })).code, 'stuck');
    assert.equal(sensorSuspect(silo({ readings: frozen(5), ...used })).code, 'steady');
    assert.equal(sensorSuspect(silo({ readings: frozen(7) })).code, 'steady', 'nothing is used');
    assert.equal(sensorSuspect(silo({ readings: frozen(13) })).code, 'stuck', 'no scale is so quiet');
    assert.equal(
      sensorSuspect(silo({ readings: frozen(13), usualSpreadKg: 0 })).code,
      'steady',
      'this one is',
    );
  });

  it('drifts when quiet levels change without a cause, upwards or down', () => {
    for (const perDay of [20, -20]) {
      const days = nights(21, (night) => ({
        quietKg: 10_000 + perDay * night + (night % 2 === 0 ? 20 : -20),
      }));
      const { result, code, values } = sensorSuspect(silo({ days }));
      assert.deepEqual([result, code], ['fail', 'drift']);
      assert.ok(Math.abs((values['drift_kg_per_day'] ?? 0) - perDay) < 4);
    }
    const leak = nights(21, (night) => ({ quietKg: 10_000 - 100 * night }));
    assert.equal(sensorSuspect(silo({ days: leak })).result, 'pass', 'that is told as a loss');
    assert.equal(sensorSuspect(silo({ withdrawals: 'any' })).result, 'inconclusive');
  });

  it('knows the usual spread from half days', () => {
    assert.equal(usualSpreadKg(readings(48, () => 10_000)), 2);
    assert.equal(usualSpreadKg([]), null);
  });
});

describe('delivery mismatch', () => {
  const delivery = { fromMs: NOW_MS - HOUR_MS, toMs: NOW_MS, notedKg: 10_000, measuredKg: 9_990 };
  const cases: readonly (readonly [number, number, readonly number[], string, string | null])[] = [
    [9_990, 20, [], 'as_noted', null],
    [9_700, 20, [], 'less_than_noted', 'warning'],
    [8_500, 20, [], 'less_than_noted', 'critical'],
    [10_400, 20, [], 'more_than_noted', 'warning'],
    [9_700, 100, [], 'as_noted', null],
    [9_700, 20, [9_690, 9_720, 9_710], 'scale_differs_always', 'warning'],
    [9_700, 20, [9_990, 10_010, 10_000], 'less_than_noted', 'warning'],
  ];
  for (const [measuredKg, deviationKg, earlier, code, severity] of cases) {
    it(`of ${measuredKg} kg of 10,000 kg, ± ${deviationKg} kg, after ${earlier.length} deliveries: ${code}`, () => {
      const found = deliveryMismatch({
        delivery: { ...delivery, measuredKg },
        deviationKg,
        earlier: earlier.map((kg) => ({ notedKg: 10_000, measuredKg: kg })),
      });
      assert.deepEqual([found.code, found.severity], [code, severity]);
      assert.equal(found.values['missing_kg'], 10_000 - measuredKg);
    });
  }
});

describe('every finding', () => {
  const weight = fc.record({ atMs: fc.integer({ min: NOW_MS - DAY_MS, max: NOW_MS }), kg: fc.double() });
  const weights = fc.array(weight, { maxLength: 60 }).map((some) => some.sort((a, b) => a.atMs - b.atMs));
  const day = fc.record({
    day: fc.integer({ min: TODAY - 20, max: TODAY }),
    kg: fc.double(),
    shares: fc.option(fc.array(fc.double(), { maxLength: 24 })),
    quietKg: fc.option(fc.double()),
    refilledKg: fc.double(),
    dischargedKg: fc.double(),
  });

  it('accepts every input, and a failure has a severity and a limit', () => {
    fc.assert(
      fc.property(
        weights,
        fc.array(day, { maxLength: 25 }),
        fc.double(),
        fc.double(),
        (some, days, capacityKg, kg) => {
          const withdrawals = days.length % 2 === 0 ? 'any' : 'operations_only';
          const shared = { nowMs: NOW_MS, capacityKg, withdrawals, readings: some, days } as const;
          const running = kg > 0 ? { fromMs: NOW_MS - HOUR_MS, kgPerMinute: kg } : null;
          const flow = {
            ...shared,
            past: days,
            running,
            movements: [],
            today: TODAY,
            isInUse: true,
            hadStopped: kg < 0,
          };
          const findings = [
            noFlow({ ...flow, hourAt: () => kg }),
            unexplainedLoss({ ...shared, movements: [], usualShareAt: () => kg }),
            sensorSuspect({ ...shared, usualSpreadKg: kg, expectedUseKg: () => kg }),
            deliveryMismatch({
              delivery: { fromMs: 0, toMs: 1, notedKg: kg, measuredKg: capacityKg },
              deviationKg: kg,
              earlier: [],
            }),
          ];
          for (const { result, severity } of findings) assert.equal(result === 'fail', severity !== null);
        },
      ),
    );
  });
});
