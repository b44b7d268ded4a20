import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertWith } from '@granary/testing/core/alerts';
import { alertEvent, ruleWith } from '@granary/testing/core/notifications';
import type { AlertState } from '../alerts/lifecycle.ts';
import {
  type DueNotice,
  dispatch as dispatchAt,
  type FloodWindow,
  nextAttemptAtMs,
  quietUntil,
  windowNameOf,
} from './dispatch.ts';
import type { Notice } from './notice.ts';
import type { RuleContent } from './rule.ts';

const NIGHT_MS = Date.parse('2026-11-15T22:00:00Z');
const MORNING_MS = Date.parse('2026-11-16T05:00:00Z');
const QUIET = { from: '22:00', to: '06:00', time_zone: 'Europe/Berlin' };
const ESCALATION = [{ after_minutes: 10, targets: [{ email: 'boss@example.com' }] }];

const dispatch = (notice: DueNotice, rule: RuleContent, window: FloodWindow | null, nowMs: number) => {
  const quietUntilMs = rule.quiet_hours === null ? null : quietUntil(rule.quiet_hours, nowMs);
  return dispatchAt(notice, rule, { window, quietUntilMs, nowMs });
};

const due = (notice: Partial<Notice> = {}, alert?: AlertState, step = 0): DueNotice => ({
  step,
  notice: {
    kind: 'raised',
    dueAtMs: 0,
    isHeld: false,
    toldKind: null,
    snapshot: alertEvent('alert.raised', 0).snapshot,
    ...notice,
  },
  alert,
});

test('quiet hours hold everything but critical alerts, also what has waited for a summary', () => {
  const rule = ruleWith({ quiet_hours: QUIET });
  const held = { action: 'hold', untilMs: MORNING_MS, window: null };
  assert.deepEqual(dispatch(due({}, alertWith()), rule, null, NIGHT_MS), held);
  assert.deepEqual(dispatch(due({ isHeld: true }, alertWith()), rule, null, NIGHT_MS), held);
  const critical = due({}, alertWith({ severity: 'critical' }));
  assert.equal(dispatch(critical, rule, null, NIGHT_MS).action, 'tell');
  const all = ruleWith({ quiet_hours: { ...QUIET, critical_too: true } });
  assert.deepEqual(dispatch(critical, all, null, NIGHT_MS), held);
});

test('after the quiet hours it is told together with the others', () => {
  const rule = ruleWith({ quiet_hours: QUIET });
  const decision = dispatch(due({ isHeld: true }, alertWith()), rule, null, MORNING_MS);
  assert.deepEqual(decision, { action: 'tell', isHeld: true, window: null });
});

test('an escalation is told only while the alert needs attention', () => {
  const rule = ruleWith({ escalation: ESCALATION });
  const told = (alert: AlertState | undefined) =>
    dispatch(due({ kind: 'not_acknowledged' }, alert, 1), rule, null, NIGHT_MS).action === 'tell';
  assert.ok(told(alertWith()));
  assert.ok(told(alertWith({ status: 'cleared' })));
  assert.ok(told(alertWith({ shelvedUntilMs: NIGHT_MS - 1 })));
  assert.ok(!told(alertWith({ shelvedUntilMs: NIGHT_MS + 1 })));
  assert.ok(!told(alertWith({ status: 'acknowledged' })));
  assert.ok(!told(alertWith({ status: 'resolved' })));
  assert.ok(!told(undefined));
});

test('a rule that was switched off or has lost a step tells nothing', () => {
  assert.equal(dispatch(due({}, alertWith()), ruleWith({ enabled: false }), null, 0).action, 'drop');
  assert.equal(dispatch(due({}, alertWith(), 1), ruleWith(), null, 0).action, 'drop');
});

test('a flood is held for the summary', () => {
  const rule = ruleWith({ summary: { at_once_max: 1 } });
  const first = dispatch(due({}, alertWith()), rule, null, 1_000);
  assert.ok(first.action === 'tell' && !first.isHeld);
  const second = dispatch(due({}, alertWith()), rule, first.window, 2_000);
  assert.ok(second.action === 'hold' && second.untilMs === 61_000);
});

test('a flood of others does not hold a critical alert, and critical ones wait for a minute at most', () => {
  const rule = ruleWith({ summary: { at_once_max: 1, window_seconds: 3_600 } });
  const warning = due({}, alertWith());
  const critical = due({}, alertWith({ severity: 'critical' }));
  const over = due({ kind: 'over' }, alertWith({ severity: 'critical' }));
  assert.equal(windowNameOf(over), windowNameOf(warning));
  assert.notEqual(windowNameOf(critical), windowNameOf(warning));
  const first = dispatch(critical, rule, null, 1_000);
  assert.ok(first.action === 'tell' && !first.isHeld);
  const second = dispatch(critical, rule, first.window, 2_000);
  assert.ok(second.action === 'hold' && second.untilMs === 61_000);
});

test('a message is tried again after a minute, then after up to an hour, for a day', () => {
  const minutes: number[] = [];
  let nowMs = 0;
  for (let attempts = 1; ; attempts++) {
    const next = nextAttemptAtMs(0, attempts, nowMs);
    if (next === null) break;
    minutes.push((next - nowMs) / 60_000);
    nowMs = next;
  }
  assert.deepEqual(minutes.slice(0, 8), [1, 2, 4, 8, 16, 32, 60, 60]);
  assert.ok(nowMs > 22 * 3_600_000 && nowMs < 24 * 3_600_000);
});
