import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sentence } from '@granary/contract/sentences/codes';
import { SECOND_MS } from '@granary/contract/time';
import { initialMaintenance } from '../configuration/rule-checks.ts';
import { NEVER_SEEN } from '../devices/status.ts';
import { type AlertFacts, type AlertRules, evaluateAlerts, nextEvaluationAtMs } from './evaluation.ts';
import { type AlertState, acknowledgeAlert, type Condition } from './lifecycle.ts';
import { DEFAULT_MONITORING } from './monitoring.ts';
import type { Observed } from './observation.ts';
import { alertRecord } from './record.ts';
import { type RuleIdentity, ruleKey } from './rule-key.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const DELAYS = { onMs: 0, offMs: 5 * SECOND_MS };

const facts: AlertFacts & Observed = {
  deviceNo: 1,
  presence: NEVER_SEEN,
  sensors: [],
  latest: {},
  configuration: { maintenance: initialMaintenance(NOW_MS), ...DEFAULT_MONITORING },
  observedSinceMs: 0,
  onlineSinceMs: 0,
  dueAtMs: null,
};

const rulesWith = (conditions: readonly Condition[]): AlertRules<AlertFacts> => ({
  conditionsOf: () => [...conditions],
  timesMs: () => [],
});

const present = (identity: RuleIdentity, more: Partial<Condition> = {}): Condition => ({
  type: 'sensor_threshold',
  rule: ruleKey(identity),
  state: 'present',
  severity: identity.severity,
  message: sentence('went_offline'),
  currentValue: 31,
  threshold: 30,
  cause: null,
  ...(more as object),
});

const warm: RuleIdentity = { sensorId: 'temp_3', side: 'above', severity: 'warning' };
const hot: RuleIdentity = { ...warm, severity: 'critical' };

let alertNo = 0;

function evaluate(open: readonly AlertState[], conditions: readonly Condition[], nowMs: number) {
  const settings = { delays: DELAYS, newAlertId: () => `al_${++alertNo}` };
  const rules = rulesWith(conditions);
  const changes = evaluateAlerts(rules, facts, open, settings, nowMs);
  const replaced = new Set(changes.map(({ before }) => before));
  const alerts = [
    ...open.filter((alert) => !replaced.has(alert)),
    ...changes.flatMap(({ after }) => after ?? []),
  ];
  return { alerts, changes, nextMs: nextEvaluationAtMs(rules, facts, alerts, DELAYS, nowMs) };
}

describe('alerts of threshold rules', () => {
  it('are one for each rule, and each changes by itself', () => {
    const both = evaluate([], [present(warm), present(hot)], NOW_MS).alerts;
    assert.deepEqual(
      both.map(({ rule, severity, status }) => [rule, severity, status]),
      [
        ['temp_3 above warning', 'warning', 'active'],
        ['temp_3 above critical', 'critical', 'active'],
      ],
    );
    const cooler: Condition = { ...present(hot), state: 'absent', delays: { onMs: 0, offMs: 0 } };
    const { changes } = evaluate(both, [present(warm), cooler], NOW_MS + 1);
    assert.deepEqual(
      changes.map(({ after }) => [after?.rule, after?.status]),
      [['temp_3 above critical', 'cleared']],
    );
  });

  it('wait for the delays of their rule', () => {
    const delays = { onMs: 20 * SECOND_MS, offMs: 40 * SECOND_MS };
    const pending = evaluate([], [present(warm, { delays }), present(hot)], NOW_MS);
    assert.deepEqual(
      pending.alerts.map(({ status }) => status),
      ['pending', 'active'],
    );
    assert.equal(pending.nextMs, NOW_MS + delays.onMs);
    const raisedMs = NOW_MS + delays.onMs;
    const raised = evaluate(pending.alerts, [present(warm, { delays }), present(hot)], raisedMs);
    assert.equal(raised.changes[0]?.after?.status, 'active');
    const gone: Condition = { ...present(warm), state: 'absent', delays };
    const waiting = evaluate(raised.alerts, [gone, present(hot)], raisedMs + 1);
    assert.equal(waiting.nextMs, raisedMs + 1 + delays.offMs);
    const cleared = evaluate(waiting.alerts, [gone, present(hot)], raisedMs + 1 + delays.offMs);
    assert.equal(cleared.changes[0]?.after?.status, 'cleared');
  });

  it('clear immediately when their rule no longer exists, and a pending one disappears', () => {
    const delays = { onMs: 20 * SECOND_MS, offMs: 40 * SECOND_MS };
    const cold: RuleIdentity = { ...warm, side: 'below' };
    const { alerts } = evaluate([], [present(warm), present(hot), present(cold, { delays })], NOW_MS);
    const acknowledged = alerts.map((alert) =>
      alert.severity === 'critical'
        ? acknowledgeAlert(alert, { acknowledged_by: 'Ida' }, NOW_MS, null)
        : alert,
    );
    const { changes } = evaluate(acknowledged, [], NOW_MS + 1);
    assert.deepEqual(
      changes.map(({ before, after }) => [before?.rule, after?.status]),
      [
        ['temp_3 above warning', 'cleared'],
        ['temp_3 above critical', 'resolved'],
        ['temp_3 below warning', undefined],
      ],
    );
  });

  it('name their sensor, and other alerts name none', () => {
    const [alert] = evaluate([], [present(warm)], NOW_MS).alerts;
    assert.ok(alert);
    assert.equal(alertRecord(alert)?.sensor_id, 'temp_3');
    const other: AlertState = { ...alert, type: 'low_level', rule: null };
    assert.ok(!('sensor_id' in (alertRecord(other) ?? {})));
  });
});
