import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import { checkNotificationRule, type NotificationRuleInput, WEEKDAYS } from '@granary/contract/notifications';
import { ruleWith } from '@granary/testing/core/notifications';
import { allTargets, RULE_DOCUMENT, ruleContent } from './rule.ts';

test('what was not given has its default', () => {
  const content = ruleWith({ quiet_hours: { from: '22:00', to: '06:00', time_zone: 'UTC' } });
  assert.deepEqual(content.match, {
    severity_min: 'warning',
    types: null,
    facilities: null,
    device_ids: null,
  });
  assert.deepEqual(content.summary, { window_seconds: 60, at_once_max: 5 });
  assert.deepEqual(content.quiet_hours?.days, WEEKDAYS);
  assert.ok(content.enabled && content.resolved && !content.quiet_hours?.critical_too);
  assert.deepEqual(RULE_DOCUMENT.read(RULE_DOCUMENT.write(content)), content);
});

test('all faults of a rule are named', () => {
  const step = (after_minutes: number) => ({ after_minutes, targets: [{ email: 'a@example.com' }] });
  const input: NotificationRuleInput = {
    name: 'x',
    targets: [{ email: 'a@example.com' }],
    quiet_hours: { from: '22:00', to: '22:00', time_zone: 'Europe/Atlantis' },
    escalation: [step(10), step(10)],
  };
  assert.throws(
    () => ruleContent(input),
    (error) => {
      assert.ok(error instanceof Refusal);
      const paths = error.details?.map(({ path }) => path);
      assert.deepEqual(paths, ['/quiet_hours/time_zone', '/quiet_hours/to', '/escalation/1/after_minutes']);
      return true;
    },
  );
});

test('a target that is listed twice is refused with its place', () => {
  const targets = [{ email: 'a@example.com' }, { webhook_id: 'wh_1' }, { email: 'a@example.com' }];
  const paths = (input: NotificationRuleInput): unknown => {
    try {
      return ruleContent(input);
    } catch (error) {
      return error instanceof Refusal && error.details?.map(({ path }) => path);
    }
  };
  const name = 'x';
  assert.deepEqual(paths({ name, targets }), ['/targets/2']);
  const [first] = targets;
  assert(first !== undefined);
  const escalation = [{ after_minutes: 1, targets }];
  assert.deepEqual(paths({ name, targets: [first], escalation }), ['/escalation/0/targets/2']);
});

test('each target is named once', () => {
  const targets = [{ email: 'a@example.com' }, { webhook_id: 'wh_1' }];
  assert.deepEqual(allTargets(ruleWith({ targets, escalation: [{ after_minutes: 1, targets }] })), targets);
});

test('an e-mail address cannot carry a second one, a name or a line break', () => {
  const accepts = (email: string) => checkNotificationRule.accepts({ name: 'x', targets: [{ email }] });
  for (const email of ['a@example.com', "o'neil+farm@mail.example.co", 'x@localhost', 'a@bücher.example']) {
    assert.ok(accepts(email), email);
  }
  for (const email of [
    '',
    'a',
    'a@',
    '@b',
    'a@b c',
    'a@b,c@d',
    'a@b\n',
    'a\r\nBcc: x@y',
    'Ada <a@b>',
    'a@b>',
    '"a"@b',
    'a@[::1]',
    'a@-b',
    `${'a'.repeat(65)}@b`,
    `a@${'b'.repeat(254)}`,
  ]) {
    assert.ok(!accepts(email), JSON.stringify(email));
  }
});
