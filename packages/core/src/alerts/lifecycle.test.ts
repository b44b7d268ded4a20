import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Alert } from '@granary/contract/alerts';
import { Refusal } from '@granary/contract/errors';
import { checker } from '@granary/contract/input/schema';
import { sentence } from '@granary/contract/sentences/codes';
import { DAY_MS, toIso } from '@granary/contract/time';
import { alertWith } from '@granary/testing/core/alerts';
import fc from 'fast-check';
import {
  type AlertState,
  acknowledgeAlert,
  advanceAlert,
  type Condition,
  needsAttention,
  SHELVED_MS_MAX,
  shelveAlert,
  unshelveAlert,
} from './lifecycle.ts';
import { alertEvents, alertRecord } from './record.ts';

const level = (percent: number) => sentence('level_below', { level: percent, limit: 20 });
const stale = (causes: string) =>
  sentence('sensors_silent', {
    sensors: causes.split(',').map((sensor) => sentence('sensor_silent', { sensor, since: '' })),
  });

const NOW_MS = 1_000_000_000_000;
const DELAYS = { onMs: 0, offMs: 5_000 };
const subject = { deviceNo: 1, newAlertId: () => 'al_new' };

const present: Condition = {
  type: 'low_level',
  state: 'present',
  severity: 'warning',
  message: level(19),
  currentValue: 19,
  threshold: 20,
  cause: null,
  valueStep: 2,
};
const worse: Condition = { ...present, severity: 'critical', currentValue: 5 };
const absent: Condition = { type: 'low_level', state: 'absent' };
const indeterminate: Condition = { type: 'low_level', state: 'indeterminate' };

const active = alertWith({
  message: level(18),
  currentValue: 18,
  threshold: 20,
  createdAtMs: NOW_MS - 60_000,
});
const ida = { acknowledgedBy: 'Ida', acknowledgedAtMs: NOW_MS - 30_000, note: 'on it' };
const goneAtMs = NOW_MS - 20_000;

const ALERTS = {
  'no alert': null,
  'a pending one': { ...active, status: 'pending', createdAtMs: NOW_MS - 1 },
  'an active one': active,
  'an active one, going': { ...active, absentSinceMs: NOW_MS - 1 },
  'an acknowledged one': { ...active, ...ida, status: 'acknowledged' },
  'a cleared one': { ...active, status: 'cleared', clearedAtMs: goneAtMs },
  'a resolved one': { ...active, ...ida, status: 'resolved', clearedAtMs: goneAtMs, resolvedAtMs: goneAtMs },
} as const satisfies Record<string, AlertState | null>;

/** The status after an input, and the events that are published. */
type Outcome = readonly [status: AlertState['status'] | null, ...events: string[]];
type Row = Record<'present' | 'worse' | 'indeterminate' | 'absent' | 'absent for long', Outcome>;

const TABLE: Record<keyof typeof ALERTS, Row> = {
  'no alert': {
    present: ['active', 'alert.raised'],
    worse: ['active', 'alert.raised'],
    indeterminate: [null],
    absent: [null],
    'absent for long': [null],
  },
  'a pending one': {
    present: ['active', 'alert.raised'],
    worse: ['active', 'alert.raised'],
    indeterminate: [null],
    absent: [null],
    'absent for long': [null],
  },
  'an active one': {
    present: ['active'],
    worse: ['active', 'alert.severity_raised'],
    indeterminate: ['active'],
    absent: ['active'],
    'absent for long': ['cleared', 'alert.status_changed'],
  },
  'an active one, going': {
    present: ['active'],
    worse: ['active', 'alert.severity_raised'],
    indeterminate: ['active'],
    absent: ['active'],
    'absent for long': ['cleared', 'alert.status_changed'],
  },
  'an acknowledged one': {
    present: ['acknowledged'],
    worse: ['active', 'alert.severity_raised', 'alert.status_changed'],
    indeterminate: ['acknowledged'],
    absent: ['acknowledged'],
    'absent for long': ['resolved', 'alert.status_changed'],
  },
  'a cleared one': {
    present: ['active', 'alert.status_changed'],
    worse: ['active', 'alert.severity_raised', 'alert.status_changed'],
    indeterminate: ['cleared'],
    absent: ['cleared'],
    'absent for long': ['cleared'],
  },
  'a resolved one': {
    present: ['active', 'alert.raised'],
    worse: ['active', 'alert.raised'],
    indeterminate: ['resolved'],
    absent: ['resolved'],
    'absent for long': ['resolved'],
  },
};

const keysOf = <K extends string>(record: Record<K, unknown>): K[] => Object.keys(record) as K[];

const at = (alert: AlertState | null, condition: Condition, nowMs = NOW_MS): AlertState | null =>
  advanceAlert(alert, condition, subject, DELAYS, nowMs);

for (const name of keysOf(ALERTS)) {
  describe(`${name} becomes`, () => {
    const outcome = (after: AlertState | null): Outcome => [
      after?.status ?? null,
      ...alertEvents(ALERTS[name], after),
    ];
    for (const [state, condition] of Object.entries({ present, worse, indeterminate, absent })) {
      const expected = TABLE[name][state as keyof Row];
      it(`${expected} when ${state}`, () => assert.deepEqual(outcome(at(ALERTS[name], condition)), expected));
    }
    it(`${TABLE[name]['absent for long']} when absent for long`, () => {
      const waiting = at(ALERTS[name], absent);
      assert.deepEqual(outcome(at(waiting, absent, NOW_MS + DELAYS.offMs)), TABLE[name]['absent for long']);
    });
  });
}

describe('delays', () => {
  const slow = { onMs: 3_000, offMs: 5_000 };
  const step = (alert: AlertState | null, condition: Condition, sinceMs: number): AlertState | null =>
    advanceAlert(alert, condition, subject, slow, NOW_MS + sinceMs);

  it('keep a condition to themselves until it has lasted', () => {
    const pending = step(null, present, 0);
    assert.equal(pending?.status, 'pending');
    assert.equal(pending && alertRecord(pending), null);
    assert.equal(step(pending, { ...present, currentValue: 1 }, 2_999), pending);
    const raised = step(pending, { ...present, currentValue: 1 }, 3_000);
    assert.deepEqual(
      [raised?.status, raised?.createdAtMs, raised?.currentValue],
      ['active', NOW_MS + 3_000, 1],
    );
  });

  it('start anew when the condition breaks off', () => {
    assert.equal(step(step(null, present, 0), indeterminate, 1_000), null);
    for (const interruption of [present, indeterminate]) {
      const back = step(step(active, absent, 0), interruption, 4_000);
      assert.equal(back?.absentSinceMs, null);
      assert.equal(step(step(back, absent, 4_001), absent, 9_000)?.status, 'active');
      assert.equal(step(step(back, absent, 4_001), absent, 9_001)?.status, 'cleared');
    }
  });

  it('of zero do not delay', () => {
    const immediate = { onMs: 0, offMs: 0 };
    assert.equal(advanceAlert(active, absent, subject, immediate, NOW_MS)?.status, 'cleared');
  });
});

describe('acknowledging', () => {
  const by = { acknowledged_by: 'Ida', note: 'on it' };

  it('says who and when, and resolves what is gone', () => {
    const acknowledged = acknowledgeAlert(active, by, NOW_MS, null);
    const { status, acknowledgedBy, acknowledgedAtMs, note } = acknowledged;
    assert.deepEqual(
      [status, acknowledgedBy, acknowledgedAtMs, note],
      ['acknowledged', 'Ida', NOW_MS, 'on it'],
    );
    const resolved = acknowledgeAlert(ALERTS['a cleared one'], { acknowledged_by: 'Ida' }, NOW_MS, null);
    assert.deepEqual([resolved.status, resolved.resolvedAtMs, resolved.note], ['resolved', NOW_MS, null]);
  });

  it('again changes nothing', () => {
    for (const alert of [ALERTS['an acknowledged one'], ALERTS['a resolved one']]) {
      assert.equal(acknowledgeAlert(alert, { acknowledged_by: 'Bo' }, NOW_MS, null), alert);
    }
  });

  it('is asked for anew when it becomes worse', () => {
    const raised = at(ALERTS['an acknowledged one'], worse);
    assert.deepEqual([raised?.acknowledgedBy, raised?.acknowledgedAtMs, raised?.note], [null, null, null]);
    assert.deepEqual([raised?.alertId, raised?.severity, raised?.currentValue], ['al_1', 'critical', 5]);
  });

  it('is asked for anew when it happens again for another reason', () => {
    const before: AlertState = { ...ALERTS['an acknowledged one'], severity: 'critical', cause: 'op_1' };
    const again = at(before, { ...present, cause: 'op_2' });
    assert.deepEqual([again?.status, again?.cause, again?.severity], ['active', 'op_2', 'critical']);
    assert.deepEqual(alertEvents(before, again), ['alert.updated', 'alert.status_changed']);
    assert.deepEqual(alertEvents({ ...before, status: 'active' }, again), ['alert.updated']);
    assert.equal(again?.acknowledgedBy, null);
    assert.equal(at(again, { ...present, cause: 'op_2' }), again);
  });

  it('is not asked for anew when it becomes less bad', () => {
    const critical: AlertState = { ...ALERTS['an acknowledged one'], severity: 'critical' };
    assert.equal(at(critical, present), critical);
  });
});

describe('while it is open, an alert', () => {
  const acknowledged = ALERTS['an acknowledged one'];
  const valueAfter = (currentValue: number) =>
    at(acknowledged, { ...present, currentValue, message: level(currentValue) });

  it('shows a value that has moved by a step, without an event and without a new acknowledgement', () => {
    assert.equal(valueAfter(16.1), acknowledged);
    const moved = valueAfter(16);
    assert.deepEqual([moved?.currentValue, moved?.message, moved?.status], [16, level(16), 'acknowledged']);
    assert.deepEqual(alertEvents(acknowledged, moved), []);
  });

  it('shows a text that has changed although the value has not', () => {
    const message = sentence('level_below', { level: 18, limit: 21 });
    assert.equal(at(acknowledged, { ...present, currentValue: 18, message })?.message, message);
    const threshold = at(acknowledged, { ...present, currentValue: 18.1, threshold: 25 });
    assert.deepEqual([threshold?.threshold, threshold?.currentValue], [25, 18.1]);
  });

  it('names fewer causes when some are gone, and asks anew when one is added', () => {
    const about = (cause: string) => ({ ...present, cause, message: stale(cause) });
    const both: AlertState = { ...acknowledged, cause: 'weight,humidity', message: stale('weight,humidity') };
    const one = at(both, about('humidity'));
    assert.deepEqual(
      [one?.status, one?.cause, one?.message],
      ['acknowledged', 'humidity', stale('humidity')],
    );
    assert.deepEqual(alertEvents(both, one), ['alert.updated']);
    const another = at(one, about('humidity,temperature'));
    assert.deepEqual([another?.status, another?.acknowledgedBy], ['active', null]);
    assert.deepEqual(alertEvents(one, another), ['alert.updated', 'alert.status_changed']);
  });

  it('shows what is the case when it comes back before or after it has cleared', () => {
    const back = { ...present, currentValue: 17.5, message: level(17.5) };
    for (const alert of [ALERTS['an active one, going'], ALERTS['a cleared one']]) {
      assert.partialDeepStrictEqual(at(alert, back), { currentValue: 17.5, message: level(17.5) });
    }
  });
});

describe('what has happened', () => {
  it('is told at once, whatever the delay for what is measured', () => {
    const slow = { onMs: 60_000, offMs: 5_000 };
    const failed: Condition = { ...present, type: 'operation_failed' };
    assert.equal(advanceAlert(null, failed, subject, slow, NOW_MS)?.status, 'active');
    assert.equal(advanceAlert(null, present, subject, slow, NOW_MS)?.status, 'pending');
  });
});

describe('shelving', () => {
  const until = (sinceMs: number) => ({ until: toIso(NOW_MS + sinceMs), reason: 'refill is booked' });
  const shelved = shelveAlert(active, until(1_000), NOW_MS, null);

  it('puts an alert out of sight until it is over, and no longer', () => {
    assert.deepEqual([needsAttention(active, NOW_MS), needsAttention(shelved, NOW_MS)], [true, false]);
    assert.deepEqual(alertEvents(active, shelved), ['alert.shelved']);
    assert.equal(at(shelved, present, NOW_MS + 999), shelved);
    const back = at(shelved, present, NOW_MS + 1_000);
    assert.deepEqual(back, active);
    assert.deepEqual(alertEvents(shelved, back), ['alert.unshelved']);
    assert.equal(needsAttention(shelved, NOW_MS + 1_000), true);
  });

  it('leaves its state alone, and ends when it becomes worse', () => {
    assert.equal(acknowledgeAlert(shelved, { acknowledged_by: 'Ida' }, NOW_MS, null).status, 'acknowledged');
    assert.equal(at(at(shelved, absent, NOW_MS - 5_000), absent)?.status, 'cleared');
    assert.equal(at(shelved, worse)?.shelvedUntilMs, null);
  });

  it('ends when somebody says so', () => {
    assert.deepEqual(unshelveAlert(shelved), active);
    assert.deepEqual(alertEvents(shelved, unshelveAlert(shelved)), ['alert.unshelved']);
    assert.equal(unshelveAlert(active), active);
  });

  it('is refused for the past and for ever', () => {
    for (const sinceMs of [0, -DAY_MS, SHELVED_MS_MAX + 1]) {
      const refused = (error: unknown) => error instanceof Refusal && error.code === 'invalid_input';
      assert.throws(() => shelveAlert(active, until(sinceMs), NOW_MS, null), refused);
    }
    const resolved = ALERTS['a resolved one'];
    assert.equal(shelveAlert(resolved, until(1), NOW_MS, null), resolved);
  });
});

it('every alert that is shown is a whole record', () => {
  const check = checker(Alert);
  for (const alert of Object.values(ALERTS)) {
    if (alert !== null && alert.status !== 'pending') assert.deepEqual(check.faults(alertRecord(alert)), []);
  }
});

it('looking twice at the same time is looking once, whatever came before', () => {
  const condition = fc.constantFrom(present, worse, absent, indeterminate);
  const pauses = fc.integer({ min: 0, max: 4_000 });
  const delays = fc.record({ onMs: fc.constantFrom(0, 3_000), offMs: fc.constantFrom(0, 5_000) });
  fc.assert(
    fc.property(fc.array(fc.tuple(condition, pauses)), delays, (moments, some) => {
      let alert: AlertState | null = null;
      let nowMs = NOW_MS;
      for (const [given, pauseMs] of moments) {
        nowMs += pauseMs;
        alert = advanceAlert(alert, given, subject, some, nowMs);
        assert.equal(advanceAlert(alert, given, subject, some, nowMs), alert);
      }
    }),
  );
});
