import { checkPageQuery } from '../envelope.ts';
import { id } from '../input/text-schemas.ts';
import {
  checkNotificationQuery,
  checkNotificationRule,
  EscalationStep,
  NOTIFICATION_STATUSES,
  NotificationRecord,
  NotificationRule,
  NotificationRuleInput,
  TestNotifications,
  WEEKDAYS,
} from '../notifications.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  rule_id: {
    schema: id(),
    description: 'the id of a notification rule',
    notFound: 'notification_rule_not_found',
    example: 'nr_019a86c5f3c07b2a',
  },
});

const FIRST_RULE = {
  name: 'Night shift',
  match: { severity_min: 'warning' as const, facilities: ['north'] },
  targets: [{ email: 'shift@example.com' }],
  quiet_hours: { from: '22:00', to: '06:00', time_zone: 'Europe/Berlin' },
  escalation: [{ after_minutes: 15, targets: [{ email: 'manager@example.com' }] }],
};

const endpoints = {
  rules: endpoint('api', 'GET', '/notification-rules', {
    scope: 'admin',
    summary: 'Lists the notification rules.',
    query: checkPageQuery,
    answers: { 200: pageOf(NotificationRule) },
    examples: [{ summary: 'the first page' }],
  }),
  createRule: endpoint('api', 'POST', '/notification-rules', {
    scope: 'admin',
    summary:
      'Creates a rule: which alerts reach whom, and when. It is about alerts that change from then on.',
    body: body(checkNotificationRule, 'notification rule'),
    answers: { 200: one(NotificationRule) },
    errors: ['notification_target_unusable', 'notification_rule_limit_reached'],
    examples: [
      { summary: 'with quiet hours and an escalation', body: FIRST_RULE },
      {
        summary: 'every critical alert immediately, and nothing when it is over',
        body: {
          name: 'Owner',
          match: { severity_min: 'critical' },
          targets: [{ email: 'owner@example.com' }],
          resolved: false,
        },
      },
      {
        summary: 'a webhook that does not exist',
        body: { name: 'Chat', targets: [{ webhook_id: 'wh_none' }] },
        refusal: 'notification_target_unusable',
      },
    ],
  }),
  rule: endpoint('api', 'GET', '/notification-rules/{rule_id}', {
    scope: 'admin',
    summary: 'Shows a notification rule.',
    answers: { 200: one(NotificationRule) },
    examples: [
      { summary: 'a rule' },
      {
        summary: 'an unknown rule',
        parameters: { rule_id: 'nr_none' },
        refusal: 'notification_rule_not_found',
      },
    ],
  }),
  replaceRule: endpoint('api', 'PUT', '/notification-rules/{rule_id}', {
    scope: 'admin',
    summary: 'Replaces a notification rule. What waits is told to the new targets.',
    body: body(checkNotificationRule, 'notification rule'),
    answers: { 200: one(NotificationRule) },
    errors: ['notification_target_unusable'],
    examples: [{ summary: 'switched off', body: { ...FIRST_RULE, enabled: false } }],
  }),
  removeRule: endpoint('api', 'DELETE', '/notification-rules/{rule_id}', {
    scope: 'admin',
    summary: 'Removes a notification rule; what was not sent yet is cancelled.',
    answers: { 200: one(NotificationRule) },
    examples: [{ summary: 'a rule' }],
  }),
  /** Sends a test message to every target, including those of the escalation. */
  testRule: endpoint('api', 'POST', '/notification-rules/{rule_id}/test', {
    scope: 'admin',
    summary:
      'Sends a test to every target of a rule and of its escalation; the list of notifications shows its success.',
    answers: { 200: one(TestNotifications) },
    errors: ['notification_target_unusable'],
    examples: [{ summary: 'a rule' }],
  }),
  /** The newest notifications come first. */
  list: endpoint('api', 'GET', '/notifications', {
    scope: 'admin',
    summary: 'Lists the messages that were sent or wait, newest first, with the last error of each.',
    query: checkNotificationQuery,
    answers: { 200: pageOf(NotificationRecord) },
    examples: [
      { summary: 'the first page' },
      { summary: 'those that could not be sent', query: { status: 'failed' } },
    ],
  }),
};

export const notifications = {
  description: 'Which alerts reach whom by e-mail or webhook.',
  endpoints,
  schemas: { EscalationStep, NotificationRecord, NotificationRule, NotificationRuleInput },
  events: {
    'notification_rule.created': NotificationRule,
    'notification_rule.updated': NotificationRule,
    'notification_rule.removed': NotificationRule,
    'notification.failed': NotificationRecord,
  },
  values: { WEEKDAYS, NOTIFICATION_STATUSES },
} satisfies Slice;
