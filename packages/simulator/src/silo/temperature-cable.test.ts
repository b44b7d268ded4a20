import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RULES_MAX } from '@granary/contract/configuration/shared-configuration';
import { siloScale } from '@granary/contract/profiles/silo-scale';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { temperatureCAt } from '../physics/climate.ts';
import { bodyAt } from './silo-body.ts';
import { SILOS } from './silos.ts';
import { CABLE_RULES, CABLE_SENSORS, measureCable } from './temperature-cable.ts';

const SILO = SILOS.find(({ hasCable }) => hasCable) ?? assert.fail();
const START_MS = Date.UTC(2026, 0, 1);

const anyTimeMs = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2100, 0, 1) });
const anyLevel = fc.double({ min: 0, max: 1, noNaN: true });

const cableAt = (timeMs: number, level: number) =>
  Object.values(measureCable(SILO, { timeMs, weightKg: level * SILO.capacityKg }));

test('two silos of the farm have a cable of twelve points, each with two rules', () => {
  assert.equal(SILOS.filter(({ hasCable }) => hasCable).length, 2);
  assert.equal(CABLE_SENSORS.length, 12);
  assert.equal(CABLE_RULES.length, 24);
  assert.ok(CABLE_RULES.length <= RULES_MAX);
  const keys = CABLE_RULES.map(({ sensor_id, severity }) => `${sensor_id} ${severity}`);
  assert.equal(new Set(keys).size, CABLE_RULES.length);
});

test('a reading with a cable is one the device link accepts, and is the same when it is measured again', () => {
  fc.assert(
    fc.property(anyTimeMs, (timeMs) => {
      const body = bodyAt(SILO, timeMs);
      const reading = { ts: timeMs, weight: body.weightKg, sensors: measureCable(SILO, body) };
      assert.deepEqual(siloScale.checkTelemetry.faults(reading), []);
      assert.deepEqual(measureCable(SILO, body), reading.sensors);
    }),
  );
});

test('without a fault no point ever reaches the lowest threshold', () => {
  const lowest = Math.min(...CABLE_RULES.map(({ above = 0 }) => above));
  fc.assert(
    fc.property(anyTimeMs, anyLevel, (timeMs, level) => {
      for (const celsius of cableAt(timeMs, level)) assert.ok(celsius < lowest - 1 && celsius > -20);
    }),
    { numRuns: 5_000 },
  );
});

test('points above the grain are as warm as the air, and those inside change slowly', () => {
  fc.assert(
    fc.property(anyTimeMs, (timeMs) => {
      const half = cableAt(timeMs, 0.5);
      const airC = temperatureCAt(SILO, timeMs);
      for (const celsius of half.slice(6)) assert.ok(Math.abs(celsius - airC) <= 0.2);
      const later = cableAt(timeMs + HOUR_MS, 0.5);
      for (const index of [0, 1, 2]) {
        assert.ok(Math.abs((half[index] ?? 0) - (later[index] ?? 0)) < 0.7, `point ${index + 1}`);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('a hot spot develops and cools again within four weeks', () => {
  const middle = Array.from({ length: 56 }, (_, day) => {
    const inside = cableAt(START_MS + day * DAY_MS, 1).slice(0, 5);
    return Math.max(...inside) - Math.min(...inside);
  });
  assert.ok(Math.max(...middle) > 2.5, `${middle}`);
  assert.ok(Math.min(...middle) < 2, `${middle}`);
});
