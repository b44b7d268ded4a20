import { type Static, Type } from 'typebox';
import { ALERT_SEVERITIES, ALERT_TYPES } from './alerts.ts';
import { LabelSelector, LabelSelectors } from './devices/labels.ts';
import { PageQuery } from './envelope.ts';
import { DeviceId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { form, id, line, shownName } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { sentence } from './sentences/codes.ts';

export const NOTIFICATION_RULES_MAX = 200;
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/**
 * `pending`: not sent successfully yet; `sent`: the mail server has accepted it, or it waits among the deliveries of the
 * webhook; `failed`: not sent, and not tried again; `cancelled`: its rule was removed before it was sent.
 */
export const NOTIFICATION_STATUSES = ['pending', 'sent', 'failed', 'cancelled'] as const;
export type NotificationStatus = (typeof NOTIFICATION_STATUSES)[number];

/**
 * The reason for a notice: the alert was raised, is more severe, is present again or has a further cause, its shelving has
 * ended, nobody has acknowledged it, or it is over.
 */
export const NOTICE_KINDS = [
  'raised',
  'severity_raised',
  'present_again',
  'unshelved',
  'not_acknowledged',
  'over',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

const EMAIL_CHARS_MAX = 254;
/** Letters and digits of every script: ASCII, and the characters with which a name in XML may begin, because Python does not read `\p{L}`. */
const LETTER =
  'A-Za-z0-9\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd';
/** The pattern excludes characters with a meaning in the header of a message, such as commas, quotes and brackets. */
export const EMAIL_PATTERN = `^[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@[${LETTER}]([${LETTER}.-]*[${LETTER}])?$`;

export const EmailTarget = closed({
  email: Type.String({
    maxLength: EMAIL_CHARS_MAX,
    pattern: EMAIL_PATTERN,
    ...form(sentence('email_address')),
  }),
});
const WebhookTarget = closed({ webhook_id: id() });
/** The person is told by Web Push in their browsers, or by e-mail if there are none. */
export const PersonTarget = closed({ person_id: id() });
const Target = Type.Union([EmailTarget, WebhookTarget, PersonTarget]);
const Targets = Type.Array(Target, { maxItems: 20 });

export const TimeOfDay = Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  ...form(sentence('time_of_day')),
});

/** The local time in which alerts wait; it may pass midnight. */
export const QuietHours = closed({
  from: TimeOfDay,
  to: TimeOfDay,
  time_zone: line(64),
  days: Type.Optional(
    described(
      'The days on which they begin; every day when not given.',
      Type.Array(Type.Enum(WEEKDAYS), { minItems: 1, maxItems: 7, uniqueItems: true }),
    ),
  ),
  critical_too: Type.Optional(described('Critical alerts wait, too.', Type.Boolean())),
});

const Match = closed({
  severity_min: Type.Optional(Type.Enum(ALERT_SEVERITIES)),
  types: Type.Optional(
    Type.Array(Type.Enum(ALERT_TYPES), { minItems: 1, maxItems: ALERT_TYPES.length, uniqueItems: true }),
  ),
  facilities: Type.Optional(Type.Array(line(200), { minItems: 1, maxItems: 1_000 })),
  device_ids: Type.Optional(Type.Array(DeviceId, { minItems: 1, maxItems: 1_000 })),
  labels: Type.Optional(
    described('Labels that the device has, such as `product=wheat`, or names of labels.', LabelSelectors),
  ),
});

/** The first alerts are told immediately, and the others of the same time window together. */
const Summary = closed({
  window_seconds: Type.Optional(Type.Integer({ minimum: 10, maximum: 86_400 })),
  at_once_max: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
});

const ESCALATION_MINUTES_MAX = 7 * 24 * 60;

/** The targets that are told if nobody has acknowledged the alert this long after it was raised. */
export const EscalationStep = closed({
  after_minutes: Type.Integer({ minimum: 1, maximum: ESCALATION_MINUTES_MAX }),
  targets: Type.Array(Target, { minItems: 1, maxItems: 20 }),
});
const Escalation = Type.Array(EscalationStep, { maxItems: 10 });

const ROTA_PEOPLE_MAX = 20;

/** People who are told one after the other, and again from the first one, until somebody has acknowledged the alert. */
const Rota = closed({
  people: described(
    'The ids of people, in the order in which they are told.',
    Type.Array(id(), { minItems: 1, maxItems: ROTA_PEOPLE_MAX, uniqueItems: true }),
  ),
  minutes: described(
    'How long each has before the next one is told.',
    Type.Integer({ minimum: 1, maximum: 1_440 }),
  ),
});

export const NotificationRuleInput = closed({
  name: shownName(200),
  enabled: Type.Optional(Type.Boolean()),
  match: Type.Optional(Match),
  targets: described('May be empty where there is a rota.', Targets),
  quiet_hours: Type.Optional(Type.Union([QuietHours, Type.Null()])),
  summary: Type.Optional(Summary),
  resolved: Type.Optional(described('Also tell when the alert is over.', Type.Boolean())),
  escalation: Type.Optional(Escalation),
  rota: Type.Optional(described('Not together with an escalation.', Type.Union([Rota, Type.Null()]))),
});

/** A rule with all defaults filled in. */
export const NotificationRule = closed({
  rule_id: Type.String(),
  name: shownName(200),
  enabled: Type.Boolean(),
  match: closed({
    severity_min: Type.Enum(ALERT_SEVERITIES),
    types: Type.Union([Type.Array(Type.Enum(ALERT_TYPES)), Type.Null()]),
    facilities: Type.Union([Type.Array(Type.String()), Type.Null()]),
    device_ids: Type.Union([Type.Array(DeviceId), Type.Null()]),
    labels: Type.Optional(Type.Array(LabelSelector)),
  }),
  targets: Targets,
  quiet_hours: Type.Union([
    closed({
      ...QuietHours.properties,
      days: Type.Array(Type.Enum(WEEKDAYS)),
      critical_too: Type.Boolean(),
    }),
    Type.Null(),
  ]),
  summary: closed({ window_seconds: Type.Integer(), at_once_max: Type.Integer() }),
  resolved: Type.Boolean(),
  escalation: Escalation,
  rota: Type.Union([Rota, Type.Null()]),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** One message to one target. */
export const NotificationRecord = closed({
  notification_id: Type.String(),
  rule_id: described(
    'Of a report that of its schedule, or `report-` and the id of the person who has asked for it.',
    Type.String(),
  ),
  rule_name: Type.String(),
  step: described(
    '0: the targets of the rule; 1 and more: those of that step of the escalation or the rota.',
    Type.Integer(),
  ),
  target: Type.Union([
    EmailTarget,
    WebhookTarget,
    closed({
      ...PersonTarget.properties,
      subscription_id: described(
        'The browser of the person; null where there is none.',
        Type.Union([Type.String(), Type.Null()]),
      ),
    }),
  ]),
  status: Type.Enum(NOTIFICATION_STATUSES),
  subject: Type.String(),
  alerts: described(
    'The first of the alerts that it tells.',
    Type.Array(closed({ alert_id: Type.String(), device_id: DeviceId, kind: Type.Enum(NOTICE_KINDS) })),
  ),
  alert_count: described('How many alerts it tells; 0 for a test or a report.', Type.Integer()),
  created_at: Timestamp,
  attempts: Type.Integer(),
  next_attempt_at: Type.Union([Timestamp, Type.Null()]),
  sent_at: Type.Union([Timestamp, Type.Null()]),
  last_error: Type.Union([Type.String(), Type.Null()]),
});

export const TestNotifications = closed({ notifications: Type.Array(NotificationRecord) });

const NotificationQuery = closed({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(NOTIFICATION_STATUSES)),
  rule_id: Type.Optional(id()),
});

export type NotificationTarget = Static<typeof Target>;
export type SentTarget = NotificationRecord['target'];
export type QuietHours = Static<typeof QuietHours>;
export type NotificationRuleInput = Static<typeof NotificationRuleInput>;
export type NotificationRule = Static<typeof NotificationRule>;
export type NotificationRecord = Static<typeof NotificationRecord>;

export const checkNotificationRule = checker(NotificationRuleInput);
export const checkNotificationQuery = checker(NotificationQuery);
