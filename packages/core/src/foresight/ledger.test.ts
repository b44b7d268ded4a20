import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { readLedger } from './ledger.ts';
import { dayAt, type LocalCalendar, localCalendar, startOfDay } from './local-calendar.ts';
import {
  DAY_FLAGS,
  type LedgerInput,
  type LedgerResult,
  type LedgerTail,
  type LevelReading,
  type Movement,
} from './types.ts';

const CAPACITY_KG = 20_000;
const STEP_MS = 5 * MINUTE_MS;
const FROM_MS = Date.parse('2026-03-25T23:00:00Z');
const KG_PER_DAY = 1_440;

function berlin(): LocalCalendar {
  const calendar = localCalendar('Europe/Berlin', FROM_MS - 3 * DAY_MS, FROM_MS + 90 * DAY_MS);
  assert.ok(calendar !== null);
  return calendar;
}

const CALENDAR = berlin();
const FIRST_DAY = dayAt(CALENDAR, FROM_MS);

interface Fill {
  readonly atMs: number;
  readonly minutes: number;
  readonly kg: number;
}

/** Noise that is the same in every run: a step of an irrational number. */
const noiseKg = (index: number): number => 40 * (((index * 0.618_034) % 1) - 0.5);

function weightsOf(days: number, fills: readonly Fill[], startKg = 15_000): LevelReading[] {
  const readings: LevelReading[] = [];
  for (let index = 0; index * STEP_MS < days * DAY_MS; index += 1) {
    const atMs = FROM_MS + index * STEP_MS;
    let kg = startKg - (KG_PER_DAY * (atMs - FROM_MS)) / DAY_MS + noiseKg(index);
    for (const fill of fills)
      kg += fill.kg * Math.min(1, Math.max(0, (atMs - fill.atMs) / (fill.minutes * MINUTE_MS)));
    readings.push({ atMs, kg: Math.round(kg) });
  }
  return readings;
}

function ledgerOf(readings: readonly LevelReading[], changes: Partial<LedgerInput> = {}): LedgerResult {
  return readLedger({
    nowMs: (readings.at(-1)?.atMs ?? FROM_MS) + MINUTE_MS,
    calendar: CALENDAR,
    capacityKg: CAPACITY_KG,
    before: null,
    firstDay: FIRST_DAY,
    readings,
    movements: [],
    denials: [],
    ...changes,
  });
}

const closedDays = ({ days }: LedgerResult): { day: number; kg: number }[] =>
  days.filter(({ flags }) => (flags & DAY_FLAGS.open) === 0).map(({ day, kg }) => ({ day, kg }));

const near = (actual: number, expected: number, tolerance: number): void =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected} ± ${tolerance}`);

test('a device that reports seldom: each refill is found once, with its amount, and days are known', () => {
  const fills = [4.6, 13.6, 22.6].map((day) => ({ atMs: FROM_MS + day * DAY_MS, minutes: 30, kg: 12_960 }));
  for (const hours of [4, 6, 12, 24]) {
    const readings = weightsOf(28, fills, 10_000).filter((_, index) => index % (hours * 12) === 0);
    const ledger = ledgerOf(readings);
    assert.equal(ledger.refills.length, 3, `every ${hours} h`);
    for (const { kg } of ledger.refills) near(kg, 12_960, 500);
    for (const { kg } of closedDays(ledger).slice(1)) near(kg, KG_PER_DAY, 500);
    const isEstimated = ledger.days.some(({ flags }) => (flags & DAY_FLAGS.gap) !== 0);
    assert.equal(isEstimated, hours > 4, `every ${hours} h`);
  }
});

test('use is a balance of levels: noise is not counted as use, and a day of 23 hours uses less', () => {
  const days = closedDays(ledgerOf(weightsOf(6, [])));
  assert.deepEqual(
    days.map(({ day }) => day - FIRST_DAY),
    [1, 2, 3, 4],
  );
  for (const { day, kg } of days) {
    const hours = (startOfDay(CALENDAR, day + 1) - startOfDay(CALENDAR, day)) / HOUR_MS;
    near(kg, (KG_PER_DAY * hours) / 24, 15);
  }
  const forward = days.find(({ day }) => startOfDay(CALENDAR, day + 1) - startOfDay(CALENDAR, day) < DAY_MS);
  assert.equal(forward?.day, dayAt(CALENDAR, Date.parse('2026-03-29T12:00:00Z')));
});

const FILLS: readonly { name: string; fills: readonly Fill[] }[] = [
  { name: 'one truck', fills: [{ atMs: FROM_MS + 40 * HOUR_MS, minutes: 30, kg: 8_000 }] },
  { name: 'inside one reporting interval', fills: [{ atMs: FROM_MS + 40 * HOUR_MS, minutes: 4, kg: 8_000 }] },
  { name: 'slow and small', fills: [{ atMs: FROM_MS + 40 * HOUR_MS, minutes: 60, kg: 1_000 }] },
  {
    name: 'over midnight',
    fills: [{ atMs: FROM_MS + 48 * HOUR_MS - 20 * MINUTE_MS, minutes: 40, kg: 6_000 }],
  },
  {
    name: 'two trucks, half an hour apart',
    fills: [
      { atMs: FROM_MS + 40 * HOUR_MS, minutes: 20, kg: 4_000 },
      { atMs: FROM_MS + 40 * HOUR_MS + 50 * MINUTE_MS, minutes: 20, kg: 3_000 },
    ],
  },
];

for (const { name, fills } of FILLS) {
  test(`a refill is found with its amount, and the use of its day stays: ${name}`, () => {
    const result = ledgerOf(weightsOf(4, fills, 9_000));
    assert.equal(result.refills.length, fills.length);
    for (const [index, fill] of fills.entries()) {
      const refill = result.refills[index];
      near(refill?.kg ?? 0, fill.kg, 0.01 * CAPACITY_KG);
      near(refill?.fromMs ?? 0, fill.atMs, 15 * MINUTE_MS);
    }
    for (const { kg } of closedDays(result)) near(kg, KG_PER_DAY, 0.01 * CAPACITY_KG);
  });
}

test('a refill is known within an hour after its end', () => {
  const fill = { atMs: FROM_MS + 40 * HOUR_MS, minutes: 30, kg: 8_000 };
  const untilMs = fill.atMs + 85 * MINUTE_MS;
  const readings = weightsOf(3, [fill], 9_000).filter(({ atMs }) => atMs <= untilMs);
  assert.equal(ledgerOf(readings).refills.length, 1);
  near(ledgerOf(readings).level?.kg ?? 0, 9_000 + 8_000 - (KG_PER_DAY * 41.4) / 24, 100);
});

test('a spike, up or down, of one reading or of some, is never a refill and changes no use', () => {
  const clean = closedDays(ledgerOf(weightsOf(4, [])));
  fc.assert(
    fc.property(
      fc.integer({ min: 60, max: 1_000 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: -12_000, max: 12_000 }),
      (at, count, spikeKg) => {
        const readings = weightsOf(4, []).map((one, index) =>
          index >= at && index < at + count ? { atMs: one.atMs, kg: one.kg + spikeKg } : one,
        );
        const result = ledgerOf(readings);
        assert.deepEqual(result.refills, []);
        for (const [index, { kg }] of closedDays(result).entries()) near(kg, clean[index]?.kg ?? 0, 30);
      },
    ),
  );
});

test('a weight that is wrong for an hour, and then right again, is no refill', () => {
  for (const spikeKg of [6_000, -6_000]) {
    const readings = weightsOf(4, []).map((one, index) =>
      index >= 500 && index < 512 ? { atMs: one.atMs, kg: one.kg + spikeKg } : one,
    );
    assert.deepEqual(ledgerOf(readings).refills, [], `${spikeKg}`);
  }
});

test('a refill that nobody saw come is found after the gap', () => {
  const fill = { atMs: FROM_MS + 40 * HOUR_MS, minutes: 30, kg: 8_000 };
  const isLost = (atMs: number): boolean => atMs > fill.atMs - 5 * HOUR_MS && atMs < fill.atMs + 7 * HOUR_MS;
  const result = ledgerOf(weightsOf(4, [fill], 9_000).filter(({ atMs }) => !isLost(atMs)));
  assert.equal(result.refills[0]?.inGap, true);
  near(result.refills[0]?.kg ?? 0, fill.kg, 0.015 * CAPACITY_KG);
});

test('an operation is a refill with a known amount, however small; one that the scale contradicts is not believed', () => {
  const feed = (kg: number): Movement => ({
    id: 'op_1',
    type: 'feed',
    fromMs: FROM_MS + 40 * HOUR_MS,
    toMs: FROM_MS + 40 * HOUR_MS + 10 * MINUTE_MS,
    kg,
  });
  const small = ledgerOf(weightsOf(4, [{ atMs: feed(150).fromMs, minutes: 10, kg: 150 }]), {
    movements: [feed(150)],
  });
  assert.deepEqual(
    small.refills.map(({ kg, source, operationId }) => ({ kg, source, operationId })),
    [{ kg: 150, source: 'operation', operationId: 'op_1' }],
  );
  const large = ledgerOf(weightsOf(4, [{ atMs: feed(0).fromMs, minutes: 10, kg: 5_000 }], 9_000), {
    movements: [feed(5_100)],
  });
  assert.deepEqual(
    large.refills.map(({ kg }) => kg),
    [5_100],
  );
  const lied = ledgerOf(weightsOf(4, []), { movements: [feed(9_000)] });
  near(lied.refills[0]?.kg ?? 0, 0, 100);
});

test('a rise that a person denies is no refill', () => {
  const fill = { atMs: FROM_MS + 40 * HOUR_MS, minutes: 30, kg: 8_000 };
  const denials = [{ fromMs: fill.atMs, toMs: fill.atMs + HOUR_MS }];
  assert.deepEqual(ledgerOf(weightsOf(4, [fill], 9_000), { denials }).refills, []);
});

test('readings given hour by hour, in one piece, in disorder or twice make the same days and refills', () => {
  const fills = [
    { atMs: FROM_MS + 47 * HOUR_MS, minutes: 45, kg: 7_000 },
    { atMs: FROM_MS + 100 * HOUR_MS, minutes: 20, kg: 5_000 },
  ];
  const readings = weightsOf(7, fills, 9_000).filter(
    ({ atMs }) => atMs < FROM_MS + 60 * HOUR_MS || atMs > FROM_MS + 69 * HOUR_MS,
  );
  const whole = ledgerOf(readings);
  const shuffled = readings.map((one, index) => readings[(index * 7_919) % readings.length] ?? one);
  assert.deepEqual(
    ledgerOf([...shuffled, ...readings.slice(100, 300)], { nowMs: (readings.at(-1)?.atMs ?? 0) + MINUTE_MS }),
    whole,
  );

  const days = new Map<number, unknown>();
  let refills: readonly { fromMs: number }[] = [];
  let before: LedgerInput['before'] = null;
  let last: LedgerResult | null = null;
  const endMs = (readings.at(-1)?.atMs ?? 0) + MINUTE_MS;
  for (let nowMs = FROM_MS + 3 * HOUR_MS; nowMs < endMs + HOUR_MS; nowMs += HOUR_MS) {
    const untilMs = Math.min(nowMs, endMs);
    const since: number = before?.readFromMs ?? FROM_MS;
    const given = readings.filter(({ atMs }) => atMs >= since && atMs <= untilMs);
    last = ledgerOf(given, { nowMs: untilMs, before });
    before = JSON.parse(JSON.stringify(last.tail));
    for (const day of last.days) days.set(day.day, day);
    const { refillsFromMs } = last;
    refills = [...refills.filter(({ fromMs }) => fromMs < refillsFromMs), ...last.refills];
  }
  assert.deepEqual([...days.values()], whole.days);
  assert.deepEqual(refills, whole.refills);
  assert.deepEqual(last?.level, whole.level);
});

test('late readings close their days again, as if they had come in order', () => {
  const fill = { atMs: FROM_MS + 63 * HOUR_MS, minutes: 45, kg: 7_000 };
  const readings = weightsOf(6, [fill], 9_000);
  const whole = ledgerOf(readings);
  const firstDay = dayAt(CALENDAR, FROM_MS + 60 * HOUR_MS);
  const sinceMs = startOfDay(CALENDAR, firstDay) - 30 * HOUR_MS;
  const again = ledgerOf(
    readings.filter(({ atMs }) => atMs >= sinceMs),
    { firstDay },
  );
  assert.deepEqual(
    again.days,
    whole.days.filter(({ day }) => day >= firstDay),
  );
  assert.deepEqual(
    again.refills,
    whole.refills.filter(({ fromMs }) => fromMs >= again.refillsFromMs),
  );
});

test('absurd weights, capacities and times give numbers and no error', () => {
  const kg = fc.oneof(
    fc.double(),
    fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1e300, 0, 1e12),
    fc.integer({ min: -100, max: 20_000 }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.record({ atMs: fc.integer({ min: FROM_MS, max: FROM_MS + 20 * DAY_MS }), kg }), {
        maxLength: 60,
      }),
      fc.oneof(fc.constantFrom(Number.NaN, 0, -5, 1e-9, 1e15), fc.constant(CAPACITY_KG)),
      (readings, capacityKg) => {
        const result = ledgerOf(readings, { capacityKg, nowMs: FROM_MS + 20 * DAY_MS });
        for (const day of result.days) assert.ok(Number.isFinite(day.kg) && Number.isFinite(day.refilledKg));
        for (const refill of result.refills) assert.ok(Number.isFinite(refill.kg) && refill.kg >= 0);
      },
    ),
  );
});

test('how long the weight has not changed is known over passes that read the last hours only', () => {
  const readings = weightsOf(4, []).map((one) =>
    one.atMs < FROM_MS + 3 * DAY_MS ? one : { atMs: one.atMs, kg: 11_111 },
  );
  let before: LedgerTail | null = null;
  for (let nowMs = FROM_MS + 2 * DAY_MS; nowMs <= FROM_MS + 3.8 * DAY_MS; nowMs += HOUR_MS) {
    const fromMs: number = before?.readFromMs ?? 0;
    const known = readings.filter(({ atMs }) => atMs >= fromMs && atMs <= nowMs);
    const result: LedgerResult = ledgerOf(known, { nowMs, before });
    before = result.tail;
    const anew = ledgerOf(
      readings.filter(({ atMs }) => atMs <= nowMs),
      { nowMs },
    );
    assert.deepEqual(result.level, anew.level);
  }
  const { level } = ledgerOf(readings);
  assert.ok((level?.atMs ?? 0) - (level?.unchangedSinceMs ?? 0) > 20 * HOUR_MS);
});

test('weights twice a day: refills with their amount, the present level, and nothing lost between two passes', () => {
  const fill = { atMs: FROM_MS + 4 * DAY_MS + 9 * HOUR_MS, minutes: 30, kg: 9_000 };
  const readings = weightsOf(9, [fill]).filter((_, index) => index % 144 === 72);
  let before: LedgerTail | null = null;
  const found = new Map<number, number>();
  let level: LedgerResult['level'] = null;
  for (let nowMs = FROM_MS + DAY_MS; nowMs < FROM_MS + 9 * DAY_MS; nowMs += 3 * HOUR_MS) {
    const fromMs: number = before?.readFromMs ?? 0;
    const known = readings.filter(({ atMs }) => atMs >= fromMs && atMs <= nowMs);
    const result: LedgerResult = ledgerOf(known, { nowMs, before });
    before = result.tail;
    for (const refill of result.refills) found.set(refill.fromMs, refill.kg);
    level = result.level;
  }
  assert.equal(found.size, 1);
  near([...found.values()][0] ?? 0, 9_000, 200);
  near(level?.kg ?? 0, readings.at(-1)?.kg ?? 0, 60);
  assert.equal(level?.everyMs, DAY_MS / 2);
});

test('wrong weights within an hour after a refill do not hide it', () => {
  const fill = { atMs: FROM_MS + 30 * HOUR_MS, minutes: 30, kg: 9_000 };
  const table = [
    { from: 6, count: 1 },
    { from: 5, count: 3 },
    { from: 7, count: 4 },
    { from: 11, count: 4 },
    { from: 20, count: 4 },
  ];
  for (const { from, count } of table) {
    const first = Math.round((fill.atMs - FROM_MS) / STEP_MS) + 6 + from;
    const readings = weightsOf(3, [fill], 9_000).map((one, index) =>
      index >= first && index < first + count ? { atMs: one.atMs, kg: one.kg - 7_500 } : one,
    );
    const { refills } = ledgerOf(readings);
    assert.equal(refills.length, 1, JSON.stringify({ from, count }));
    near(refills[0]?.kg ?? 0, 9_000, 100);
  }
});
