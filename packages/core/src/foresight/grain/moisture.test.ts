import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GRAINS, type Grain } from '@granary/contract/foresight/silo-use';
import fc from 'fast-check';
import { equilibriumHumidityPercent, equilibriumMoisturePercent, warmedAir } from './moisture.ts';

/** Temperature in °F, relative humidity in %, moisture in % of the wet mass. */
const PUBLISHED: readonly (readonly [Grain, number, number, number])[] = [
  ['maize', 35, 60, 14.8],
  ['maize', 50, 60, 13.9],
  ['maize', 50, 70, 15.7],
  ['maize', 60, 80, 17.2],
  ['maize', 70, 50, 11.2],
  ['maize', 80, 70, 14.0],
  ['maize', 90, 50, 10.5],
  ['maize', 100, 40, 8.7],
  ['maize', 70, 60, 12.8],
  ['barley', 70, 60, 11.8],
  ['soybean', 70, 60, 10.2],
  ['wheat', 70, 60, 13.3],
  ['soft_wheat', 90, 50, 10.8],
];

const grains = fc.constantFrom(...GRAINS);
const temperatures = fc.double({ min: -20, max: 50, noNaN: true });

describe('equilibrium moisture', () => {
  it('agrees with thirteen published values to a tenth of a point', () => {
    for (const [grain, fahrenheit, humidityPercent, published] of PUBLISHED) {
      const temperatureC = (fahrenheit - 32) / 1.8;
      const found = equilibriumMoisturePercent(grain, { temperatureC, humidityPercent });
      assert.ok(
        Math.abs(found - published) <= 0.1,
        `${grain} at ${fahrenheit} °F: ${found}, not ${published}`,
      );
    }
  });

  it('rises with humidity, falls with temperature, and is finite for every input', () => {
    fc.assert(
      fc.property(grains, fc.double(), fc.double(), (grain, temperatureC, humidityPercent) => {
        const found = equilibriumMoisturePercent(grain, { temperatureC, humidityPercent });
        assert.ok(found > 0 && found < 50);
        const moister = { temperatureC, humidityPercent: humidityPercent + 5 };
        if (!Number.isNaN(humidityPercent)) assert.ok(equilibriumMoisturePercent(grain, moister) >= found);
        const warmer = { temperatureC: temperatureC + 5, humidityPercent };
        if (!Number.isNaN(temperatureC)) assert.ok(equilibriumMoisturePercent(grain, warmer) <= found);
      }),
    );
  });

  it('is undone by the equilibrium humidity', () => {
    fc.assert(
      fc.property(
        grains,
        temperatures,
        fc.double({ min: 10, max: 90, noNaN: true }),
        (grain, temperatureC, humidity) => {
          const moisture = equilibriumMoisturePercent(grain, { temperatureC, humidityPercent: humidity });
          assert.ok(Math.abs(equilibriumHumidityPercent(grain, temperatureC, moisture) - humidity) < 0.01);
        },
      ),
    );
  });
});

describe('the heat of a fan', () => {
  it('of one degree turns 70 % into 65.5 %, and the moisture of maize from 15.7 into 14.7', () => {
    const air = { temperatureC: 10, humidityPercent: 70 };
    const blown = warmedAir(air, 1);
    assert.equal(blown.humidityPercent.toFixed(1), '65.5');
    assert.equal(equilibriumMoisturePercent('maize', air).toFixed(1), '15.7');
    assert.ok(Math.abs(equilibriumMoisturePercent('maize', blown) - 14.7) <= 0.1);
  });

  it('never adds water', () => {
    fc.assert(
      fc.property(
        temperatures,
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double(),
        (temperatureC, humidityPercent, byC) => {
          const blown = warmedAir({ temperatureC, humidityPercent }, byC);
          assert.ok(blown.humidityPercent <= humidityPercent + 1e-9 && blown.temperatureC >= temperatureC);
        },
      ),
    );
  });
});
