import type { SentTarget } from '@granary/contract/notifications';
import { canAccess, isValidAt, limitsWith } from '@granary/core/keys';
import {
  type Message,
  type MessageContext,
  messageOf,
  webhookPayload,
} from '@granary/core/notifications/message';
import { type Pushed, pushedAlerts } from '@granary/core/notifications/push';
import {
  type Channel,
  NOTIFICATION_DOCUMENT,
  notificationRecord,
  type StoredNotification,
} from '@granary/core/notifications/record';
import type { targetsOf } from '@granary/core/notifications/rule';
import type { Sql } from '@granary/store/sql';
import type { NewEvent } from '../events/event-rows.ts';
import { newId } from '../ids.ts';
import { findCaller } from '../keys/key-rows.ts';
import { findWebhook } from '../webhooks/webhook-rows.ts';
import { enqueueMessage } from '../webhooks/webhooks.ts';
import { insertNotifications } from './notification-rows.ts';
import { subscriptionsOf } from './push-rows.ts';

type Targets = ReturnType<typeof targetsOf>;

/** Writes one notification for each target, so that each is tried until it is sent. */
export async function writeNotifications(
  sql: Sql,
  targets: Targets,
  message: Message,
  context: MessageContext,
): Promise<StoredNotification[]> {
  const written: StoredNotification[] = [];
  for (const target of targets) {
    if ('person_id' in target) {
      written.push(...(await toPerson(sql, target.person_id, message, context)));
    } else if ('email' in target) {
      written.push(pending('email', target, message, context));
    } else {
      const passed = pending('none', target, message, context);
      written.push(await passToWebhook(sql, target.webhook_id, passed, message));
    }
  }
  await insertNotifications(sql, NOTIFICATION_DOCUMENT, written);
  return written;
}

/**
 * Sends to every browser of the person. A person without a browser gets an e-mail, unless the rule is their own, which asks for
 * Web Push only.
 */
async function toPerson(
  sql: Sql,
  personId: string,
  message: Message,
  context: MessageContext,
): Promise<StoredNotification[]> {
  const target = { person_id: personId, subscription_id: null };
  const fail = (lastError: string): StoredNotification[] => [
    failed(pending('none', target, message, context), lastError),
  ];
  const caller = await findCaller(sql, personId);
  if (caller === undefined) return fail('there is no such person');
  if (!isValidAt(caller, context.nowMs)) return fail('the person is disabled');
  const limits = limitsWith(caller, 'read');
  const seen = message.told.filter((one) => canAccess(limits, one));
  if (seen.length === 0 && message.told.length > 0) return fail('the person may not see the device');
  const own = seen.length === message.told.length ? message : messageOf(seen, context);
  const browsers = await subscriptionsOf(sql, personId);
  if (browsers.length > 0) {
    const pushed = pushedAlerts(own.told);
    return browsers.map(({ subscriptionId }) =>
      pending('push', { ...target, subscription_id: subscriptionId }, own, context, pushed),
    );
  }
  if (context.rule.ownerId !== null) return [];
  const [found] = await sql.query<{ email: string | null }>('SELECT email FROM people WHERE key_id = $1', [
    personId,
  ]);
  return found?.email
    ? [pending('email', { email: found.email }, own, context)]
    : fail('the person has neither a browser for Web Push nor an e-mail address');
}

export function pending(
  channel: Channel,
  target: SentTarget,
  {
    kind,
    subject,
    text,
    alerts,
    alertCount,
  }: Pick<Message, 'kind' | 'subject' | 'text' | 'alerts' | 'alertCount'>,
  { rule, step, nowMs }: Pick<MessageContext, 'rule' | 'step' | 'nowMs'>,
  push?: Pushed,
): StoredNotification {
  const content = { subject, text, alerts, alertCount, ruleName: rule.content.name, target };
  return {
    notificationId: newId('ntf', nowMs),
    ruleId: rule.ruleId,
    step,
    status: 'pending',
    channel,
    kind,
    content: push === undefined ? content : { ...content, push },
    createdAtMs: nowMs,
    attempts: 0,
    nextAttemptAtMs: nowMs,
    sentAtMs: null,
    lastError: null,
  };
}

const failed = (notification: StoredNotification, lastError: string): StoredNotification => ({
  ...notification,
  status: 'failed',
  nextAttemptAtMs: null,
  lastError,
});

/** Passes the message to the webhook; from then on the deliveries of the webhook repeat it. */
async function passToWebhook(
  sql: Sql,
  webhookId: string,
  passed: StoredNotification,
  message: Message,
): Promise<StoredNotification> {
  const { notificationId: messageId, createdAtMs: nowMs } = passed;
  const webhook = await findWebhook(sql, webhookId);
  if (webhook === undefined || !webhook.enabled) {
    return failed(passed, `the webhook ${webhook === undefined ? 'was removed' : 'is disabled'}`);
  }
  const payload = webhookPayload(message, passed);
  await enqueueMessage(sql, {
    webhookNo: webhook.webhookNo,
    messageId,
    type: 'notification',
    payload,
    nowMs,
  });
  return { ...passed, status: 'sent', attempts: 1, nextAttemptAtMs: null, sentAtMs: nowMs };
}

/** Returns the events of notifications that will never be sent. */
export const failureEvents = (written: readonly StoredNotification[], atMs: number): NewEvent[] =>
  written
    .filter(({ status }) => status === 'failed')
    .map((one) => ({
      type: 'notification.failed',
      deviceNo: null,
      atMs,
      data: notificationRecord(one),
    }));

/** Returns whether a message waits for the worker of the webhooks. */
export const isPassedOn = (written: readonly StoredNotification[]): boolean =>
  written.some(({ status }) => status === 'sent');
