import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventType } from '@granary/contract/events';
import {
  changedWebhook,
  type StoredWebhook,
  selectsEvent,
  targetFault,
  webhookContent,
  webhookEventData,
  webhookRecord,
} from './webhook.ts';

const NOW_MS = Date.UTC(2026, 5, 15, 12);

const webhookWith = (fields: Partial<StoredWebhook> = {}): StoredWebhook => ({
  ...webhookContent({ url: 'https://example.com/token' }),
  webhookNo: 1,
  webhookId: 'wh_1',
  disabledReason: null,
  position: 7,
  failingSinceMs: null,
  deadReportedAtMs: null,
  previousSecretUntilMs: null,
  createdAtMs: NOW_MS,
  updatedAtMs: NOW_MS,
  ...fields,
});

const event = (type: EventType, data: Record<string, unknown> = {}, deviceId: string | null = 'silo-1') => ({
  type,
  data,
  deviceId,
  facility: deviceId === null ? null : 'north',
});

const CRITICAL = event('alert.raised', { severity: 'critical' });

describe('the events of a webhook', () => {
  const isSelected = (filter: Partial<StoredWebhook>, one = CRITICAL) =>
    selectsEvent(webhookWith(filter), one);

  it('are all events without filters, also those that concern no device', () => {
    assert.equal(isSelected({}), true);
    assert.equal(isSelected({}, event('key.issued', {}, null)), true);
  });

  it('match every filter that is given', () => {
    assert.equal(isSelected({ eventTypes: ['alert.raised'] }), true);
    assert.equal(isSelected({ eventTypes: ['alert.updated'] }), false);
    assert.equal(isSelected({ deviceIds: ['silo-1'] }), true);
    assert.equal(isSelected({ deviceIds: ['silo-2'] }), false);
    assert.equal(isSelected({ facilities: ['north'] }), true);
    assert.equal(isSelected({ facilities: ['south'] }), false);
    assert.equal(isSelected({ severities: ['critical', 'warning'] }), true);
    assert.equal(isSelected({ severities: ['info'] }), false);
    assert.equal(isSelected({ severities: ['critical'], deviceIds: ['silo-2'] }), false);
  });

  it('concern a device if devices or facilities are named, and an alert if severities are', () => {
    const ofNoDevice = event('key.issued', {}, null);
    assert.equal(isSelected({ deviceIds: ['silo-1'] }, ofNoDevice), false);
    assert.equal(isSelected({ facilities: ['north'] }, ofNoDevice), false);
    assert.equal(isSelected({ severities: ['critical'] }, event('operation.status_changed')), false);
  });

  it('are never about the webhook itself', () => {
    const dead = (webhookId: string) => event('webhook.delivery_dead', { webhook_id: webhookId }, null);
    assert.equal(isSelected({}, dead('wh_1')), false);
    assert.equal(isSelected({}, dead('wh_2')), true);
  });
});

describe('a changed webhook', () => {
  it('keeps what is not given, and null removes a filter', () => {
    const before = webhookWith({ eventTypes: ['alert.raised'], description: 'x', facilities: ['north'] });
    const after = changedWebhook(before, { event_types: null, description: 'y' }, NOW_MS + 1);
    assert.deepEqual(after, { ...before, eventTypes: null, description: 'y', updatedAtMs: NOW_MS + 1 });
  });

  it('starts anew when it is enabled, and has no reason when a person disables it', () => {
    const disabled = webhookWith({ enabled: false, disabledReason: '410', failingSinceMs: NOW_MS });
    const { enabled, disabledReason, failingSinceMs } = changedWebhook(disabled, { enabled: true }, NOW_MS);
    assert.deepEqual([enabled, disabledReason, failingSinceMs], [true, null, null]);
    const again = changedWebhook(webhookWith({ failingSinceMs: 5 }), { enabled: false }, NOW_MS);
    assert.deepEqual([again.enabled, again.disabledReason, again.failingSinceMs], [false, null, 5]);
  });
});

it('the address of a webhook is shown to callers, but not in the event log', () => {
  assert.equal(webhookRecord(webhookWith()).url, 'https://example.com/token');
  assert.equal(JSON.stringify(webhookEventData(webhookWith())).includes('token'), false);
});

it('an address needs http or https, a host, and no password', () => {
  for (const url of ['https://example.com/hook?a=b', 'http://example.com:8080', 'https://[2a00::1]/']) {
    assert.equal(targetFault(url), null, url);
  }
  for (const url of [
    'ftp://example.com',
    'https://user@example.com/',
    'https://u:p@example.com',
    'https://',
  ]) {
    assert.notEqual(targetFault(url), null, url);
  }
});
