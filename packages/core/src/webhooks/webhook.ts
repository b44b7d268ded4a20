import type { AlertSeverity } from '@granary/contract/alerts';
import type { EventType } from '@granary/contract/events';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import type {
  DeliveryStatus,
  NewWebhook,
  WebhookDelivery,
  WebhookPatch,
  WebhookRecord,
} from '@granary/contract/webhooks';

/** The events that a webhook gets; `null` means no limit. */
interface WebhookFilter {
  readonly eventTypes: readonly EventType[] | null;
  readonly deviceIds: readonly string[] | null;
  readonly facilities: readonly string[] | null;
  readonly severities: readonly AlertSeverity[] | null;
}

/** The part of a webhook that callers choose. */
export interface WebhookContent extends WebhookFilter {
  readonly url: string;
  readonly description: string | null;
  readonly enabled: boolean;
}

/** A webhook as it is stored, without its secrets. */
export interface StoredWebhook extends WebhookContent {
  readonly webhookNo: number;
  readonly webhookId: string;
  readonly disabledReason: string | null;
  /** The number of the last event that was considered. */
  readonly position: number;
  readonly failingSinceMs: number | null;
  readonly deadReportedAtMs: number | null;
  readonly previousSecretUntilMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export const webhookContent = (wanted: NewWebhook): WebhookContent => ({
  url: wanted.url,
  description: wanted.description ?? null,
  eventTypes: wanted.event_types ?? null,
  deviceIds: wanted.device_ids ?? null,
  facilities: wanted.facilities ?? null,
  severities: wanted.severities ?? null,
  enabled: wanted.enabled ?? true,
});

const given = <T>(value: T | undefined, before: T): T => (value === undefined ? before : value);

/** Enabling a webhook starts again: earlier failures do not count any more. */
export function changedWebhook(before: StoredWebhook, patch: WebhookPatch, nowMs: number): StoredWebhook {
  const enabled = given(patch.enabled, before.enabled);
  const isKept = patch.enabled === undefined;
  return {
    ...before,
    url: given(patch.url, before.url),
    description: given(patch.description, before.description),
    eventTypes: given(patch.event_types, before.eventTypes),
    deviceIds: given(patch.device_ids, before.deviceIds),
    facilities: given(patch.facilities, before.facilities),
    severities: given(patch.severities, before.severities),
    enabled,
    disabledReason: isKept ? before.disabledReason : null,
    failingSinceMs: isKept || !enabled ? before.failingSinceMs : null,
    updatedAtMs: nowMs,
  };
}

const copied = <T>(list: readonly T[] | null): T[] | null => (list === null ? null : [...list]);

/** The record for callers, without the secrets. */
export const webhookRecord = (webhook: StoredWebhook): WebhookRecord => ({
  webhook_id: webhook.webhookId,
  url: webhook.url,
  description: webhook.description,
  event_types: copied(webhook.eventTypes),
  device_ids: copied(webhook.deviceIds),
  facilities: copied(webhook.facilities),
  severities: copied(webhook.severities),
  enabled: webhook.enabled,
  disabled_reason: webhook.disabledReason,
  last_event_id: webhook.position,
  failing_since: toIsoOrNull(webhook.failingSinceMs),
  previous_secret_until: toIsoOrNull(webhook.previousSecretUntilMs),
  created_at: toIso(webhook.createdAtMs),
  updated_at: toIso(webhook.updatedAtMs),
});

/** The record for the event log has no address: an address may contain a password of its receiver, and other webhooks get the event. */
export function webhookEventData(webhook: StoredWebhook): Omit<WebhookRecord, 'url'> {
  const { url: _, ...data } = webhookRecord(webhook);
  return data;
}

interface SelectableEvent {
  readonly type: EventType;
  readonly deviceId: string | null;
  readonly facility: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A webhook does not get events about itself, otherwise a failed delivery would cause the next one. */
export function selectsEvent(webhook: StoredWebhook, event: SelectableEvent): boolean {
  const { eventTypes, deviceIds, facilities, severities } = webhook;
  const { type, deviceId, facility, data } = event;
  if (eventTypes !== null && !eventTypes.includes(type)) return false;
  if (deviceIds !== null && (deviceId === null || !deviceIds.includes(deviceId))) return false;
  if (facilities !== null && (facility === null || !facilities.includes(facility))) return false;
  if (severities !== null && !severities.some((severity) => severity === data['severity'])) return false;
  return !type.startsWith('webhook.') || data['webhook_id'] !== webhook.webhookId;
}

/** Why messages can never be sent to this address; `null` if they can. */
export function targetFault(url: string): string | null {
  if (!URL.canParse(url)) return 'is not an address';
  const { protocol, username, password, hostname } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with http:// or https://';
  // They would be shown to everyone who may list webhooks; the signature authenticates the sender.
  if (username !== '' || password !== '') return 'must not contain a user name or a password';
  return hostname === '' ? 'must name a host' : null;
}

interface Delivery {
  readonly messageId: string;
  readonly type: string;
  readonly sequence: number | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly nextAttemptAtMs: number;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | null;
}

/** The record for callers. */
export const deliveryRecord = (delivery: Delivery): WebhookDelivery => ({
  message_id: delivery.messageId,
  type: delivery.type,
  event_id: delivery.sequence,
  status: delivery.status,
  attempts: delivery.attempts,
  last_status: delivery.lastStatus,
  last_error: delivery.lastError,
  next_attempt_at: delivery.status === 'pending' ? toIso(delivery.nextAttemptAtMs) : null,
  created_at: toIso(delivery.createdAtMs),
  finished_at: toIsoOrNull(delivery.finishedAtMs),
});
