import type { Alert } from '@granary/contract/alerts';
import type { EventType } from '@granary/contract/events';
import type { NotificationRuleInput } from '@granary/contract/notifications';
import { sentence } from '@granary/contract/sentences/codes';
import { messageOf } from '@granary/contract/sentences/english';
import { toIso } from '@granary/contract/time';
import type { AlertEvent } from '@granary/core/notifications/notice';
import { type RuleContent, ruleContent } from '@granary/core/notifications/rule';

export const shownAlert = (fields: Partial<Alert> = {}): Alert => ({
  alert_id: 'al_1',
  type: 'low_level',
  severity: 'warning',
  ...messageOf(sentence('level_below', { level: 12, limit: 20 })),
  current_value: 12,
  threshold: 20,
  created_at: '2026-06-15T12:00:00.000Z',
  status: 'active',
  acknowledged_by: null,
  acknowledged_at: null,
  note: null,
  cleared_at: null,
  resolved_at: null,
  shelved_until: null,
  shelve_reason: null,
  shelved_by: null,
  acknowledged_with: null,
  shelved_with: null,
  ...fields,
});

export const ruleWith = (fields: Partial<NotificationRuleInput> = {}): RuleContent =>
  ruleContent({ name: 'Night shift', targets: [{ email: 'ada@example.com' }], ...fields });

/** An event about an alert, with the status that the alert has after it. */
export const alertEvent = (type: EventType, atMs: number, alert: Partial<Alert> = {}): AlertEvent => ({
  type,
  atMs,
  snapshot: {
    alert: shownAlert({ created_at: toIso(atMs), ...alert }),
    deviceId: 'silo-07',
    facility: 'north',
    labels: { product: 'wheat' },
  },
});
