import type { NotificationTarget } from '@granary/contract/notifications';
import { type Message, type MessageContext, webhookPayload } from '@granary/core/notifications/message';
import {
  NOTIFICATION_DOCUMENT,
  notificationRecord,
  type StoredNotification,
} from '@granary/core/notifications/record';
import type { Sql } from '@granary/store/sql';
import type { NewEvent } from '../events/event-rows.ts';
import { newId } from '../ids.ts';
import { findWebhook } from '../webhooks/webhook-rows.ts';
import { enqueueMessage } from '../webhooks/webhooks.ts';
import { insertNotifications } from './notification-rows.ts';

type Writing = Pick<MessageContext, 'rule' | 'step' | 'nowMs'>;

/** One notification for each target, so that each is tried until it is sent. */
export async function writeNotifications(
  sql: Sql,
  targets: readonly NotificationTarget[],
  message: Message,
  writing: Writing,
): Promise<StoredNotification[]> {
  const written: StoredNotification[] = [];
  for (const target of targets) {
    const pending = pendingNotification(target, message, writing);
    written.push('email' in target ? pending : await passToWebhook(sql, target.webhook_id, pending, message));
  }
  await insertNotifications(sql, NOTIFICATION_DOCUMENT, written);
  return written;
}

function pendingNotification(
  target: NotificationTarget,
  { subject, text, alerts, alertCount }: Message,
  { rule, step, nowMs }: Writing,
): StoredNotification {
  return {
    notificationId: newId('ntf', nowMs),
    ruleId: rule.ruleId,
    step,
    status: 'pending',
    content: { subject, text, alerts, alertCount, ruleName: rule.content.name, target },
    createdAtMs: nowMs,
    attempts: 0,
    nextAttemptAtMs: nowMs,
    sentAtMs: null,
    lastError: null,
  };
}

/** The deliveries of the webhook repeat it from here on. */
async function passToWebhook(
  sql: Sql,
  webhookId: string,
  pending: StoredNotification,
  message: Message,
): Promise<StoredNotification> {
  const { notificationId: messageId, createdAtMs: nowMs } = pending;
  const webhook = await findWebhook(sql, webhookId);
  if (webhook === undefined || !webhook.enabled) {
    const lastError = `the webhook ${webhook === undefined ? 'was removed' : 'is disabled'}`;
    return { ...pending, status: 'failed', nextAttemptAtMs: null, lastError };
  }
  const payload = webhookPayload(message, pending);
  await enqueueMessage(sql, {
    webhookNo: webhook.webhookNo,
    messageId,
    type: 'notification',
    payload,
    nowMs,
  });
  return { ...pending, status: 'sent', attempts: 1, nextAttemptAtMs: null, sentAtMs: nowMs };
}

/** The events of notifications that will never be sent. */
export const failureEvents = (written: readonly StoredNotification[], atMs: number): NewEvent[] =>
  written
    .filter(({ status }) => status === 'failed')
    .map((failed) => ({
      type: 'notification.failed',
      deviceNo: null,
      atMs,
      data: notificationRecord(failed),
    }));

/** Whether something waits for the worker of the webhooks. */
export const isPassedOn = (written: readonly StoredNotification[]): boolean =>
  written.some(({ status }) => status === 'sent');
