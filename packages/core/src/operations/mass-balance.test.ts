import assert from 'node:assert/strict';
import { test } from 'node:test';
import { massBalance } from './weighing.ts';

const CAPACITY_G = 10_000_000;

const TABLE = [
  ['agrees', 1_000_000, 1_000_000, 0, false],
  ['differs by 5 %', 1_000_000, 950_000, 5, false],
  ['is short by 6 %', 1_000_000, 940_000, 6, true],
  ['is over by 6 %', 1_000_000, 1_060_000, 6, true],
  ['went the other way', 1_000_000, -1_000_000, 200, true],
  ['differs within noise', 20_000, 12_000, 0, false],
  ['differs by just the noise', 50_000, 40_000, 0, false],
  ['differs by more than noise', 50_000, 39_000, 22, true],
  ['moved although nothing was reported', 0, 30_000, 100, true],
  ['is zero like the report', 0, 0, 0, false],
] as const;

for (const [name, reportedG, measuredG, differencePercent, isImbalanced] of TABLE) {
  test(`a weighed amount that ${name} is ${isImbalanced ? 'an imbalance' : 'in balance'}`, () => {
    assert.deepEqual(massBalance(reportedG, measuredG, CAPACITY_G), { differencePercent, isImbalanced });
  });
}
