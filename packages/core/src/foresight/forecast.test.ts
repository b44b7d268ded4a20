import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveryFit } from '@granary/contract/foresight/delivery-fit';
import { inEnglish } from '@granary/contract/sentences/english';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { EMPTY_WITHIN_DAYS } from './ahead.ts';
import { expectedKg, feedAt } from './animals.ts';
import { forecastOf } from './forecast.ts';
import { HISTORY_DAYS, hourProfile, updateHistory } from './history.ts';
import { dayAt, localCalendar, startOfDay, weekdayOf } from './local-calendar.ts';
import { NO_PREDICTED_EMPTY, predictedEmpty } from './predicted-empty.ts';
import type {
  Animals,
  Forecast,
  ForecastInput,
  History,
  SiloConfiguration,
  Supply,
  UseDay,
} from './types.ts';

const CAPACITY_KG = 20_000;
const NOW_MS = Date.parse('2026-03-20T11:00:00Z');
const calendar = localCalendar('Europe/Berlin', NOW_MS - 220 * DAY_MS, NOW_MS + 70 * DAY_MS);
assert.ok(calendar !== null);
const CALENDAR = calendar;
const TODAY = dayAt(CALENDAR, NOW_MS);

const SUPPLY: Supply = {
  leadTimeH: 48,
  cutOffMinute: 600,
  deliveryDays: [true, true, true, true, true, false, false],
  minKg: 3_000,
  truckKg: 12_000,
  reservePercent: 5,
  planned: [],
};

const configurationOf = (changes: Partial<SiloConfiguration> = {}): SiloConfiguration => ({
  capacityKg: CAPACITY_KG,
  animals: null,
  supply: null,
  withdrawals: 'any',
  ...changes,
});

const dayOf = (day: number, kg: number, flags = 0): UseDay => ({
  day,
  kg,
  dischargedKg: 0,
  refilledKg: 0,
  quietKg: null,
  flags,
  hours: null,
});

const daysOf = (count: number, kgAt: (day: number) => number): UseDay[] =>
  Array.from({ length: count }, (_, index) => {
    const day = TODAY - count + index;
    return dayOf(day, kgAt(day));
  });

const historyOf = (days: readonly UseDay[], configuration = configurationOf()): History | null =>
  updateHistory(null, days, configuration);

function forecast(days: readonly UseDay[], levelKg: number, changes: Partial<ForecastInput> = {}): Forecast {
  const configuration = changes.configuration ?? configurationOf();
  return forecastOf({
    nowMs: NOW_MS,
    calendar: CALENDAR,
    configuration,
    history: historyOf(days, configuration),
    level: {
      kg: levelKg,
      deviationKg: 20,
      atMs: NOW_MS - HOUR_MS / 12,
      unchangedSinceMs: NOW_MS - HOUR_MS / 12,
      everyMs: HOUR_MS / 12,
    },
    newest: null,
    refills: [],
    horizonDays: 14,
    ...changes,
  });
}

const hoursTo = ({ empty }: Forecast): number => ((empty?.p50Ms ?? Number.NaN) - NOW_MS) / HOUR_MS;
const near = (actual: number, expected: number, tolerance: number): void =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected} ± ${tolerance}`);

test('steady use: level by use, to the hour', () => {
  near(
    hoursTo(
      forecast(
        daysOf(40, () => 1_000),
        3_000,
      ),
    ),
    72,
    1,
  );
});

test('a five-day week: nothing is used from Friday evening to Monday', () => {
  const weekly = (day: number): number => (weekdayOf(day) < 5 ? 2_000 : 0);
  // The test begins on Friday noon: 1,000 kg are used on Friday, the rest on Monday and Tuesday.
  const days = daysOf(60, weekly);
  near(hoursTo(forecast(days, 4_000)), 12 + 48 + 36, 3);
  assert.deepEqual(
    forecast(days, 4_000).reasons.find(({ code }) => code === 'weekdays'),
    { code: 'weekdays', values: { quiet: '5,6' } },
  );
});

const BROILERS: Animals = {
  kind: 'broiler',
  heads: 10_000,
  startedOnDay: TODAY - 20,
  endsOnDay: TODAY + 15,
  curve: null,
};

test('broilers: the curve is followed, and its end is known', () => {
  const configuration = configurationOf({ animals: BROILERS });
  const days = daysOf(20, (day) => 0.95 * (expectedKg(BROILERS, day) ?? 0));
  const answer = forecast(days, 8_000, { configuration });
  let [kg, day] = [8_000 - 0.5 * 0.95 * (expectedKg(BROILERS, TODAY) ?? 0), 0];
  while (kg > 0) {
    day += 1;
    kg -= 0.95 * (expectedKg(BROILERS, TODAY + day) ?? 0);
  }
  near(hoursTo(answer), 12 + 24 * (day - 0.5), 14);
  assert.deepEqual(
    answer.reasons.filter(({ code }) => code.startsWith('animals')),
    [
      { code: 'animals_curve', values: { kind: 'broiler', age_days: 21, percent_of_curve: 95 } },
      { code: 'animals_end', values: { day: '2026-04-04' } },
    ],
  );
  // The feed that is left when the animals leave is not used.
  assert.equal(
    forecast(days, 19_500, {
      configuration: configurationOf({ animals: { ...BROILERS, endsOnDay: TODAY + 3 } }),
    }).empty?.p50Ms ?? null,
    null,
  );
});

test('feed of animals: sums and values of the tables', () => {
  const flock = { ...BROILERS, startedOnDay: 0, endsOnDay: null };
  let sum = 0;
  for (let age = 0; age < 42; age += 1) sum += feedAt(flock, age) ?? 0;
  near(sum, 4.585, 0.001);
  const pigs: Animals = { kind: 'pig', heads: 1, startedOnDay: 0, endsOnDay: null, curve: null };
  for (const [weightKg, low, high] of [
    [25, 1, 1.2],
    [70, 2, 2.3],
    [115, 2.5, 2.9],
  ] as const) {
    const kg = feedAt(pigs, Math.round((weightKg - 25) / 0.9)) ?? 0;
    assert.ok(kg > low && kg < high, `${weightKg} kg: ${kg}`);
  }
  assert.equal(feedAt({ ...pigs, kind: 'dairy' }, 10), null);
  assert.equal(feedAt({ ...pigs, kind: 'dairy', curve: [1, 2] }, 10), 2);
});

const STEADY = daysOf(40, () => 1_000);

test('what is said when nothing can be said', () => {
  const level = { kg: 5_000, deviationKg: 20, atMs: NOW_MS, unchangedSinceMs: NOW_MS, everyMs: 0 };
  const table: { name: string; answer: Forecast; status: string; code: string }[] = [
    { name: 'no level', answer: forecast(STEADY, 0, { level: null }), status: 'stale', code: 'stale' },
    {
      name: 'old level',
      answer: forecast(STEADY, 0, { level: { ...level, atMs: NOW_MS - 7 * HOUR_MS } }),
      status: 'stale',
      code: 'stale',
    },
    {
      name: 'stuck',
      answer: forecast(STEADY, 0, { level: { ...level, unchangedSinceMs: NOW_MS - 20 * HOUR_MS } }),
      status: 'stale',
      code: 'weight_unchanged',
    },
    {
      name: 'two days',
      answer: forecast(
        daysOf(2, () => 900),
        5_000,
      ),
      status: 'learning',
      code: 'learning',
    },
    { name: 'no history', answer: forecast([], 5_000), status: 'learning', code: 'learning' },
    {
      name: 'never used',
      answer: forecast(
        daysOf(40, () => 3),
        5_000,
      ),
      status: 'not_in_use',
      code: 'idle',
    },
    { name: 'empty', answer: forecast(STEADY, 50), status: 'empty', code: 'uses' },
    { name: 'negative', answer: forecast(STEADY, -400), status: 'empty', code: 'uses' },
    {
      name: 'capacity',
      answer: forecast(STEADY, 5_000, { configuration: configurationOf({ capacityKg: 100 }) }),
      status: 'unpredictable',
      code: 'capacity_not_plausible',
    },
    {
      name: 'lasts',
      answer: forecast(
        daysOf(40, () => 100),
        19_000,
      ),
      status: 'ok',
      code: 'lasts_longer',
    },
  ];
  const wrongAnimals = [
    { startedOnDay: TODAY + 4_000 },
    { startedOnDay: TODAY - 400, endsOnDay: null },
    { startedOnDay: Number.NaN },
    { endsOnDay: TODAY - 30 },
    { heads: 1e9 },
    { heads: -1 },
  ].map((changes) => ({
    name: JSON.stringify(changes),
    answer: forecast(STEADY, 5_000, {
      configuration: configurationOf({ animals: { ...BROILERS, ...changes } }),
    }),
    status: 'unpredictable',
    code: 'animals_not_plausible',
  }));
  for (const { name, answer, status, code } of table.concat(wrongAnimals)) {
    assert.equal(answer.status, status, name);
    assert.equal(answer.reasons[0]?.code, code, name);
    assert.equal(answer.empty, null, name);
    assert.doesNotMatch(answer.reasons.map(inEnglish).join(' '), /undefined|null|NaN/, name);
  }
});

test('idle days end the use of a silo soon, and a refill does not begin its history anew', () => {
  const stopped = daysOf(40, (day) => (day >= TODAY - 4 ? 0 : 1_000));
  const idle = forecast(stopped, 5_000);
  assert.equal(idle.status, 'not_in_use');
  assert.equal(idle.score, null);
  const refilled = daysOf(40, () => 1_000).map((one) => (one.day === TODAY - 1 ? { ...one, flags: 4 } : one));
  near(hoursTo(forecast(refilled, 3_000)), 72, 1);
});

test('after idle days the use of the flock before is followed, though nothing was right while it was idle', () => {
  const kgAt = (day: number): number => {
    const age = (day - TODAY + 10 + 480) % 48;
    return age < 42 ? 20_000 * (feedAt(BROILERS, age) ?? 0) : 0;
  };
  const fiveDaysKg = [0, 1, 2, 3, 4].reduce((sum, ahead) => sum + kgAt(TODAY + ahead), 0);
  near(hoursTo(forecast(daysOf(100, kgAt), fiveDaysKg)), 120, 12);
});

const anyKg = fc.oneof(
  fc.integer({ min: -500, max: 4_000 }),
  fc.constantFrom(0, 0, 1e9, -1e9),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
);
const anySupply = fc.record({
  leadTimeH: fc.integer({ min: 0, max: 400 }),
  cutOffMinute: fc.option(fc.integer({ min: 0, max: 1_439 })),
  deliveryDays: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
  minKg: fc.integer({ min: 0, max: 30_000 }),
  truckKg: fc.integer({ min: 0, max: 30_000 }),
  reservePercent: fc.integer({ min: 0, max: 50 }),
  planned: fc.constant([]),
});

test('whatever was used: times and levels in order, no absurd date, order by before the lead time', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ kg: anyKg, flags: fc.constantFrom(0, 2, 4, 8, 16) }), { maxLength: 60 }),
      fc.integer({ min: 0, max: CAPACITY_KG }),
      anySupply,
      (uses, levelKg, supply) => {
        const days = uses.map(({ kg, flags }, index) => dayOf(TODAY - uses.length + index, kg, flags));
        const answer = forecast(days, levelKg, { configuration: configurationOf({ supply }) });
        assert.doesNotMatch(answer.reasons.map(inEnglish).join(' '), /undefined|null|NaN/);
        const { empty } = answer;
        const latestMs = NOW_MS + (EMPTY_WITHIN_DAYS + 1.1) * DAY_MS;
        const times = [empty?.p10Ms ?? null, empty?.p50Ms ?? null, empty?.p90Ms ?? null].filter(
          (one) => one !== null,
        );
        for (const [index, time] of times.entries()) {
          assert.ok(Number.isInteger(time) && time >= NOW_MS && time <= latestMs);
          assert.ok(time >= (times[index - 1] ?? 0));
        }
        let before: number[] = [];
        for (const { p10, p25, p50, p75, p90 } of answer.path) {
          const levels = [p10, p25, p50, p75, p90];
          for (const [index, kg] of levels.entries()) {
            assert.ok(Number.isFinite(kg) && kg >= 0 && kg >= (levels[index - 1] ?? 0));
            assert.ok(kg <= (before[index] ?? Number.POSITIVE_INFINITY));
          }
          before = levels;
        }
        if (answer.orderByMs !== null && empty?.p10Ms !== undefined && empty.p10Ms !== null) {
          assert.ok(answer.orderByMs <= empty.p10Ms - supply.leadTimeH * HOUR_MS);
          const { suggestion } = answer;
          assert.ok(suggestion !== null && suggestion.kg >= 0 && suggestion.kg <= CAPACITY_KG);
          assert.ok(suggestion.deliverFromMs <= suggestion.deliverToMs);
        }
        assert.ok(!JSON.stringify(answer).includes('null,"forecasts"'));
      },
    ),
  );
});

test('order by: the cut-off of the day that is the lead time before the last delivery in time', () => {
  // 3,400 kg above the reserve last until Monday night at 1,000 kg a day; the truck comes on Monday until 18:00.
  const { orderByMs, suggestion, usableKg } = forecast(STEADY, 4_400, {
    configuration: configurationOf({ supply: SUPPLY }),
  });
  assert.equal(usableKg, 3_400);
  const at = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 16);
  assert.equal(at(orderByMs ?? 0), '2026-03-21T09:00');
  assert.equal(at(suggestion?.deliverToMs ?? 0).slice(0, 10), '2026-03-23');
  assert.equal(suggestion?.kg, 12_000);
});

test('without a cut-off an order counts from its own time on', () => {
  const supply = { ...SUPPLY, cutOffMinute: null };
  const { orderByMs, suggestion } = forecast(STEADY, 4_400, { configuration: configurationOf({ supply }) });
  assert.equal(orderByMs, (suggestion?.deliverToMs ?? 0) - 48 * HOUR_MS);
});

test('what cannot come in time as usual has to come from now on', () => {
  const { suggestion } = forecast(STEADY, 2_500, { configuration: configurationOf({ supply: SUPPLY }) });
  assert.equal(suggestion?.deliverFromMs, NOW_MS);
  assert.ok((suggestion?.deliverToMs ?? 0) > NOW_MS);
});

test('an amount fits when all of it has room, and how much fits now is told', () => {
  const supply = { ...SUPPLY, truckKg: 16_000 };
  const { suggestion, path } = forecast(STEADY, 6_000, { configuration: configurationOf({ supply }) });
  assert.ok(suggestion !== null && suggestion.kg === 16_000);
  const levels = path.map(({ atMs, p90 }) => ({ atMs, kg: p90 }));
  const fitAt = (atMs: number) => deliveryFit(levels, CAPACITY_KG, { atMs, kg: suggestion.kg });
  assert.ok(suggestion.fitsFromMs > NOW_MS + DAY_MS, 'half of it fits now');
  near(fitAt(suggestion.fitsFromMs).kg, 16_000, 200);
  assert.ok(fitAt(suggestion.fitsFromMs - 6 * HOUR_MS).kg < 16_000);
  near(suggestion.fitsNowKg, fitAt(NOW_MS).kg, 1);
  assert.ok(suggestion.fitsNowKg < 13_500 && suggestion.fitsNowKg > 12_500);
  assert.ok(suggestion.deliverFromMs >= suggestion.fitsFromMs);
});

test('what an ordered delivery takes is not offered before it comes, and what it spills delays no order', () => {
  const supply = { ...SUPPLY, truckKg: 16_000 };
  const order = (kg: number, atMs = NOW_MS + 3 * HOUR_MS) =>
    forecast(STEADY, 6_000, {
      configuration: configurationOf({ supply: { ...supply, planned: [{ atMs, kg }] } }),
    });
  const [full, spilt] = [order(13_000), order(20_000)];
  assert.ok(full.orderByMs !== null && spilt.orderByMs !== null);
  assert.ok(spilt.orderByMs - full.orderByMs < 2 * DAY_MS, 'no more than the silo holds');
  assert.ok(full.suggestion !== null && full.suggestion.kg > 5_000);
  assert.ok(full.suggestion.fitsNowKg < 1_000, 'the room of the delivery is taken');
  assert.ok(full.suggestion.fitsFromMs > NOW_MS + 4 * DAY_MS);
});

test('what was entered is checked, and the level with it is told beside that without', () => {
  const atMs = NOW_MS + 3 * HOUR_MS;
  const withPlanned = (levelKg: number, planned: Supply['planned']) =>
    forecast(STEADY, levelKg, { configuration: configurationOf({ supply: { ...SUPPLY, planned } }) });
  const none = withPlanned(6_000, []);
  assert.equal(none.withDeliveries, null);
  const large = withPlanned(6_000, [{ atMs, kg: 16_000 }]);
  assert.deepEqual(large.empty, none.empty, 'if nothing comes');
  const [delivery] = large.withDeliveries?.deliveries ?? [];
  assert.ok(delivery !== undefined && delivery.fitsKg > 12_500 && delivery.fitsKg < 14_000);
  assert.ok((delivery.fitsFromMs ?? 0) > atMs + DAY_MS);
  // Only as much of the delivery counts as the silo can hold.
  const daysLater = ((large.withDeliveries?.empty?.p50Ms ?? 0) - (none.empty?.p50Ms ?? 0)) / DAY_MS;
  near(daysLater, 14, 0.5);
  const steps = large.withDeliveries?.path.filter((point) => point.atMs === atMs) ?? [];
  assert.equal(steps.length, 2);
  assert.ok((steps[1]?.p50 ?? 0) === CAPACITY_KG && (steps[0]?.p50 ?? 0) < 6_000);
  // A truck that comes after the silo is empty does not change the time at which it is empty, and its load still counts.
  const late = withPlanned(2_000, [{ atMs: NOW_MS + 5 * DAY_MS, kg: 12_000 }]);
  assert.deepEqual(late.withDeliveries?.empty?.p50Ms, late.empty?.p50Ms);
  assert.deepEqual(late.withDeliveries?.deliveries[0]?.fitsFromMs, NOW_MS + 5 * DAY_MS);
  near(
    late.withDeliveries?.path.findLast((point) => point.atMs === NOW_MS + 5 * DAY_MS)?.p50 ?? 0,
    12_000,
    1,
  );
});

test('an empty silo has to be ordered for, unless it is not used', () => {
  const configuration = configurationOf({ supply: SUPPLY });
  const answer = forecast(STEADY, 20, { configuration });
  assert.equal(answer.status, 'empty');
  assert.ok((answer.orderByMs ?? Number.POSITIVE_INFINITY) < NOW_MS);
  assert.equal(answer.suggestion?.kg, 12_000);
  const noise = (day: number): number => [4, -3, 2][day % 3] ?? 0;
  const unused = forecast(daysOf(30, noise), 20, { configuration });
  assert.deepEqual([unused.status, unused.orderByMs, unused.suggestion], ['empty', null, null]);
  assert.deepEqual(
    unused.reasons.map(({ code }) => code),
    ['idle'],
  );
});

test('before the animals leave no more is proposed than they eat, and nothing if it is there', () => {
  const animals = { ...BROILERS, endsOnDay: TODAY + 4 };
  const configuration = configurationOf({ animals, supply: { ...SUPPLY, minKg: 0 } });
  const days = daysOf(20, (day) => expectedKg(animals, day) ?? 0);
  const needed = [0, 1, 2, 3].reduce((sum, ahead) => sum + (expectedKg(animals, TODAY + ahead) ?? 0), 0);
  const { suggestion } = forecast(days, 2_500, { configuration });
  assert.ok(
    suggestion !== null && suggestion.kg > 500 && suggestion.kg < needed - 1_500,
    `${suggestion?.kg}`,
  );
  const enough = forecast(days, needed + 500, { configuration });
  assert.deepEqual([enough.orderByMs, enough.suggestion], [null, null]);
});

test('a curve that the use does not follow is told with the true ratio, and one of nothing is not told', () => {
  const said = (animals: Animals) =>
    forecast(STEADY, 4_000, { configuration: configurationOf({ animals }) }).reasons;
  const pig: Animals = { kind: 'pig', heads: 100, startedOnDay: TODAY - 30, endsOnDay: null, curve: null };
  const ratio = 1_000 / (expectedKg(pig, TODAY - 3) ?? 1);
  assert.ok(ratio > 4);
  const told = said(pig).find(({ code }) => code === 'animals_do_not_match');
  near(Number(told?.values?.['percent_of_curve']), 100 * ratio, 3);
  const codes = said({ ...pig, kind: 'other', curve: [0, 0] }).map(({ code }) => code);
  assert.ok(!codes.some((code) => code.startsWith('animals')), codes.join());
});

test('a day on which the weight rose and nothing was refilled is not known', () => {
  const days = daysOf(40, (day) => (day === TODAY - 3 ? -12_500 : 1_000));
  const answer = forecast(days, 3_000);
  assert.equal(answer.use?.kgPerDay, 1_000);
  near(hoursTo(answer), 72, 3);
});

test('the history is the same whatever the order in which days became known', () => {
  const kgAt = (day: number): number => 800 + 40 * weekdayOf(day) + 7 * (day % 11);
  const days = daysOf(HISTORY_DAYS + 20, kgAt);
  const configuration = configurationOf();
  let byDay: History | null = null;
  for (const day of days) byDay = JSON.parse(JSON.stringify(updateHistory(byDay, [day], configuration)));
  const whole = updateHistory(null, days.slice(-HISTORY_DAYS), configuration);
  assert.deepEqual(byDay, whole);
  // The day is closed again with other readings.
  const late = dayOf(TODAY - 9, 300, 2);
  const again = updateHistory(byDay, [late], configuration);
  const inOrder = updateHistory(
    null,
    days.map((one) => (one.day === late.day ? late : one)).slice(-HISTORY_DAYS),
    configuration,
  );
  assert.deepEqual(again, inOrder);
  assert.notDeepEqual(again?.origins, byDay?.origins);
  assert.ok(JSON.stringify(byDay).length < 16_000, `${JSON.stringify(byDay).length}`);
});

test('a wrong date of animals that is possible is noticed by its errors', () => {
  const wrong = { ...BROILERS, startedOnDay: TODAY - 1, endsOnDay: null };
  near(hoursTo(forecast(STEADY, 3_000, { configuration: configurationOf({ animals: wrong }) })), 72, 20);
});

test('the day on which animals leave ends the use, also of animals without a curve, unless the use goes on after it', () => {
  const leaving = (endsOnDay: number): Forecast => {
    const animals: Animals = { kind: 'dairy', heads: 50, startedOnDay: TODAY - 300, endsOnDay, curve: null };
    return forecast(STEADY, 3_000, { configuration: configurationOf({ animals }) });
  };
  assert.equal(leaving(TODAY + 2).empty?.p50Ms ?? null, null);
  near(hoursTo(leaving(TODAY + 5)), 72, 1);
  near(hoursTo(leaving(TODAY - 6)), 72, 1);
});

test('the hour profile is learned from days', () => {
  const noon = `${'5'.repeat(12)}${String.fromCharCode(33 + 20 + 50)}${String.fromCharCode(33 + 20 + 50)}${'5'.repeat(10)}`;
  const profile = hourProfile({ hours: new Array(28).fill(noon) });
  near(
    profile.reduce((sum, share) => sum + share, 0),
    1,
    1e-9,
  );
  assert.ok((profile[12] ?? 0) > 0.4);
});

test('predicted_empty: two in a row, a dead band, once in a cycle, and not before a planned delivery', () => {
  const made = (leftH: number | null): Forecast => ({
    ...forecast(STEADY, 5_000),
    empty:
      leftH === null
        ? null
        : { p10Ms: NOW_MS + leftH * HOUR_MS, p50Ms: NOW_MS + leftH * HOUR_MS, p90Ms: null },
  });
  const run = (
    hours: readonly (number | null)[],
    supply: Supply | null,
    refills: readonly (number | null)[] = [],
  ) => {
    let state = NO_PREDICTED_EMPTY;
    return hours.map((leftH, index) => {
      const lastRefillMs = refills[index] ?? null;
      state = predictedEmpty({ state, forecast: made(leftH), supply, lastRefillMs });
      return state.severity;
    });
  };
  assert.deepEqual(run([70, 59, 58, 57], SUPPLY), [null, null, 'warning', 'warning']);
  assert.deepEqual(run([59, 61, 59, 61], SUPPLY), [null, null, null, null]);
  assert.deepEqual(run([59, 58], null), [null, 'warning']);
  assert.deepEqual(run([59, 59, 80, 85, 59, 59], SUPPLY), [null, 'warning', 'warning', null, null, null]);
  assert.deepEqual(run([59, 59, 11, 30], SUPPLY), [null, 'warning', 'critical', 'critical']);
  assert.deepEqual(run([59, 59, null], SUPPLY), [null, 'warning', null]);
  const refill = NOW_MS - DAY_MS;
  assert.deepEqual(run([59, 59, 300, 59, 59], SUPPLY, [1, 1, refill, refill, refill]), [
    null,
    'warning',
    null,
    null,
    'warning',
  ]);
  const planned = { ...SUPPLY, planned: [{ atMs: NOW_MS + 20 * HOUR_MS, kg: 5_000 }] };
  assert.deepEqual(run([40, 40, 19, 19], planned), [null, null, null, 'warning']);
});

test('predicted_empty: a delivery in time ends it, one that is too late or does not come raises it again', () => {
  const emptyMs = NOW_MS + 50 * HOUR_MS;
  const refillMs = NOW_MS - 10 * DAY_MS;
  /** Makes one forecast an hour; the delivery is planned after the second one. */
  const run = (plannedH: number, hours: number, lastRefillMs = refillMs) => {
    let state = NO_PREDICTED_EMPTY;
    return Array.from({ length: hours }, (_, hour) => {
      const madeAtMs = NOW_MS + hour * HOUR_MS;
      const planned = hour < 2 ? [] : [{ atMs: NOW_MS + plannedH * HOUR_MS, kg: 5_000 }];
      state = predictedEmpty({
        state,
        forecast: {
          ...forecast(STEADY, 5_000),
          madeAtMs,
          empty: { p10Ms: emptyMs, p50Ms: emptyMs, p90Ms: null },
        },
        supply: { ...SUPPLY, planned },
        lastRefillMs,
      });
      return state.severity;
    });
  };
  assert.deepEqual(run(30, 4), [null, 'warning', null, null]);
  assert.deepEqual(run(30, 33).slice(-3), [null, null, 'warning'], 'the truck is an hour late');
  assert.deepEqual(run(51, 4), [null, 'warning', 'warning', 'warning'], 'the truck comes too late');
  assert.deepEqual(run(60, 40).slice(-3), ['warning', 'critical', 'critical'], 'twelve hours are left');
  const early = NOW_MS + 20 * HOUR_MS;
  assert.deepEqual(run(30, 40, early).slice(-1), ['critical'], 'a refill that was not enough');
});

test('a planned delivery is counted by the order, not by the time of running empty', () => {
  const answer = (planned: Supply['planned']) =>
    forecast(STEADY, 3_000, { configuration: configurationOf({ supply: { ...SUPPLY, planned } }) });
  const without = answer([]);
  const inTime = answer([{ atMs: NOW_MS + DAY_MS, kg: 2_000 }]);
  assert.deepEqual(inTime.empty, without.empty);
  near(((inTime.orderByMs ?? 0) - (without.orderByMs ?? 0)) / DAY_MS, 2, 1);
  const tooLate = answer([{ atMs: NOW_MS + 5 * DAY_MS, kg: 2_000 }]);
  assert.equal(tooLate.orderByMs, without.orderByMs);
  const full = answer([
    { atMs: NOW_MS + DAY_MS, kg: 40_000 },
    { atMs: NOW_MS + 2 * DAY_MS, kg: 40_000 },
  ]);
  assert.ok((full.suggestion?.kg ?? 0) <= configurationOf().capacityKg);
  assert.deepEqual(answer([{ atMs: NOW_MS - 2 * HOUR_MS, kg: 2_000 }]).orderByMs, without.orderByMs);
});

test('a silo that is filled twice a day and says nothing of its supply is told of when it is late only', () => {
  const refills = Array.from({ length: 28 }, (_, index) => ({
    fromMs: NOW_MS - index * 12 * HOUR_MS,
    toMs: NOW_MS - index * 12 * HOUR_MS,
    kg: 700,
    measuredKg: 700,
    source: 'detected' as const,
    operationId: null,
    inGap: false,
  }));
  const severityOf = (levelKg: number): string | null => {
    const made = forecast(STEADY, levelKg, {
      configuration: configurationOf({ capacityKg: 1_000 }),
      refills,
    });
    const first = predictedEmpty({
      state: NO_PREDICTED_EMPTY,
      forecast: made,
      supply: null,
      lastRefillMs: NOW_MS,
    });
    return predictedEmpty({ state: first, forecast: made, supply: null, lastRefillMs: NOW_MS }).severity;
  };
  assert.equal(severityOf(500), null);
  assert.equal(severityOf(60), 'critical');
});

test('a weight that never changes: a working day that is missed is a stuck sensor, a weekend is not', () => {
  const working = daysOf(40, (day) => (weekdayOf(day) < 5 ? 1_400 : 0));
  const stuckSince = (nowMs: number, hours: number): Forecast =>
    forecast(
      working.filter(({ day }) => day < dayAt(CALENDAR, nowMs)),
      5_000,
      {
        nowMs,
        history: historyOf(working.filter(({ day }) => day < dayAt(CALENDAR, nowMs))),
        level: {
          kg: 5_000,
          deviationKg: 0,
          atMs: nowMs,
          unchangedSinceMs: nowMs - hours * HOUR_MS,
          everyMs: 0,
        },
      },
    );
  const friday = Date.parse('2026-03-20T11:00:00Z');
  assert.equal(stuckSince(friday, 14).status, 'stale');
  assert.equal(stuckSince(friday, 14).reasons[0]?.code, 'weight_unchanged');
  assert.equal(stuckSince(friday - 5 * DAY_MS, 35).status, 'ok');
});

test('a capacity that is much too large, and weights that no silo has', () => {
  const wide = configurationOf({ capacityKg: 10_000_000 });
  const days = daysOf(30, (day) => (day % 6 === 0 ? -5_800 : 1_200));
  const large = forecast(days, 3_300, { configuration: wide });
  assert.deepEqual([large.status, large.reasons[0]?.code], ['unpredictable', 'capacity_not_plausible']);
  const level = {
    kg: 5_000,
    deviationKg: 0,
    atMs: NOW_MS - DAY_MS,
    unchangedSinceMs: NOW_MS - DAY_MS,
    everyMs: 0,
  };
  for (const kg of [-6_000, 90_000]) {
    const strange = forecast(STEADY, 0, { level, newest: { atMs: NOW_MS, kg } });
    assert.deepEqual([strange.status, strange.reasons[0]?.code], ['unpredictable', 'capacity_not_plausible']);
  }
  assert.equal(forecast(STEADY, 0, { level, newest: { atMs: NOW_MS, kg: 5_000 } }).status, 'stale');
});

test('what was taken out to empty a silo is not its use, and a small silo is ordered for in small steps', () => {
  const emptied = daysOf(40, (day) => (day === TODAY - 1 ? 12_000 : 1_000)).map((one) =>
    one.day === TODAY - 1 ? { ...one, flags: 16 } : one,
  );
  assert.equal(forecast(emptied, 50).reasons[0]?.values['kg_per_day'], 1_000);
  const small = configurationOf({ capacityKg: 10, supply: SUPPLY });
  const answer = forecast(
    daysOf(40, () => 1.2),
    3.4,
    { configuration: small },
  );
  near(answer.suggestion?.kg ?? 0, 6.2, 0.3);
});

test('a scale that reports twice a day is answered for all day, with what was used since its last weight', () => {
  const atMs = startOfDay(CALENDAR, TODAY) - 6 * HOUR_MS;
  const level = { kg: 3_000, deviationKg: 0, atMs, unchangedSinceMs: atMs, everyMs: 12 * HOUR_MS };
  const nowMs = atMs + 11 * HOUR_MS;
  const answer = forecast(STEADY, 0, { nowMs, level });
  assert.equal(answer.status, 'ok');
  near(((answer.empty?.p50Ms ?? 0) - atMs) / HOUR_MS, 72, 2);
  assert.equal(forecast(STEADY, 0, { nowMs, level: { ...level, everyMs: 0 } }).status, 'stale');
});

test('a day of 25 hours moves the time of running empty by its hour', () => {
  const nowMs = Date.parse('2026-10-24T10:00:00Z');
  const autumn = localCalendar('Europe/Berlin', nowMs - 60 * DAY_MS, nowMs + 70 * DAY_MS);
  assert.ok(autumn !== null);
  const today = dayAt(autumn, nowMs);
  const days = Array.from({ length: 40 }, (_, index) => dayOf(today - 40 + index, 1_000));
  const answer = forecastOf({
    nowMs,
    calendar: autumn,
    configuration: configurationOf(),
    history: historyOf(days),
    level: { kg: 2_500, deviationKg: 20, atMs: nowMs, unchangedSinceMs: nowMs, everyMs: 0 },
    newest: null,
    refills: [],
    horizonDays: 0,
  });
  near((answer.empty?.p50Ms ?? 0) - startOfDay(autumn, today + 3), 0, HOUR_MS / 4);
  near(((answer.empty?.p50Ms ?? 0) - nowMs) / HOUR_MS, 12 + 25 + 24, 1);
});
