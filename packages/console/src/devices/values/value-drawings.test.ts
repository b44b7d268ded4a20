import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileLine, spreadLabels } from './value-drawings.ts';

const SIZE = { widthPx: 112, rowPx: 20 };

test('the lowest value is at the left, the highest at the right', () => {
  assert.deepEqual(profileLine([10, 20, 15], SIZE), {
    lines: ['6,10 106,30 56,50'],
    dots: [
      { x: 6, y: 10 },
      { x: 106, y: 30 },
      { x: 56, y: 50 },
    ],
  });
});

test('a missing value interrupts the line', () => {
  assert.deepEqual(profileLine([1, 2, null, 1], SIZE).lines, ['6,10 106,30']);
  assert.deepEqual(profileLine([null, null], SIZE), { lines: [], dots: [] });
});

test('equal values are in the middle', () => {
  assert.deepEqual(profileLine([5, 5], SIZE).lines, ['56,10 56,30']);
});

test('labels with room between them stay where they are', () => {
  assert.deepEqual(spreadLabels([10, 200, 60], 20, 0, 300), [10, 200, 60]);
});

test('labels at the same place are moved apart and stay inside', () => {
  assert.deepEqual(spreadLabels([50, 50], 20, 0, 300), [50, 70]);
  assert.deepEqual(spreadLabels([295, 299, 290], 20, 0, 300), [280, 300, 260]);
});
