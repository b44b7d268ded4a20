import { type Static, Type } from 'typebox';
import { OptionalActor } from './audit.ts';
import { PageQuery } from './envelope.ts';
import { checker, closed, described } from './input/schema.ts';
import { note, noteNotEmpty, shownName } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { messageFields } from './sentence-fields.ts';
import { ALERTS } from './sentences/alerts.ts';

export const ALERT_TYPES = [
  'low_level',
  'high_level',
  'critical_level',
  'sensor_stale',
  'sensor_fault',
  'sensor_threshold',
  'device_offline',
  'readings_rejected',
  'clock_wrong',
  'duplicate_device',
  'operation_failed',
  'mass_imbalance',
  'maintenance_due',
  'low_battery',
  'geofence_breach',
  'mission_failed',
  'emergency_stop_unconfirmed',
  'predicted_empty',
  'no_flow',
  'unexplained_loss',
  'delivery_mismatch',
  'sensor_suspect',
  'hot_spot',
  'storage_life',
] as const;

/** The severities from the least to the most urgent one. */
export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;

/**
 * `active`: present and not acknowledged; `acknowledged`: present and acknowledged; `cleared`: gone and not acknowledged;
 * `resolved`: gone and acknowledged.
 */
export const ALERT_STATUSES = ['active', 'acknowledged', 'cleared', 'resolved'] as const;

/** `open` is every status except `resolved`; shelved alerts are listed by `shelved` and `all` only. */
export const ALERT_FILTERS = [...ALERT_STATUSES, 'open', 'shelved', 'all'] as const;

export type AlertType = (typeof ALERT_TYPES)[number];
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];
export type AlertStatus = (typeof ALERT_STATUSES)[number];
export type AlertFilter = (typeof ALERT_FILTERS)[number];

const Person = shownName(200);
const Note = note(2_000);
const Reason = noteNotEmpty(2_000);
const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
const TimestampOrNull = Type.Union([Timestamp, Type.Null()]);

/** The kinds of record that an alert can be about. */
export const ALERT_ABOUT_KINDS = ['operation', 'mission', 'command'] as const;

export const AlertAbout = closed({
  kind: Type.Enum(ALERT_ABOUT_KINDS),
  id: described('The id of this operation, mission or command of the device.', Type.String()),
});

export const Alert = closed({
  alert_id: Type.String(),
  type: Type.Enum(ALERT_TYPES),
  severity: Type.Enum(ALERT_SEVERITIES),
  ...messageFields(ALERTS),
  current_value: described(
    '`null`, like `threshold`, for an alert that is not about a number.',
    NumberOrNull,
  ),
  threshold: NumberOrNull,
  created_at: Timestamp,
  status: Type.Enum(ALERT_STATUSES),
  acknowledged_by: Type.Union([Person, Type.Null()]),
  acknowledged_at: TimestampOrNull,
  acknowledged_with: described(
    'The caller who sent the acknowledgement; `acknowledged_by` is the person that it names.',
    OptionalActor,
  ),
  note: Type.Union([Note, Type.Null()]),
  cleared_at: TimestampOrNull,
  resolved_at: TimestampOrNull,
  shelved_until: TimestampOrNull,
  shelve_reason: Type.Union([Reason, Type.Null()]),
  shelved_by: Type.Union([Person, Type.Null()]),
  shelved_with: OptionalActor,
  about: Type.Optional(
    described(
      'The operation of an `operation_failed` or `mass_imbalance` alert, the mission of a `mission_failed` alert, or the emergency stop of an `emergency_stop_unconfirmed` alert; other alerts do not have it.',
      AlertAbout,
    ),
  ),
  sensor_id: Type.Optional(
    described('The sensor of a `sensor_threshold` alert; other alerts do not have it.', Type.String()),
  ),
  rule: Type.Optional(
    described('The threshold rule of the same, such as `temp_3 above warning`.', Type.String()),
  ),
});

export const Acknowledgement = closed({ acknowledged_by: Person, note: Type.Optional(Note) });

/** The alert is not in the default list until this time; its state still changes. */
export const Shelving = closed({
  until: Timestamp,
  reason: Reason,
  shelved_by: Type.Optional(Person),
});

export const AlertQuery = closed({
  ...PageQuery.properties,
  status: Type.Optional(described('`open` when not given.', Type.Enum(ALERT_FILTERS))),
});

export type AlertAbout = Static<typeof AlertAbout>;
export type Alert = Static<typeof Alert>;
export type Acknowledgement = Static<typeof Acknowledgement>;
export type Shelving = Static<typeof Shelving>;
export type AlertQuery = Static<typeof AlertQuery>;

export const checkAcknowledgement = checker(Acknowledgement);
export const checkShelving = checker(Shelving);
export const checkAlertQuery = checker(AlertQuery);
