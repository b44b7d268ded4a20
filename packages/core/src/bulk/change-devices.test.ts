import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { FAULTS_LISTED_MAX, refuseFaults } from './change-devices.ts';

const refusalOf = (count: number): Refusal => {
  const faults = Array.from(
    { length: count },
    (_, row): ValidationIssue => ({ path: `/rows/${row}`, message: 'must be a number' }),
  );
  try {
    refuseFaults('the file cannot be imported', faults);
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error('nothing was refused');
};

test('a refusal that lists only the first of many faults says so', () => {
  const few = refusalOf(3);
  assert.equal(few.message, 'the file cannot be imported, nothing was changed: /rows/0 must be a number');
  const many = refusalOf(FAULTS_LISTED_MAX + 50);
  assert.match(many.message, /; only the first 200 faults are listed$/);
  assert.equal(many.details?.length, FAULTS_LISTED_MAX);
});
