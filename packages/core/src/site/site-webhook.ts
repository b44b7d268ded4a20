import { Refusal } from '@granary/contract/errors';
import type { NewWebhook } from '@granary/contract/webhooks';
import {
  changedWebhook,
  type StoredWebhook,
  targetFault,
  type WebhookContent,
  webhookContent,
} from '../webhooks/webhook.ts';
import { differences, type Planned } from './differences.ts';

export type PlannedWebhook = Planned<WebhookContent>;

export const siteWebhook = (webhook: WebhookContent): NewWebhook => ({
  url: webhook.url,
  description: webhook.description,
  event_types: webhook.eventTypes && [...webhook.eventTypes],
  device_ids: webhook.deviceIds && [...webhook.deviceIds],
  facilities: webhook.facilities && [...webhook.facilities],
  severities: webhook.severities && [...webhook.severities],
  enabled: webhook.enabled,
});

/** `isReachable` says whether messages may be sent to the address. */
export function planWebhook(
  wanted: NewWebhook,
  before: readonly StoredWebhook[],
  isReachable: boolean,
  nowMs: number,
): PlannedWebhook {
  const [known, ...more] = before;
  if (more.length > 0) refuseUrl('several webhooks have this address; change them one by one');
  const fault = targetFault(wanted.url);
  if (fault !== null) refuseUrl(fault);
  if (!isReachable) {
    refuseUrl('is private or reserved; GRANARY_WEBHOOK_ALLOW_PRIVATE=on allows private addresses');
  }
  if (known === undefined) return { after: webhookContent(wanted), action: 'create', differences: [] };
  const after = changedWebhook(known, wanted, nowMs);
  const changed = differences(siteWebhook(known), siteWebhook(after));
  return { after, action: changed.length === 0 ? 'unchanged' : 'update', differences: changed };
}

function refuseUrl(message: string): never {
  throw new Refusal('apply_refused', message, [{ path: '/url', message }]);
}
