import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkNewWebhook, checkWebhookPatch } from '@granary/contract/webhooks';
import { EMPTY_WEBHOOK, webhookOf } from './webhook-draft.ts';

test('nothing chosen means everything', () => {
  const webhook = webhookOf({ ...EMPTY_WEBHOOK, url: ' https://example.com/hook ' });
  assert.deepEqual(webhook, {
    url: 'https://example.com/hook',
    description: null,
    event_types: null,
    severities: null,
    facilities: null,
    device_ids: null,
  });
  assert.ok(checkNewWebhook.accepts(webhook) && checkWebhookPatch.accepts(webhook));
});

test('what is chosen is sent in the order of the contract', () => {
  const webhook = webhookOf({
    url: 'https://example.com',
    description: 'on-call',
    eventTypes: ['alert.updated', 'alert.raised'],
    severities: ['critical'],
    facilities: ['north'],
    deviceIds: ['silo-1'],
  });
  assert.deepEqual(webhook.event_types, ['alert.raised', 'alert.updated']);
  assert.ok(checkNewWebhook.accepts(webhook));
});
