import { checkPageQuery } from '../envelope.ts';
import { id } from '../input/text-schemas.ts';
import {
  checkDeliveryQuery,
  checkNewWebhook,
  checkSecretRotation,
  checkWebhookEnabling,
  checkWebhookPatch,
  checkWebhookReplay,
  DeadDelivery,
  IssuedWebhook,
  NewWebhook,
  ReplayResult,
  SecretRotation,
  WebhookChange,
  WebhookDelivery,
  WebhookEnabling,
  WebhookPatch,
  WebhookRecord,
  WebhookReplay,
} from '../webhooks.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith, optionalBody } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  webhook_id: {
    schema: id(),
    description: 'the id of a webhook',
    notFound: 'webhook_not_found',
    example: 'wh_019a86c5f3c07b2a',
  },
});

const endpoints = {
  list: endpoint('api', 'GET', '/webhooks', {
    scope: 'admin',
    summary: 'Lists the webhooks, without their secrets.',
    query: checkPageQuery,
    answers: { 200: pageOf(WebhookRecord) },
    examples: [{ summary: 'the first page' }],
  }),
  create: endpoint('api', 'POST', '/webhooks', {
    scope: 'admin',
    summary: 'Registers a receiver of events, and answers the secret of its signatures this once.',
    body: body(checkNewWebhook, 'webhook'),
    answers: { 200: one(IssuedWebhook) },
    errors: ['webhook_target_refused', 'webhook_limit_reached'],
    examples: [
      { summary: 'every event', body: { url: 'https://example.com/granary' } },
      {
        summary: 'critical alerts of one facility',
        body: {
          url: 'https://example.com/alerts',
          description: 'on-call duty',
          event_types: ['alert.raised', 'alert.severity_raised'],
          facilities: ['north'],
          severities: ['critical'],
        },
      },
      {
        summary: 'a private address',
        body: { url: 'http://192.168.0.10/hook' },
        refusal: 'webhook_target_refused',
      },
    ],
  }),
  get: endpoint('api', 'GET', '/webhooks/{webhook_id}', {
    scope: 'admin',
    summary: 'Shows one webhook, without its secret.',
    answers: { 200: one(WebhookRecord) },
    examples: [
      { summary: 'a webhook' },
      { summary: 'an unknown one', parameters: { webhook_id: 'wh_none' }, refusal: 'webhook_not_found' },
    ],
  }),
  update: endpoint('api', 'PATCH', '/webhooks/{webhook_id}', {
    scope: 'admin',
    summary: 'Changes the given fields of a webhook; null removes a filter.',
    body: body(checkWebhookPatch, 'webhook'),
    answers: { 200: one(WebhookRecord) },
    errors: ['webhook_target_refused'],
    examples: [
      { summary: 'other types of event', body: { event_types: ['operation.status_changed'] } },
      { summary: 'disable it', body: { enabled: false } },
    ],
  }),
  remove: endpoint('api', 'DELETE', '/webhooks/{webhook_id}', {
    scope: 'admin',
    summary: 'Removes a webhook; what has not been delivered is not sent any more.',
    answers: { 200: one(WebhookRecord) },
    examples: [{ summary: 'a webhook' }],
  }),
  test: endpoint('api', 'POST', '/webhooks/{webhook_id}/test', {
    scope: 'admin',
    summary: 'Sends a message of type webhook.test once, and answers its delivery.',
    answers: { 200: one(WebhookDelivery) },
    errors: ['webhook_disabled'],
    examples: [{ summary: 'a webhook' }],
  }),
  rotateSecret: endpoint('api', 'POST', '/webhooks/{webhook_id}/rotate-secret', {
    scope: 'admin',
    summary: 'Issues a new secret; messages are signed with both for the overlap, a day if none is given.',
    body: optionalBody(checkSecretRotation, 'rotation'),
    answers: { 200: one(IssuedWebhook) },
    examples: [{ summary: 'with the usual overlap' }, { summary: 'at once', body: { overlap_seconds: 0 } }],
  }),
  deliveries: endpoint('api', 'GET', '/webhooks/{webhook_id}/deliveries', {
    scope: 'admin',
    summary: 'Lists the deliveries of a webhook, the newest first.',
    query: checkDeliveryQuery,
    answers: { 200: pageOf(WebhookDelivery) },
    examples: [{ summary: 'all' }, { summary: 'dead ones', query: { status: 'dead' } }],
  }),
  replay: endpoint('api', 'POST', '/webhooks/{webhook_id}/replay', {
    scope: 'admin',
    summary: 'Sends the events from one on again, or all dead deliveries.',
    body: body(checkWebhookReplay, 'replay'),
    answers: { 200: one(ReplayResult) },
    examples: [
      { summary: 'dead deliveries', body: { dead: true } },
      { summary: 'everything since event 1', body: { from_event: 1 } },
      {
        summary: 'an event that is not in the log',
        body: { from_event: 999_999_999 },
        refusal: 'invalid_input',
      },
    ],
  }),
  enable: endpoint('api', 'POST', '/webhooks/{webhook_id}/enable', {
    scope: 'admin',
    summary: 'Enables a webhook again; it gets the events since it was disabled unless they are skipped.',
    body: optionalBody(checkWebhookEnabling, 'request'),
    answers: { 200: one(WebhookRecord) },
    examples: [
      { summary: 'with the missed events' },
      { summary: 'without the missed events', body: { skip_missed: true } },
    ],
  }),
};

export const webhooks = {
  description: 'Events that are sent to an address of yours.',
  endpoints,
  schemas: {
    NewWebhook,
    WebhookPatch,
    WebhookRecord,
    IssuedWebhook,
    SecretRotation,
    WebhookEnabling,
    WebhookReplay,
    ReplayResult,
    WebhookDelivery,
    WebhookChange,
    DeadDelivery,
  },
  events: {
    'webhook.created': WebhookChange,
    'webhook.updated': WebhookChange,
    'webhook.removed': WebhookChange,
    'webhook.secret_rotated': WebhookChange,
    'webhook.disabled': WebhookChange,
    'webhook.delivery_dead': DeadDelivery,
  },
} satisfies Slice;
