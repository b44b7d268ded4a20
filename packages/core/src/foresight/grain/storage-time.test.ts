import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GRAINS } from '@granary/contract/foresight/silo-use';
import { DAY_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { bushelKg } from './grains.ts';
import { STORAGE_DAYS_MAX, storageDays, storageLife, storedSinceMs } from './storage-time.ts';

const celsius = (fahrenheit: number): number => (fahrenheit - 32) / 1.8;

/** Published days at 40, 50, 60, 70 and 80 °F (midwestagsystems.net). */
const MAIZE: readonly (readonly [number, readonly number[]])[] = [
  [16, [763, 339, 151, 85, 47]],
  [18, [291, 130, 58, 32, 18]],
  [20, [144, 64, 29, 16, 9]],
  [22, [85, 38, 17, 10, 6]],
  [24, [57, 26, 11, 7, 4]],
  [28, [33, 15, 7, 4, 3]],
];
/** Days at 50, 60, 70 and 80 °F (NDSU 2019). */
const CEREALS: readonly (readonly [number, readonly number[]])[] = [
  [16, [230, 120, 70, 40]],
  [18, [90, 50, 30, 15]],
  [20, [50, 25, 14, 7]],
  [24, [15, 10, 6, 2]],
];

const grains = fc.constantFrom(...GRAINS);
const anyNumber = fc.oneof(fc.double(), fc.double({ min: -100, max: 200, noNaN: true }));
const temperatures = fc.oneof(anyNumber, fc.double({ min: -25, max: 55, noNaN: true }));
const moistures = fc.oneof(anyNumber, fc.double({ min: 4, max: 42, noNaN: true }));

describe('safe storage time', () => {
  it('of maize agrees with thirty published values', () => {
    for (const [moisture, days] of MAIZE) {
      for (const [index, published] of days.entries()) {
        const fahrenheit = 40 + 10 * index;
        const off = Math.abs(storageDays('maize', celsius(fahrenheit), moisture) - published);
        assert.ok(off <= Math.max(1, 0.02 * published), `${moisture} % at ${fahrenheit} °F: off by ${off}`);
      }
    }
  });

  it('of other grains is that of the tables, for soybeans at three points less', () => {
    for (const [moisture, days] of CEREALS) {
      for (const [index, published] of days.entries()) {
        const temperatureC = celsius(50 + 10 * index);
        for (const [grain, percent] of [
          ['wheat', moisture],
          ['barley', moisture],
          ['soybean', moisture - 3],
        ] as const) {
          const found = storageDays(grain, temperatureC, percent);
          assert.ok(
            Math.abs(found - published) < 1e-6 * published,
            `${grain} ${percent} %: ${found}, not ${published}`,
          );
        }
      }
    }
    assert.equal(Math.round(storageDays('wheat', celsius(55), 17)), 99, 'the geometric mean of 130 and 75');
    assert.ok(storageDays('wheat', celsius(40), 16) > 300, 'the table says more than 300 days');
  });

  it('is finite and positive for every input, and never longer for warmer or wetter grain', () => {
    fc.assert(
      fc.property(grains, temperatures, moistures, (grain, temperature, moisture) => {
        const days = storageDays(grain, temperature, moisture);
        assert.ok(days > 0 && days <= STORAGE_DAYS_MAX, `${days}`);
        if (Number.isNaN(temperature) || Number.isNaN(moisture)) return;
        assert.ok(storageDays(grain, temperature + 1, moisture) <= days * (1 + 1e-9));
        assert.ok(storageDays(grain, temperature, moisture + 0.5) <= days * (1 + 1e-9));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('storage life', () => {
  it('adds the shares that were used at each temperature', () => {
    const days = storageDays('soybean', celsius(50), 16);
    const half = { durationMs: (days / 2) * DAY_MS, temperatureC: celsius(50), moisturePercent: 16 };
    assert.equal(Math.round(days), 70);
    const life = storageLife('soybean', [half, { ...half, durationMs: 0, temperatureC: celsius(70) }]);
    assert.ok(life !== null && Math.abs(life.usedShare - 0.5) < 1e-9);
    assert.equal(Math.round(life.remainingDays), 10, 'half of the 20 days at 70 °F');
    assert.equal(storageLife('soybean', []), null);
  });

  it('does not depend on how the time is divided, and never grows back', () => {
    const period = fc.record({
      durationMs: fc.integer({ min: 0, max: 100 * DAY_MS }),
      temperatureC: anyNumber,
      moisturePercent: anyNumber,
    });
    fc.assert(
      fc.property(grains, fc.array(period, { minLength: 1, maxLength: 6 }), (grain, periods) => {
        const whole = storageLife(grain, periods);
        const halves = periods.flatMap((one) => {
          const half = { ...one, durationMs: one.durationMs / 2 };
          return [half, half];
        });
        const parts = storageLife(grain, halves);
        assert.ok(whole !== null && parts !== null);
        assert.ok(Math.abs(whole.usedShare - parts.usedShare) <= 1e-9 * whole.usedShare);
        assert.ok(whole.remainingDays >= 0);
        const less = storageLife(grain, periods.slice(0, -1));
        assert.ok((less?.usedShare ?? 0) <= whole.usedShare);
      }),
    );
  });

  it('begins with the oldest grain that is still there: what comes in first goes out first', () => {
    const refills = [
      { fromMs: 1, kg: 1_000 },
      { fromMs: 2, kg: 2_000 },
      { fromMs: 3, kg: 500 },
    ];
    const cases: readonly (readonly [number, number | null])[] = [
      [400, 3],
      [501, 2],
      [2_500, 2],
      [3_500, 1],
      [3_501, null],
    ];
    for (const [levelKg, sinceMs] of cases)
      assert.equal(storedSinceMs(levelKg, refills), sinceMs, `${levelKg} kg`);
    assert.equal(storedSinceMs(10, []), null);
  });
});

describe('a bushel', () => {
  it('has the density of the product, or else the standard weight of its grain', () => {
    const rounded = (kg: number | null): number | null =>
      kg === null ? null : Math.round(kg * 1_000) / 1_000;
    assert.deepEqual(
      [
        bushelKg({ name: 'x', grain: 'wheat' }),
        bushelKg({ name: 'x', grain: 'maize' }),
        bushelKg({ name: 'x', grain: 'barley' }),
        bushelKg({ name: 'x', grain: 'wheat', bulk_density: 500 }),
        bushelKg({ name: 'x' }),
        bushelKg(undefined),
      ].map(rounded),
      [27.216, 25.401, 21.772, 17.62, null, null],
    );
  });
});
