import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GRAINS } from '@granary/contract/foresight/silo-use';
import { HOUR_MS } from '@granary/contract/time';
import fc from 'fast-check';
import {
  ADVICE_HOURS,
  type AerationInput,
  aerationAdvice,
  expectedWeather,
  type WeatherHour,
} from './aeration.ts';

const NOW_MS = 1_800_000_000_000 - (1_800_000_000_000 % (24 * HOUR_MS));
const PAST_HOURS = 72;

/** The hours of three days; the function returns the weather of each hour of a day. */
const past = (of: (hour: number) => Partial<WeatherHour>): WeatherHour[] =>
  Array.from({ length: PAST_HOURS }, (_, index) => ({
    ms: NOW_MS + (index - PAST_HOURS) * HOUR_MS,
    temperatureC: 10,
    humidityPercent: 70,
    rainMm: 0,
    ...of(index % 24),
  }));

const wheat = (given: Partial<AerationInput>): AerationInput => ({
  nowMs: NOW_MS,
  grain: 'wheat',
  grainC: [20, 21, 22, 23],
  moisturePercent: 13.5,
  observed: past(() => ({})),
  ...given,
});

describe('aeration advice', () => {
  it('names the cool hours, with the reason in numbers', () => {
    const observed = past((hour) => ({
      temperatureC: hour < 8 ? 12 : 22,
      humidityPercent: hour < 8 ? 64 : 50,
    }));
    const { source, windows, obstacle, grainC, frontHours } = aerationAdvice(wheat({ observed }));
    assert.equal(source, 'course_of_last_days');
    const hoursFromNow = (ms: number): number => (ms - NOW_MS) / HOUR_MS;
    assert.deepEqual(
      windows.map(({ action, fromMs, toMs }) => [action, hoursFromNow(fromMs), hoursFromNow(toMs)]),
      [
        ['cool', 0, 8],
        ['cool', 24, 32],
      ],
    );
    assert.equal(obstacle, 'not_cool_enough');
    assert.equal(grainC, 22.25);
    assert.equal(windows[1]?.values.grainC, 22.25);
    assert.equal(Math.round(frontHours), 150);
  });

  const cases: readonly (readonly [string, Partial<AerationInput>, string])[] = [
    ['rain', { observed: past(() => ({ rainMm: 0.4 })) }, 'rain'],
    ['fog', { observed: past(() => ({ temperatureC: 8, humidityPercent: 97 })) }, 'too_humid'],
    ['frost', { observed: past(() => ({ temperatureC: -12, humidityPercent: 70 })) }, 'too_cold'],
    ['a warm day', { observed: past(() => ({ temperatureC: 25 })) }, 'not_cool_enough'],
    ['moist air', { observed: past(() => ({ humidityPercent: 88 })) }, 'would_add_moisture'],
    ['dry air', { observed: past(() => ({ humidityPercent: 35 })) }, 'would_over_dry'],
    ['cool, dry grain', { grainC: [6, 6, 6] }, 'grain_is_cool_and_dry'],
  ];
  for (const [name, given, obstacle] of cases) {
    it(`advises no fan for ${name}`, () => {
      const advice = aerationAdvice(wheat(given));
      assert.equal(advice.hours[0]?.obstacle, obstacle);
      assert.ok(advice.windows.every(({ fromMs }) => fromMs > NOW_MS));
    });
  }

  it('dries moist grain with dry air', () => {
    const advice = aerationAdvice(
      wheat({ moisturePercent: 17, observed: past(() => ({ humidityPercent: 45 })) }),
    );
    assert.equal(advice.windows[0]?.action, 'dry');
  });

  it('counts the heat of the fan: without it the same air would be too moist', () => {
    const observed = past(() => ({ temperatureC: 12, humidityPercent: 70 }));
    assert.equal(aerationAdvice(wheat({ observed, fanHeatC: 0 })).hours[5]?.obstacle, 'would_add_moisture');
    assert.equal(aerationAdvice(wheat({ observed, fanHeatC: 2 })).hours[5]?.action, 'cool');
  });

  it('says where the weather comes from', () => {
    const [first] = past(() => ({}));
    assert.ok(first !== undefined);
    const lastHour = { ...first, ms: NOW_MS - HOUR_MS };
    assert.equal(expectedWeather(wheat({ observed: [lastHour] })).source, 'last_value');
    assert.equal(expectedWeather(wheat({ observed: [] })).source, 'none');
    assert.equal(expectedWeather(wheat({ observed: [first] })).source, 'none', 'three days old');
    const forecast = Array.from({ length: ADVICE_HOURS }, (_, index) => ({
      ...first,
      ms: NOW_MS + index * HOUR_MS,
    }));
    assert.equal(expectedWeather(wheat({ observed: [], forecast })).source, 'forecast');
    assert.equal(aerationAdvice(wheat({ observed: [] })).obstacle, null);
  });

  it('accepts every input, and its windows are in the future, in order and apart', () => {
    const hour = fc.record({
      ms: fc.integer({ min: -80, max: 60 }).map((hours) => NOW_MS + hours * HOUR_MS),
      temperatureC: fc.oneof(fc.double(), fc.double({ min: -20, max: 40, noNaN: true })),
      humidityPercent: fc.oneof(fc.double(), fc.double({ min: 0, max: 100, noNaN: true })),
      rainMm: fc.option(fc.double()),
    });
    const weather = fc
      .uniqueArray(hour, { selector: ({ ms }) => ms, maxLength: 100 })
      .map((hours) => hours.sort((a, b) => a.ms - b.ms));
    const input = fc.record({
      nowMs: fc.constant(NOW_MS + 1),
      grain: fc.constantFrom(...GRAINS),
      grainC: fc.array(fc.double(), { maxLength: 12 }),
      moisturePercent: fc.double(),
      observed: weather,
      forecast: weather,
      fanHeatC: fc.double(),
      airflow: fc.double(),
    });
    fc.assert(
      fc.property(input, (one) => {
        const { windows, frontHours } = aerationAdvice(one);
        assert.ok(Number.isFinite(frontHours));
        let beforeMs = NOW_MS;
        for (const { fromMs, toMs } of windows) {
          assert.ok(fromMs >= beforeMs && toMs > fromMs && toMs <= NOW_MS + ADVICE_HOURS * HOUR_MS);
          beforeMs = toMs;
        }
      }),
    );
  });
});
