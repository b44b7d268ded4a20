import { type Static, Type } from 'typebox';
import { DeviceId } from './devices.ts';
import { checker, closed } from './schema.ts';
import { Timestamp } from './time.ts';

/** One name for each kind of change. A change of status names the status it led to in its data. */
export const EVENT_TYPES = [
  'device.registered',
  'device.credentials_replaced',
  'device.status_changed',
  'configuration.changed',
  'operation.status_changed',
  'command.status_changed',
  'mission.status_changed',
  'mission.waypoint_changed',
  'alert.raised',
  'alert.status_changed',
  'alert.severity_raised',
  'alert.shelved',
  'alert.unshelved',
  'key.issued',
  'key.rotated',
  'key.revoked',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** One entry of the log of everything that changed. */
export const LoggedEvent = closed({
  /** Counts up without end; whoever has seen one has seen all before it. */
  id: Type.Integer({ minimum: 1 }),
  type: Type.Enum(EVENT_TYPES),
  /** `null` for what concerns no device. */
  device_id: Type.Union([DeviceId, Type.Null()]),
  at: Timestamp,
  /** The resource as the change left it. */
  data: Type.Record(Type.String(), Type.Unknown()),
});

const LIST_CHARS_MAX = 8_000;

const listOf = (one: string) => Type.String({ pattern: `^(${one})(,(${one}))*$`, maxLength: LIST_CHARS_MAX });

/** Without a filter, everything that the key may see. */
export const EventQuery = closed({
  /** One or more device ids, separated by commas. */
  device_id: Type.Optional(listOf('[A-Za-z0-9_-]{1,64}')),
  /** One or more types of event, separated by commas. */
  type: Type.Optional(listOf(EVENT_TYPES.join('|').replaceAll('.', '\\.'))),
  /** For a first request that cannot carry the header `Last-Event-ID`. */
  last_event_id: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
});

/** Comes instead of what happened since the wanted id when that is no longer kept. */
export const EventReset = closed({ oldest: Type.Integer(), newest: Type.Integer() });

export type LoggedEvent = Static<typeof LoggedEvent>;
export type EventQuery = Static<typeof EventQuery>;
export type EventReset = Static<typeof EventReset>;

export const checkEventQuery = checker(EventQuery);
