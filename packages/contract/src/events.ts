import { type Static, Type } from 'typebox';
import { DeviceId } from './devices.ts';
import { checker, closed } from './schema.ts';
import { Timestamp } from './time.ts';

/** One name for each kind of change. A change of status names the status it led to in its data. */
export const EVENT_TYPES = [
  'device.registered',
  'device.status_changed',
  'configuration.changed',
  'operation.status_changed',
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

export const EventQuery = closed({
  device_id: Type.Optional(DeviceId),
  type: Type.Optional(Type.Enum(EVENT_TYPES)),
});

export type LoggedEvent = Static<typeof LoggedEvent>;
export type EventQuery = Static<typeof EventQuery>;

export const checkEventQuery = checker(EventQuery);
