import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import { Refusal } from '@granary/contract/errors';
import fc from 'fast-check';
import { refuseBadRules } from './rule-checks.ts';

const SENSORS = [
  { sensorId: 'temp_1', unit: 'celsius', scale: 1_000, min: -40, max: 85 },
  { sensorId: 'co2', unit: 'ppm', scale: 1, min: 0, max: 10_000 },
];

const warm: ThresholdRule = { sensor_id: 'temp_1', above: 30, severity: 'warning' };

const issuesOf = (rules: readonly ThresholdRule[]) => {
  try {
    refuseBadRules(rules, SENSORS);
    return [];
  } catch (error) {
    assert(error instanceof Refusal && error.code === 'invalid_input');
    return error.details ?? [];
  }
};

describe('threshold rules that cannot be applied are refused', () => {
  const { above: _, ...sideless } = warm;
  const cases: readonly [name: string, rules: readonly ThresholdRule[], path: string, message: RegExp][] = [
    ['both sides', [{ ...warm, below: 5 }], '/rules/0', /either above or below/],
    ['no side', [sideless], '/rules/0', /either above or below/],
    ['an unknown sensor', [{ ...warm, sensor_id: 'temp_9' }], '/rules/0/sensor_id', /temp_1, co2/],
    ['a repeated rule', [warm, { ...warm, above: 31 }], '/rules/1', /differ from \/rules\/0/],
    ['a threshold too high', [{ ...warm, above: 85.1 }], '/rules/0/above', /between -40 and 85 celsius/],
    ['a threshold too low', [{ ...sideless, below: -41 }], '/rules/0/below', /between -40 and 85 celsius/],
    ['a dead band to the lower end', [{ ...warm, dead_band: 70 }], '/rules/0/dead_band', /below 70 celsius/],
    [
      'a dead band to the upper end',
      [{ ...sideless, below: 80, dead_band: 5 }],
      '/rules/0/dead_band',
      /below 5 celsius/,
    ],
    ['a value that is always reached', [{ ...warm, above: -40 }], '/rules/0/above', /lowest plausible/],
    ['a value that is always below', [{ ...sideless, below: 85 }], '/rules/0/below', /highest plausible/],
  ];
  for (const [name, rules, path, message] of cases) {
    it(name, () => {
      const [issue, ...more] = issuesOf(rules);
      assert.equal(issue?.path, path);
      assert.match(issue?.message ?? '', message);
      assert.deepEqual(more, []);
    });
  }

  it('and each of them is named', () => {
    const rules = [
      warm,
      warm,
      { ...warm, sensor_id: 'x' },
      { ...warm, severity: 'info' as const, above: 99 },
    ];
    assert.deepEqual(
      issuesOf(rules).map(({ path }) => path),
      ['/rules/1', '/rules/2/sensor_id', '/rules/3/above'],
    );
  });
});

describe('threshold rules', () => {
  it('may differ in side or severity only', () => {
    const { above: _, ...sideless } = warm;
    const rules: ThresholdRule[] = [warm, { ...warm, severity: 'critical' }, { ...sideless, below: 5 }];
    assert.deepEqual(issuesOf(rules), []);
    assert.deepEqual(issuesOf([]), []);
  });

  it('that are accepted can be raised and cleared by plausible values', () => {
    const rule = fc.record(
      {
        sensor_id: fc.constantFrom('temp_1', 'co2'),
        above: fc.oneof(fc.integer({ min: -60, max: 100 }), fc.integer({ min: -60, max: 11_000 })),
        severity: fc.constant('warning' as const),
        dead_band: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 12_000 })),
      },
      { requiredKeys: ['sensor_id', 'above', 'severity'] },
    );
    fc.assert(
      fc.property(rule, (given) => {
        const sensor = SENSORS.find(({ sensorId }) => sensorId === given.sensor_id);
        assert.ok(sensor);
        const isUseful = given.above <= sensor.max && given.above - (given.dead_band ?? 0) > sensor.min;
        assert.equal(issuesOf([given]).length === 0, isUseful);
      }),
    );
  });
});
