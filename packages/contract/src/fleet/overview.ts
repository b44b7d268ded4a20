import { type Static, type TSchema, Type } from 'typebox';
import { ALERT_SEVERITIES } from '../alerts.ts';
import { DEVICE_STATUSES } from '../devices/statuses.ts';
import { DeviceId } from '../ids.ts';
import { closed } from '../input/closed.ts';
import { described } from '../input/described.ts';
import { PROFILE_NAMES } from '../profiles/profiles.ts';
import { Timestamp } from '../time.ts';

export const ATTENTION_ITEMS_MAX = 20;

/**
 * Why a device needs attention, most urgent first: an emergency stop or the stop of an operation that the device has not
 * confirmed; an alert that nobody has acknowledged; an offline device with a job under way; an operation whose reports are
 * missing; an emergency stop that waits for its release.
 */
export const ATTENTION_REASONS = [
  'emergency_stop_unconfirmed',
  'stop_unconfirmed',
  'critical_alert',
  'offline_with_job',
  'operation_unconfirmed',
  'emergency_stop_in_force',
  'warning_alert',
] as const;

const Count = Type.Integer({ minimum: 0 });

const forEach = <Name extends string, Value extends TSchema>(names: readonly Name[], value: Value) =>
  closed(Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>);

export const AttentionItem = closed({
  device_id: DeviceId,
  name: Type.String(),
  what: Type.Enum(ATTENTION_REASONS),
  since: Timestamp,
  message: described('One sentence for a person.', Type.String()),
  id: described(
    'The id of the alert, operation or command; `null` where the item is about the device.',
    Type.Union([Type.String(), Type.Null()]),
  ),
});

/** Within the limits of the key. */
export const Overview = closed({
  at: Timestamp,
  devices: closed({
    total: Count,
    by_status: forEach(DEVICE_STATUSES, Count),
    by_profile: forEach(PROFILE_NAMES, Count),
  }),
  open_alerts: described(
    'Without shelved alerts.',
    forEach(ALERT_SEVERITIES, closed({ total: Count, unacknowledged: Count })),
  ),
  under_way: described(
    'Jobs that have begun and have not ended.',
    closed({ operations: Count, commands: Count, missions: Count }),
  ),
  emergency_stops: described('The number of devices.', closed({ in_force: Count, unconfirmed: Count })),
  attention: described(
    'Most urgent first, then those that wait longest.',
    Type.Array(AttentionItem, { maxItems: ATTENTION_ITEMS_MAX }),
  ),
});

export type AttentionReason = (typeof ATTENTION_REASONS)[number];
export type AttentionItem = Static<typeof AttentionItem>;
export type Overview = Static<typeof Overview>;
