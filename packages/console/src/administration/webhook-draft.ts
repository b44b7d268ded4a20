import { ALERT_SEVERITIES, EVENT_TYPES } from '@granary/contract/outline';
import type { NewWebhook, WebhookRecord } from '@granary/contract/webhooks';

/** The contents of the form of a webhook; an empty choice means everything. */
export interface WebhookDraft {
  readonly url: string;
  readonly description: string;
  readonly eventTypes: readonly string[];
  readonly severities: readonly string[];
  readonly facilities: readonly string[];
  readonly deviceIds: readonly string[];
}

export const EMPTY_WEBHOOK: WebhookDraft = {
  url: '',
  description: '',
  eventTypes: [],
  severities: [],
  facilities: [],
  deviceIds: [],
};

export const draftOfWebhook = (webhook: WebhookRecord): WebhookDraft => ({
  url: webhook.url,
  description: webhook.description ?? '',
  eventTypes: webhook.event_types ?? [],
  severities: webhook.severities ?? [],
  facilities: webhook.facilities ?? [],
  deviceIds: webhook.device_ids ?? [],
});

/** The webhook that is sent. It names every filter, so that a filter without a choice is removed. */
export const webhookOf = (draft: WebhookDraft): Required<Omit<NewWebhook, 'enabled'>> => ({
  url: draft.url.trim(),
  description: draft.description.trim() === '' ? null : draft.description.trim(),
  event_types: orEverything(EVENT_TYPES.filter((type) => draft.eventTypes.includes(type))),
  severities: orEverything(ALERT_SEVERITIES.filter((severity) => draft.severities.includes(severity))),
  facilities: orEverything(draft.facilities),
  device_ids: orEverything(draft.deviceIds),
});

const orEverything = <Item>(chosen: readonly Item[]): Item[] | null =>
  chosen.length === 0 ? null : [...chosen];
