import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationPlan } from '@granary/contract/operations';
import { useLanguage } from '../texts.ts';
import { lookTwice } from './look-twice.ts';

const PLAN: OperationPlan = {
  estimated_duration: 1,
  duration_unit: 'minutes',
  unit: 't',
  rate: 100,
  rate_limit: 100,
  rate_unit: 'kg/min',
  room: 9,
  stock: 9,
  level_before: 50,
  level_after: 51,
  crosses: [],
  usual_amount: 0.045,
  warnings: ['far_above_usual'],
  refusal: null,
};

test('what is usual is said to the kilogram, also in tonnes', async () => {
  await useLanguage('en');
  const said = lookTwice({ type: 'feed', title: 'Feed 0.5 t', plan: PLAN, deviceId: 'silo-01' });
  assert.match(said?.text ?? '', /usual: 0\.045\st\)$/);
  assert.match(said?.reasons[0] ?? '', /\(0\.045\st\)/);
});
