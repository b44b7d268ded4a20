import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeSince, trendPath } from './trend.ts';

const WINDOW = { fromMs: 0, toMs: 100, gapMs: 10 };
const BOX = { width: 50, bottom: 90, top: 10 };

test('a line goes from point to point, and a gap is a gap', () => {
  const points = [
    { atMs: 0, value: 0 },
    { atMs: 10, value: 50 },
    { atMs: 40, value: 100 },
    { atMs: 50, value: 100 },
  ];
  const { line, area } = trendPath(points, WINDOW, BOX);
  assert.equal(line, 'M0.0 90.0L5.0 50.0M20.0 10.0L25.0 10.0');
  assert.equal(area, 'M0.0 90L0.0 90.0L5.0 50.0L5.0 90zM20.0 90L20.0 10.0L25.0 10.0L25.0 90z');
});

test('a point between two gaps is a dot, values stay within the box, and times outside it are left out', () => {
  const points = [
    { atMs: -5, value: 50 },
    { atMs: 20, value: 140 },
    { atMs: 60, value: -3 },
    { atMs: 101, value: 50 },
  ];
  assert.equal(trendPath(points, WINDOW, BOX).line, 'M10.0 10.0h0M30.0 90.0h0');
  assert.deepEqual(trendPath([], WINDOW, BOX), { line: '', area: '' });
});

test('a change is known only where there is a value near the beginning', () => {
  const points = [
    { atMs: -1, value: 10 },
    { atMs: 9, value: 40 },
  ];
  assert.equal(changeSince(points, { fromMs: 0, gapMs: 10 }, 25), -15);
  assert.equal(changeSince(points, { fromMs: 0, gapMs: 8 }, 25), null);
  assert.equal(changeSince([], { fromMs: 0, gapMs: 8 }, 25), null);
});
