import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALERT_STATUSES } from '@granary/contract/alerts';
import { MINUTE_MS } from '@granary/contract/time';
import { alertEvent, ruleWith } from '@granary/testing/core/notifications';
import fc from 'fast-check';
import { NOTICE_EVENT_TYPES, type Notice, type NoticesBySteps, noticesAfter, told } from './notice.ts';

const ESCALATION = [
  { after_minutes: 10, targets: [{ email: 'boss@example.com' }] },
  { after_minutes: 30, targets: [{ email: 'owner@example.com' }] },
];
const RULE = ruleWith({ escalation: ESCALATION });
const NONE: NoticesBySteps = new Map();
const T = Date.UTC(2026, 5, 15, 12);

const raised = alertEvent('alert.raised', T);
const changedTo = (status: (typeof ALERT_STATUSES)[number], atMs: number) =>
  alertEvent('alert.status_changed', atMs, { status });

const TOLD = { rule: RULE, nowMs: T, alert: 'active' } as const;

/** The notices that wait, as kind and minutes after the start. */
const waiting = (notices: NoticesBySteps) =>
  [...notices].flatMap(([step, { kind, dueAtMs }]) =>
    dueAtMs === null ? [] : [[step, kind, (dueAtMs - T) / MINUTE_MS]],
  );

const tell = (notices: NoticesBySteps, ...steps: number[]): NoticesBySteps =>
  new Map(
    [...notices].map(([step, notice]) => [
      step,
      steps.includes(step) ? told(notice, { ...TOLD, step }) : notice,
    ]),
  );

const begun = noticesAfter(RULE, NONE, raised);

test('a raised alert is told now, and to the others if nobody acknowledges it', () => {
  assert.deepEqual(waiting(begun), [
    [0, 'raised', 0],
    [1, 'not_acknowledged', 10],
    [2, 'not_acknowledged', 30],
  ]);
});

test('an alert that the rule is not about, or a rule that is switched off, tells nothing', () => {
  for (const match of [
    { severity_min: 'critical' as const },
    { types: ['high_level' as const] },
    { facilities: ['south'] },
    { device_ids: ['silo-08'] },
    { labels: ['product=rye'] },
    { labels: ['product', 'organic'] },
  ]) {
    assert.equal(noticesAfter(ruleWith({ match }), NONE, raised).size, 0, JSON.stringify(match));
  }
  assert.equal(noticesAfter(ruleWith({ enabled: false }), NONE, raised).size, 0);
  const match = { severity_min: 'warning' as const, types: ['low_level' as const], facilities: ['north'] };
  assert.equal(noticesAfter(ruleWith({ match }), NONE, raised).size, 1);
  const labelled = { match: { labels: ['product=wheat', 'product'] } };
  assert.equal(noticesAfter(ruleWith(labelled), NONE, raised).size, 1);
});

test('acknowledging, shelving or resolving ends the escalation', () => {
  const sent = tell(begun, 0);
  const shelved = alertEvent('alert.shelved', T + 1, { shelved_until: '2026-06-16T12:00:00Z' });
  for (const event of [changedTo('acknowledged', T + 1), shelved]) {
    assert.deepEqual(waiting(noticesAfter(RULE, sent, event)), [], event.type);
  }
  const resolved = noticesAfter(RULE, sent, changedTo('resolved', T + MINUTE_MS));
  assert.deepEqual(waiting(resolved), [[0, 'over', 1]]);
});

test('an alert that is over and not acknowledged is still escalated', () => {
  const cleared = noticesAfter(RULE, tell(begun, 0), changedTo('cleared', T + MINUTE_MS));
  assert.deepEqual(waiting(cleared), [
    [0, 'over', 1],
    [1, 'not_acknowledged', 10],
    [2, 'not_acknowledged', 30],
  ]);
});

test('everybody who was told is told that it is over, once', () => {
  const cleared = noticesAfter(RULE, tell(begun, 0, 1), changedTo('cleared', T + 15 * MINUTE_MS));
  assert.deepEqual(waiting(cleared), [
    [0, 'over', 15],
    [1, 'over', 15],
    [2, 'not_acknowledged', 30],
  ]);
  const later = noticesAfter(RULE, tell(cleared, 0, 1), changedTo('resolved', T + 16 * MINUTE_MS));
  assert.deepEqual(waiting(later), []);
  const silent = ruleWith({ resolved: false });
  const sent = tell(noticesAfter(silent, NONE, raised), 0);
  assert.deepEqual(waiting(noticesAfter(silent, sent, changedTo('cleared', T + 1))), []);
});

test('what waits is not told twice: over before it was told, and back before that was told', () => {
  const overWaiting = noticesAfter(RULE, begun, changedTo('cleared', T + MINUTE_MS));
  assert.deepEqual(waiting(overWaiting)[0], [0, 'raised', 0]);
  const over = noticesAfter(RULE, tell(begun, 0), changedTo('cleared', T + MINUTE_MS));
  const back = noticesAfter(RULE, over, changedTo('active', T + 2 * MINUTE_MS));
  assert.equal(back.get(0)?.dueAtMs, null);
});

test('an alert that is present again after people were told that it is over is told again', () => {
  const over = tell(noticesAfter(RULE, tell(begun, 0), changedTo('cleared', T + MINUTE_MS)), 0);
  const back = noticesAfter(RULE, over, changedTo('active', T + 2 * MINUTE_MS));
  assert.deepEqual(waiting(back), [
    [0, 'present_again', 2],
    [1, 'not_acknowledged', 10],
    [2, 'not_acknowledged', 30],
  ]);
});

test('a higher severity is told again, also when the first notice waits, and does not postpone the escalation', () => {
  const worse = alertEvent('alert.severity_raised', T + 9 * MINUTE_MS, { severity: 'critical' });
  for (const before of [begun, tell(begun, 0), tell(begun, 0, 1)]) {
    const after = noticesAfter(RULE, before, worse);
    assert.deepEqual(waiting(after)[0], [0, 'severity_raised', 9]);
    assert.equal(after.get(0)?.isHeld, false);
  }
  assert.deepEqual(waiting(noticesAfter(RULE, begun, worse))[1], [1, 'not_acknowledged', 10]);
  const again = noticesAfter(RULE, worseAfterAcknowledgement(), worse);
  assert.deepEqual(waiting(again)[1], [1, 'not_acknowledged', 19]);
});

const worseAfterAcknowledgement = (): NoticesBySteps =>
  noticesAfter(RULE, tell(begun, 0, 1), changedTo('acknowledged', T + 5 * MINUTE_MS));

test('an escalation that waits for a summary does not wait any longer when the alert gets more severe', () => {
  const held = (notice: Notice): Notice => ({ ...notice, dueAtMs: T + 600 * MINUTE_MS, isHeld: true });
  const before = new Map([...tell(begun, 0)].map(([step, one]) => [step, step === 1 ? held(one) : one]));
  const at = (minutes: number) => T + minutes * MINUTE_MS;
  const critical = alertEvent('alert.severity_raised', at(12), { severity: 'critical' });
  const after = noticesAfter(RULE, before, critical);
  assert.deepEqual(waiting(after), [
    [0, 'severity_raised', 12],
    [1, 'not_acknowledged', 12],
    [2, 'not_acknowledged', 30],
  ]);
  assert.equal(after.get(1)?.isHeld, false);
});

test('the end of a shelving is told if the alert is present', () => {
  const shelved = noticesAfter(RULE, tell(begun, 0), alertEvent('alert.shelved', T + 1));
  const unshelved = alertEvent('alert.unshelved', T + MINUTE_MS);
  assert.deepEqual(waiting(noticesAfter(RULE, shelved, unshelved))[0], [0, 'unshelved', 1]);
  const cleared = alertEvent('alert.unshelved', T + MINUTE_MS, { status: 'cleared' });
  assert.equal(noticesAfter(RULE, shelved, cleared), shelved);
});

const anyEvent = fc.tuple(fc.constantFrom(...NOTICE_EVENT_TYPES), fc.constantFrom(...ALERT_STATUSES));

test('whatever happens: over is told only to those who were told of the alert, and a step waits for one thing', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyEvent, fc.subarray([0, 1, 2]))), fc.boolean(), (history, resolved) => {
      const rule = ruleWith({ escalation: ESCALATION, resolved });
      const tellings = new Map<number, Notice['kind'][]>();
      let notices = NONE;
      history.forEach(([[type, status], toTell], i) => {
        const atMs = T + i * MINUTE_MS;
        notices = noticesAfter(rule, notices, alertEvent(type, atMs, { status }));
        for (const [step, notice] of notices) {
          if (toTell.includes(step) && notice.dueAtMs !== null && notice.dueAtMs <= atMs) {
            tellings.set(step, [...(tellings.get(step) ?? []), notice.kind]);
          }
        }
        notices = new Map(
          [...notices].map(([step, notice]) => {
            const isTold = toTell.includes(step) && notice.dueAtMs !== null && notice.dueAtMs <= atMs;
            return [step, isTold ? told(notice, { rule, step, nowMs: atMs, alert: status }) : notice];
          }),
        );
        const isTakenOver =
          type === 'alert.shelved' || (type === 'alert.status_changed' && status === 'acknowledged');
        if (isTakenOver)
          assert.ok(![...notices.values()].some((n) => n.kind === 'not_acknowledged' && n.dueAtMs !== null));
      });
      for (const kinds of tellings.values()) {
        kinds.forEach((kind, i) => {
          if (kind === 'over') assert.ok(resolved && i > 0 && kinds[i - 1] !== 'over');
        });
      }
    }),
  );
});

test('the people of a rota are told in turns while the alert is present and nobody acknowledges it', () => {
  const rule = ruleWith({ targets: [], rota: { people: ['per_1', 'per_2'], minutes: 10 } });
  const first = noticesAfter(rule, NONE, raised);
  assert.deepEqual(waiting(first).slice(1), [
    [1, 'raised', 0],
    [2, 'not_acknowledged', 10],
  ]);
  const after = (notices: NoticesBySteps, step: number, minutes: number, alert: 'active' | 'cleared') => {
    const at = { rule, step, nowMs: T + minutes * MINUTE_MS, alert };
    return new Map([...notices].map(([one, notice]) => [one, one === step ? told(notice, at) : notice]));
  };
  const round = after(after(first, 1, 0, 'active'), 2, 10, 'active');
  assert.deepEqual(waiting(round).slice(1), [
    [1, 'not_acknowledged', 20],
    [2, 'not_acknowledged', 30],
  ]);
  const acknowledged = alertEvent('alert.status_changed', T + 1, { status: 'acknowledged' });
  assert.deepEqual(waiting(noticesAfter(rule, round, acknowledged)).slice(1), []);
  assert.deepEqual(waiting(after(first, 1, 0, 'cleared')).slice(1), [[2, 'not_acknowledged', 10]]);
  const over = noticesAfter(rule, round, alertEvent('alert.status_changed', T, { status: 'resolved' }));
  assert.deepEqual(waiting(over).slice(1), [
    [1, 'over', 0],
    [2, 'over', 0],
  ]);
});
