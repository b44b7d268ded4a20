import type { NotificationRecord, NotificationStatus, SentTarget } from '@granary/contract/notifications';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import { documentKind } from '../documents.ts';
import type { MailedReport } from '../reports/report-text.ts';
import type { Message, MessageKind } from './message.ts';
import type { Pushed } from './push.ts';

/** The ways of sending, which never delay each other; `none` is for a message that another part sends, or nobody. */
export type Channel = 'email' | 'push' | 'none';

export const URGENCIES = ['critical', 'alert', 'other'] as const;
export type Urgency = (typeof URGENCIES)[number];

/** The messages of each urgency are sent independently, so that no urgency waits for another one. */
export const KINDS_OF: Readonly<Record<Urgency, readonly MessageKind[]>> = {
  critical: ['critical_alert'],
  alert: ['alert'],
  other: ['operation', 'guessed', 'report', 'test'],
};

/** One message to one target, as it is stored. */
export interface StoredNotification {
  readonly notificationId: string;
  readonly ruleId: string;
  readonly step: number;
  readonly status: NotificationStatus;
  readonly channel: Channel;
  readonly kind: MessageKind;
  readonly content: NotificationContent;
  readonly createdAtMs: number;
  readonly attempts: number;
  /** `null` if the message is not tried any more. */
  readonly nextAttemptAtMs: number | null;
  readonly sentAtMs: number | null;
  readonly lastError: string | null;
}

/** The content, which is the same in every attempt. */
export interface NotificationContent extends Omit<Message, 'told' | 'kind'> {
  readonly ruleName: string;
  readonly target: SentTarget;
  /** The content for a browser. */
  readonly push?: Pushed;
  /** The report that the message has instead of alerts. */
  readonly report?: MailedReport;
}

/** The stored form of the content. */
export const NOTIFICATION_DOCUMENT = documentKind<NotificationContent>([], (content) => {
  if (typeof content['target'] !== 'object') throw new Error('the notification has no target');
});

export const notificationRecord = (stored: StoredNotification): NotificationRecord => ({
  notification_id: stored.notificationId,
  rule_id: stored.ruleId,
  rule_name: stored.content.ruleName,
  step: stored.step,
  target: stored.content.target,
  status: stored.status,
  subject: stored.content.subject,
  alerts: stored.content.alerts,
  alert_count: stored.content.alertCount,
  created_at: toIso(stored.createdAtMs),
  attempts: stored.attempts,
  next_attempt_at: toIsoOrNull(stored.nextAttemptAtMs),
  sent_at: toIsoOrNull(stored.sentAtMs),
  last_error: stored.lastError,
});
