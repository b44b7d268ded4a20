import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { cableHistoryOf, cableInterval, extentOf, placeOf, stripes } from './cable-history.ts';

const FROM_MS = Date.parse('2026-11-16T06:20:00Z');
const range = (lengthMs: number) => ({ fromMs: FROM_MS, toMs: FROM_MS + lengthMs });

test('a longer time has longer columns', () => {
  const intervals = [6 * HOUR_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS].map((lengthMs) =>
    cableInterval(range(lengthMs)),
  );
  assert.deepEqual(intervals, ['5m', '1h', '1h', '1d']);
});

test('a value is in the column of its time; those of other points, of other times and without a value are left out', () => {
  const row = (sensor: string, timestamp: string, value: number | null) => ({ sensor, timestamp, value });
  const history = cableHistoryOf(
    [
      row('temp_1', '2026-11-16T06:00:00Z', 12),
      row('temp_1', '2026-11-17T06:00:00Z', 14),
      row('temp_2', '2026-11-16T07:00:00Z', null),
      row('temp_2', '2026-11-16T05:00:00Z', 99),
      row('co2', '2026-11-16T07:00:00Z', 600),
    ],
    ['temp_1', 'temp_2'],
    placeOf(range(DAY_MS)),
  );
  assert.equal(history.columns, 25);
  const [first, second] = [...history.values.values()];
  assert.deepEqual([first?.[0], first?.[24]], [12, 14]);
  assert.deepEqual(new Set(second), new Set([undefined]));
  assert.deepEqual(extentOf(history), [12, 14]);
});

test('neighbours of one shade are one stripe, and what breaks a rule has the colour of its alarm', () => {
  const background = stripes({
    row: [10, 10, undefined, 40],
    extent: [10, 40],
    severityOf: (value) => (value >= 30 ? 'warning' : undefined),
  });
  assert.equal(
    background,
    'linear-gradient(to right, color-mix(in oklab, var(--series-1) 8%, var(--surface)) 0% 50%, transparent 50% 75%, var(--warning) 75% 100%)',
  );
});
