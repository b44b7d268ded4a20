import { type Static, Type } from 'typebox';
import { ALERT_SEVERITIES } from './alerts.ts';
import { PageQuery } from './envelope.ts';
import { DeviceId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { form, line } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { EVENT_TYPES } from './outline.ts';
import { sentence } from './sentences/codes.ts';

/** More webhooks are refused, because each one multiplies the work of an event. */
export const WEBHOOKS_MAX = 50;

const URL_CHARS_MAX = 2_000;
const DAY_S = 24 * 3_600;
const OVERLAP_S_MAX = 30 * DAY_S;

/** A `pending` message is sent until it is delivered or dead; a dead message is sent again only by a replay. */
const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The type of the message that a test sends; it is not an event. */
export const TEST_MESSAGE = 'webhook.test';

const OptionalTimestamp = Type.Union([Timestamp, Type.Null()]);
const Url = Type.String({
  minLength: 1,
  maxLength: URL_CHARS_MAX,
  pattern: '^https?://[A-Za-z0-9[][\\x21-\\x7e]*$',
  ...form(sentence('web_address')),
});
const Description = line(200);

/** `null` means everything; a message must match all filters that are given. */
const FILTERS = {
  event_types: Type.Union([
    Type.Array(Type.Enum(EVENT_TYPES), { minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true }),
    Type.Null(),
  ]),
  device_ids: Type.Union([Type.Array(DeviceId, { minItems: 1, maxItems: 1_000 }), Type.Null()]),
  facilities: Type.Union([Type.Array(line(200), { minItems: 1, maxItems: 1_000 }), Type.Null()]),
  severities: described(
    'Only events of alerts have a severity.',
    Type.Union([
      Type.Array(Type.Enum(ALERT_SEVERITIES), {
        minItems: 1,
        maxItems: ALERT_SEVERITIES.length,
        uniqueItems: true,
      }),
      Type.Null(),
    ]),
  ),
};

const OPTIONAL_FIELDS = {
  description: Type.Optional(Type.Union([Description, Type.Null()])),
  event_types: Type.Optional(FILTERS.event_types),
  device_ids: Type.Optional(FILTERS.device_ids),
  facilities: Type.Optional(FILTERS.facilities),
  severities: Type.Optional(FILTERS.severities),
  enabled: Type.Optional(Type.Boolean()),
};

export const NewWebhook = closed({ url: Url, ...OPTIONAL_FIELDS });

export const WebhookPatch = closed({ url: Type.Optional(Url), ...OPTIONAL_FIELDS });

export const WebhookRecord = closed({
  webhook_id: Type.String(),
  url: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  ...FILTERS,
  enabled: Type.Boolean(),
  disabled_reason: described(
    'Why the service disabled it; `null` if a person did, or if it is enabled.',
    Type.Union([Type.String(), Type.Null()]),
  ),
  last_event_id: described(
    'Every event up to this one has a delivery or does not match.',
    Type.Integer({ minimum: 0 }),
  ),
  failing_since: described('Since when every attempt has failed.', OptionalTimestamp),
  previous_secret_until: described(
    'Until then messages are signed with the secret before the last rotation, too.',
    OptionalTimestamp,
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** The only answers that contain the secret. */
export const IssuedWebhook = closed({ ...WebhookRecord.properties, secret: Type.String() });

export const SecretRotation = closed({
  overlap_seconds: Type.Optional(
    described(
      'How long messages are signed with the old secret, too; a day if it is not given.',
      Type.Integer({ minimum: 0, maximum: OVERLAP_S_MAX }),
    ),
  ),
});

export const WebhookEnabling = closed({
  skip_missed: Type.Optional(
    described('Events that were logged while it was disabled are not sent.', Type.Boolean()),
  ),
});

export const WebhookReplay = Type.Union([
  closed({ from_event: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
  closed({ dead: Type.Literal(true) }),
]);

export const ReplayResult = closed({
  events: described(
    'The number of events in the log from the given one on; those that match are sent.',
    Type.Integer({ minimum: 0 }),
  ),
  deliveries: described('The number of dead deliveries that are sent again.', Type.Integer({ minimum: 0 })),
});

export const WebhookDelivery = closed({
  message_id: described('The header `webhook-id`; it stays the same in every attempt.', Type.String()),
  type: Type.String(),
  event_id: described(
    '`null` for a message that is not an event.',
    Type.Union([Type.Integer(), Type.Null()]),
  ),
  status: Type.Enum(DELIVERY_STATUSES),
  attempts: Type.Integer({ minimum: 0 }),
  last_status: described('The HTTP status of the last answer.', Type.Union([Type.Integer(), Type.Null()])),
  last_error: Type.Union([Type.String(), Type.Null()]),
  next_attempt_at: OptionalTimestamp,
  created_at: Timestamp,
  finished_at: OptionalTimestamp,
});

const DeliveryQuery = closed({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(DELIVERY_STATUSES)),
});

export type NewWebhook = Static<typeof NewWebhook>;
export type WebhookPatch = Static<typeof WebhookPatch>;
export type WebhookRecord = Static<typeof WebhookRecord>;
export type IssuedWebhook = Static<typeof IssuedWebhook>;
export type WebhookReplay = Static<typeof WebhookReplay>;
export type ReplayResult = Static<typeof ReplayResult>;
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const checkNewWebhook = checker(NewWebhook);
export const checkWebhookPatch = checker(WebhookPatch);
export const checkSecretRotation = checker(SecretRotation);
export const checkWebhookEnabling = checker(WebhookEnabling);
export const checkWebhookReplay = checker(WebhookReplay);
export const checkDeliveryQuery = checker(DeliveryQuery);

const { url: _, ...webhookProperties } = WebhookRecord.properties;

/** The change has no address, because an address may contain a secret. */
export const WebhookChange = closed(webhookProperties);

export const DeadDelivery = closed({
  webhook_id: Type.String(),
  message_id: Type.String(),
  type: described('The type of the message that was not delivered.', Type.String()),
  attempts: Type.Integer({ minimum: 0 }),
  last_status: Type.Union([Type.Integer(), Type.Null()]),
  last_error: Type.Union([Type.String(), Type.Null()]),
});
