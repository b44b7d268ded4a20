import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluatePoints, type RawValue, type ValueRules } from './value.ts';

const RULES: ValueRules = {
  scale: 1,
  offset: 0,
  scaleFrom: null,
  negativeWhen: null,
  table: null,
  unit: 'kg',
  unitFrom: null,
  convert: null,
  none: [],
  range: null,
  badWhen: [],
  validWhen: [],
};

/** Returns the value of 7 kg with this status. */
function judged(rules: Partial<ValueRules>, status: RawValue['is'] | undefined) {
  const points = [{ name: 'weight', sensor: 'weight', rules: { ...RULES, ...rules } }];
  const raws = new Map<string, RawValue>([['weight', { shown: '7', is: 7 }]]);
  if (status !== undefined) raws.set('status', { shown: String(status), is: status });
  return evaluatePoints(points, (name) => raws.get(name)).map(({ value, reason }) => [value, reason]);
}

const FAULT = { point: 'status', is: { bit: 3 } };

test('a status that cannot be decided makes a value bad, and one that is missing leaves it out', () => {
  assert.deepEqual(judged({ badWhen: [FAULT] }, 0), [[7, null]]);
  assert.deepEqual(judged({ badWhen: [FAULT] }, 8), [[7, 'bad_status']]);
  for (const rules of [{ badWhen: [FAULT] }, { validWhen: [FAULT] }, { negativeWhen: FAULT }]) {
    for (const unknown of [null, 'on', 0.5]) assert.deepEqual(judged(rules, unknown), [[7, 'bad_status']]);
    assert.deepEqual(judged(rules, undefined), []);
  }
});
