import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { isForecastDue, type SiloNow } from './due.ts';

const NOW_MS = Date.UTC(2026, 4, 20, 10);
const MADE = {
  madeAtMs: NOW_MS - 10 * MINUTE_MS,
  nextAtMs: NOW_MS + 5 * HOUR_MS,
  watchedUntilMs: 0,
  newestMs: NOW_MS - 10 * MINUTE_MS,
  configurationVersion: 1,
  levelKg: 5_000,
  kgPerDay: 0,
  hadOperation: 0,
};
const SILO: SiloNow = {
  capacityKg: 10_000,
  version: 1,
  newestMs: NOW_MS,
  newestKg: 5_000,
  lateFromMs: null,
  isRunning: false,
  made: MADE,
};

const CASES: readonly (readonly [string, boolean, Partial<SiloNow>])[] = [
  ['that reports as expected waits for its hour', false, {}],
  ['whose hour is over is due', true, { made: { ...MADE, madeAtMs: NOW_MS - HOUR_MS } }],
  [
    'without news waits, whatever its age',
    false,
    { newestMs: MADE.newestMs, made: { ...MADE, madeAtMs: NOW_MS - 2 * HOUR_MS } },
  ],
  [
    'whose silence is too long is due',
    true,
    { newestMs: MADE.newestMs, made: { ...MADE, nextAtMs: NOW_MS } },
  ],
  ['that has never reported is not', false, { newestMs: null, newestKg: null, made: null }],
  ['that has reported first is due', true, { made: null }],
  ['with another configuration is due', true, { version: 2 }],
  ['with readings of the past is due', true, { lateFromMs: NOW_MS - 40 * HOUR_MS }],
  ['whose level has jumped is due', true, { newestKg: 5_101 }],
  ['whose level has changed little is not', false, { newestKg: 5_099 }],
  [
    'that sent the readings of hours at once is due, although its level is as expected',
    true,
    { made: { ...MADE, newestMs: NOW_MS - HOUR_MS } },
  ],
  [
    'that sends the readings of hours is not due at once again',
    false,
    { made: { ...MADE, newestMs: NOW_MS - HOUR_MS, madeAtMs: NOW_MS - 10 * SECOND_MS } },
  ],
  ['in which something runs is due', true, { isRunning: true }],
  ['in which something ran until now is due', true, { made: { ...MADE, hadOperation: 1 } }],
  [
    'in which something runs is not due at once again',
    false,
    { isRunning: true, made: { ...MADE, madeAtMs: NOW_MS - 10 * SECOND_MS } },
  ],
  ['that is watched is due', true, { made: { ...MADE, watchedUntilMs: NOW_MS + 1 } }],
  [
    'made in the future is due, because the clock was set back',
    true,
    { made: { ...MADE, madeAtMs: NOW_MS + 1 } },
  ],
];

describe('a silo', () => {
  for (const [what, isDue, given] of CASES) {
    it(what, () => assert.equal(isForecastDue({ ...SILO, ...given }, NOW_MS), isDue));
  }
});
