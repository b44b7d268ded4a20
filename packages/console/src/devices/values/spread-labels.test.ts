import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spreadLabels } from './spread-labels.ts';

test('labels with room between them stay where they are', () => {
  assert.deepEqual(spreadLabels([10, 200, 60], 20, 0, 300), [10, 200, 60]);
});

test('labels at the same place are moved apart and stay inside', () => {
  assert.deepEqual(spreadLabels([50, 50], 20, 0, 300), [50, 70]);
  assert.deepEqual(spreadLabels([295, 299, 290], 20, 0, 300), [280, 300, 260]);
});
