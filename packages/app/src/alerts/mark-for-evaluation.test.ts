import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import { SECOND_MS } from '@granary/contract/time';
import { profileOf } from '@granary/core/profiles/profiles';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { isBelievable } from '@granary/core/telemetry/plausibility';
import type { Reading } from '@granary/core/telemetry/readings';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  batchOf,
  evaluatedAfter,
  NOW_MS,
  newFieldDevice,
  registerDevice,
  SILO_CAPACITY_KG,
} from '@granary/testing/app/fixtures';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { type NamedValues, readingsOf } from '@granary/testing/core/readings';
import fc from 'fast-check';
import type { App } from '../app.ts';

const CAPACITY_G = SILO_CAPACITY_KG * 1_000;

/** Weights close to the thresholds, the dead bands and the ends of the plausible range. */
const weightG = fc
  .tuple(fc.constantFrom(-3, 0, 10, 11, 20, 21, 50, 89, 90, 100, 111), fc.integer({ min: -2, max: 2 }))
  .map(([percent, grams]) => (percent * CAPACITY_G) / 100 + grams);

const values: fc.Arbitrary<NamedValues> = fc.record(
  {
    weight: weightG,
    temperature: fc.constantFrom(20_000, 29_499, 29_500, 30_000, 30_500, 35_000, 200_000),
    humidity: fc.constantFrom(50_000, -1),
  },
  { requiredKeys: [] },
);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('batch'), values, lateMs: fc.constantFrom(0, 0, 0, 45_000) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'linkDown' } as const) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('state'), state: fc.constantFrom('online', 'maintenance') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('acknowledge') }) },
);

const RULES: readonly ThresholdRule[] = [
  { sensor_id: 'temperature', above: 30, severity: 'warning', dead_band: 0.5, on_delay_s: 4, off_delay_s: 6 },
  { sensor_id: 'temperature', above: 35, severity: 'critical' },
  { sensor_id: 'humidity', below: 50, severity: 'info', on_delay_s: 1 },
  { sensor_id: 'level', above: 89, severity: 'info', dead_band: 2 },
];

const story = fc.array(
  fc.record({ afterMs: fc.constantFrom(1, 100, 4 * SECOND_MS, 6 * SECOND_MS, 31 * SECOND_MS), step }),
  { minLength: 1, maxLength: 12 },
);

const withoutWeight = ({ weight: _, ...values }: NamedValues): NamedValues => values;

/** The reading as the service accepts it, with the implausible values marked. */
function judged(deviceNo: number, tsMs: number, sent: NamedValues): Reading[] {
  const isBad = ([name, value]: [string, number]) =>
    !isBelievable(STANDARD_SENSORS[name as keyof NamedValues], { value, tsMs }, SILO_CAPACITY_KG);
  const { bad = [], good = [] } = Object.groupBy(Object.entries(sent), (entry) =>
    isBad(entry) ? 'bad' : 'good',
  );
  return readingsOf(deviceNo, tsMs, Object.fromEntries(good), Object.fromEntries(bad));
}

describeEachEngine('the readings that need an evaluation', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const registerSilo = () => registerDevice(app, { capacityKg: SILO_CAPACITY_KG });

  const registerStation = async (): Promise<number> => {
    const profile = 'weather_station';
    const configuration = profileOf(profile).initialConfiguration(NOW_MS);
    return (await app.devices.register(newFieldDevice({ profile, configuration }))).deviceNo;
  };

  it('are all that change an alert or a status', async () => {
    await fc.assert(
      fc.asyncProperty(story, fc.subarray([...RULES]), fc.boolean(), async (steps, someRules, isSilo) => {
        const deviceNo = isSilo ? await registerSilo() : await registerStation();
        const rules = someRules.filter(({ sensor_id }) => isSilo || sensor_id !== 'level');
        await app.configuration.change(deviceNo, { rules }, NOW_MS);
        const by = { acknowledged_by: 'Ana' };
        let nowMs = NOW_MS;
        for (const { afterMs, step } of steps) {
          nowMs += afterMs;
          // Changes that only follow from the time must not be attributed to the batch.
          await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs });
          if (step.kind === 'linkDown') await app.devices.recordLinkDown(deviceNo, nowMs);
          else if (step.kind === 'state') await app.devices.recordState(deviceNo, step.state, nowMs);
          else if (step.kind === 'acknowledge') {
            const page = { deviceNo, filter: 'open', beforeAlertId: null, limit: 10 } as const;
            for (const { alertId } of await app.alerts.list(page)) {
              await app.alerts.acknowledge({ deviceNo, alertId, by, nowMs });
            }
          } else {
            const readings = judged(
              deviceNo,
              nowMs - step.lateMs,
              isSilo ? step.values : withoutWeight(step.values),
            );
            const batch = batchOf({ readings, seen: [{ deviceNo, atMs: nowMs }] });
            if ((await evaluatedAfter(app, batch)).length > 0) continue;
            const { newest } = await app.events.bounds();
            assert.equal((await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs })).changes, 0);
            assert.equal((await app.events.bounds()).newest, newest);
          }
        }
      }),
      { numRuns: IS_FULL_SIZE ? 120 : 25 },
    );
  });
});
