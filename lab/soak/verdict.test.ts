import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asMarkdown } from './report.ts';
import {
  type AnsweredRequest,
  divide,
  type FaultWindow,
  type Outcome,
  type TimedStop,
  violations,
} from './verdict.ts';

const WINDOW: FaultWindow = { name: 'kill-node', beganMs: 100, endedMs: 200, recoveryMs: 9_000 };
const request = (beganMs: number, tookMs = 10): AnsweredRequest => ({
  beganMs,
  tookMs,
  outcome: 'ok',
  detail: 'GET /',
});
const stop = (beganMs: number, atDeviceMs: number | null): TimedStop => ({ beganMs, atDeviceMs, detail: '' });

const NONE = { accepted: 0, begun: 0, duplicated: 0 };
const GOOD: Outcome = {
  phases: divide([WINDOW], [request(50), request(150, 4_999)], [stop(50, 499), stop(150, 1_999)]),
  readings: { acknowledged: 1, lost: 0 },
  operations: { accepted: 1, begun: 1, duplicated: 0 },
  missions: { ...NONE, expected: 0 },
  alerts: { expected: 1, raised: 1, duplicated: 0, missing: 0 },
  streams: [{ seen: 1, missing: 0, duplicated: 0 }],
  troubles: [],
};

describe('a run', () => {
  it('that met every criterion has no violation', () => {
    assert.deepEqual(violations(GOOD), []);
  });

  const phases = (
    requests: AnsweredRequest[],
    stops: TimedStop[] = [],
    windows = [WINDOW],
  ): Partial<Outcome> => ({
    phases: divide(windows, requests, stops),
  });
  for (const [what, part, expected] of [
    ['loses a reading', { readings: { acknowledged: 9, lost: 1 } }, /1 acknowledged readings are not/],
    ['has no readings', { readings: { acknowledged: 0, lost: 0 } }, /no reading was acknowledged/],
    [
      'begins twice',
      { operations: { accepted: 1, begun: 1, duplicated: 1 } },
      /1 operations were begun twice/,
    ],
    ['begins nothing', { operations: NONE }, /no operation was begun/],
    ['omits a mission', { missions: { ...NONE, begun: 1, expected: 2 } }, /1 of 2 missions were not begun/],
    [
      'repeats a mission',
      { missions: { ...NONE, duplicated: 1, expected: 0 } },
      /1 missions were begun twice/,
    ],
    ['repeats an alert', { alerts: { ...GOOD.alerts, duplicated: 1 } }, /1 alerts were raised twice/],
    ['omits an alert', { alerts: { ...GOOD.alerts, missing: 1 } }, /1 alerts were not raised/],
    [
      'omits an event',
      { streams: [{ seen: 1, missing: 2, duplicated: 0 }] },
      /2 events are missing on the stream of node 1/,
    ],
    ['repeats an event', { streams: [{ seen: 1, missing: 0, duplicated: 2 }] }, /2 events came twice/],
    ['answers late', phases([request(0, 5_001)]), /a request took 5001 ms without a fault/],
    [
      'fails a request',
      phases([{ ...request(150), outcome: 'failed' }]),
      /1 requests failed during kill-node/,
    ],
    ['stops late', phases([], [stop(50, 501)]), /at the device after 501 ms without a fault/],
    ['stops late in a fault', phases([], [stop(150, 2_001)]), /at the device after 2001 ms during kill-node/],
    ['never stops', phases([], [stop(150, null)]), /a stop never arrived during kill-node/],
    [
      'recovers late',
      phases([], [], [{ ...WINDOW, recoveryMs: 10_001 }]),
      /recovery took 10001 ms during kill-node/,
    ],
    ['has other troubles', { troubles: ['no disk'] }, /no disk/],
  ] as const) {
    it(`that ${what} is named`, () => {
      const found = violations({ ...GOOD, ...part });
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0] ?? '', expected);
    });
  }

  it('is reported with its violations', () => {
    const facts = {
      date: '2026-11-16',
      minutes: 20,
      devices: 500,
      nodes: 3,
      postgres: '18',
      mosquitto: '2',
      stolen: '0 %',
      stalls: 'Nothing was late.',
      faults: [{ name: 'kill-node', description: 'a node is killed', run: () => Promise.resolve() }],
    };
    const good = asMarkdown(GOOD, facts);
    assert.match(good, /Every criterion was met/);
    assert.match(good, /\| `kill-node` \| 0 s \| 1 \(0\) \| 4,999 ms \| 1 \| 1,999 ms \| 9,000 ms \|/);
    const bad = asMarkdown({ ...GOOD, readings: { acknowledged: 2, lost: 1 } }, facts);
    assert.match(bad, /- 1 acknowledged readings are not in the database/);
  });
});
