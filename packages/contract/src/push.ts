import { type Static, Type } from 'typebox';
import { ALERT_SEVERITIES, type AlertAbout, type AlertSeverity } from './alerts.ts';
import { checker, closed, described } from './input/schema.ts';
import { form, line } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { type NoticeKind, QuietHours } from './notifications.ts';
import type { OperationStatus } from './operations.ts';
import { sentence } from './sentences/codes.ts';

/** The ended operations that a person is told about. */
export const PUSHED_OPERATIONS = ['none', 'own', 'all'] as const;

const SettingsFields = {
  severity_min: Type.Enum(ALERT_SEVERITIES),
  facilities: described(
    'Null for all that the person may see.',
    Type.Union([Type.Array(line(200), { minItems: 1, maxItems: 1_000 }), Type.Null()]),
  ),
  operations: described(
    '`own`: operations that the person has started; those that end in quiet hours are not told.',
    Type.Enum(PUSHED_OPERATIONS),
  ),
  resolved: described('Also tell when an alert is over.', Type.Boolean()),
};

/** The settings of a person about messages on their devices. */
export const PushSettingsInput = closed({
  ...SettingsFields,
  quiet_hours: described(
    'Critical alerts do not wait for their end unless `critical_too` says so.',
    Type.Union([
      closed({
        ...QuietHours.properties,
        time_zone: Type.Optional(described('That of the service when not given.', line(64))),
      }),
      Type.Null(),
    ]),
  ),
});

export const PushSettings = closed({
  ...SettingsFields,
  quiet_hours: Type.Union([QuietHours, Type.Null()]),
});

const key = (chars: number) =>
  Type.String({ pattern: `^[A-Za-z0-9_-]{${chars}}$`, ...form(sentence('base_64_url', { limit: chars })) });

/** The result of `PushManager.subscribe` in a browser. */
const NewPushSubscription = closed({
  endpoint: Type.String({ pattern: '^https?://[!-~]{1,1000}$', ...form(sentence('push_service_address')) }),
  keys: closed({ p256dh: key(87), auth: key(22) }),
});

export const PushSubscriptionRecord = closed({
  subscription_id: Type.String(),
  is_current: described('Of the browser that asks.', Type.Boolean()),
  browser: Type.String(),
  created_at: Timestamp,
});

export const PushState = closed({
  public_key: described('With which browsers register at their push service (VAPID).', Type.String()),
  time_zone: described('Of the service, for quiet hours.', Type.String()),
  settings: PushSettings,
  subscriptions: Type.Array(PushSubscriptionRecord),
});

/** An alert, or an operation that has ended. */
export interface PushedItem {
  readonly id: string;
  readonly kind: NoticeKind | OperationStatus;
  readonly severity: AlertSeverity | null;
  readonly is_over: boolean;
  readonly device_id: string;
  readonly device_name: string;
  readonly facility: string;
  /** The time zone of the site of the device. */
  readonly time_zone: string;
  readonly about: AlertAbout | null;
  readonly message: string;
  readonly message_code: string;
  readonly message_values: Readonly<Record<string, unknown>>;
}

/** The message for a browser, which writes it in the language of its reader. */
export interface PushPayload {
  readonly notification_id: string;
  readonly about: 'alerts' | 'operation' | 'test';
  /** The number of all items; `items` has the first of them. */
  readonly count: number;
  readonly items: readonly PushedItem[];
}

export type PushSettingsInput = Static<typeof PushSettingsInput>;
export type PushSettings = Static<typeof PushSettings>;
export type PushSubscriptionRecord = Static<typeof PushSubscriptionRecord>;
export type PushState = Static<typeof PushState>;

export const checkPushSettings = checker(PushSettingsInput);
export const checkPushSubscription = checker(NewPushSubscription);
