import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkNotificationRule, type NotificationRule } from '@granary/contract/notifications';
import { draftOfRule, emptyRule, ruleOf, targetsOf } from './notification-rule-draft.ts';

const RULE: NotificationRule = {
  rule_id: 'nr_1',
  name: 'Night shift',
  enabled: true,
  resolved: false,
  match: { severity_min: 'critical', types: ['low_level'], facilities: ['north'], device_ids: null },
  targets: [{ email: 'ada@example.com' }, { webhook_id: 'wh_1' }],
  quiet_hours: {
    from: '22:00',
    to: '06:00',
    time_zone: 'Europe/Berlin',
    days: ['mon', 'sun'],
    critical_too: true,
  },
  summary: { window_seconds: 77, at_once_max: 3 },
  rota: null,
  escalation: [{ after_minutes: 15, targets: [{ email: 'boss@example.com' }] }],
  created_at: '2026-11-16T00:00:00Z',
  updated_at: '2026-11-16T00:00:00Z',
};

test('a rule that was only opened is saved as it was', () => {
  const saved = ruleOf(draftOfRule(RULE, 'UTC'), RULE);
  const { rule_id: _, created_at: _created, updated_at: _updated, ...before } = RULE;
  const { device_ids: _none, ...match } = before.match;
  assert.deepEqual(saved, { ...before, match });
  assert.ok(checkNotificationRule.accepts(saved));
});

test('the form of a new rule is a request that the service accepts', () => {
  const rule = ruleOf({ ...emptyRule('Europe/Vienna'), name: ' Owner ', targets: 'a@b.example' }, null);
  assert.deepEqual([rule.name, rule.quiet_hours, rule.match], ['Owner', null, { severity_min: 'warning' }]);
  assert.ok(checkNotificationRule.accepts(rule));
});

test('targets are read from lines, commas and semicolons', () => {
  assert.deepEqual(targetsOf(' a@b.example,\n\nwh_1; c@d.example '), [
    { email: 'a@b.example' },
    { webhook_id: 'wh_1' },
    { email: 'c@d.example' },
  ]);
});
