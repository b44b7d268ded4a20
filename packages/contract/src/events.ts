import { type Static, Type } from 'typebox';
import { checkDeviceId, DeviceId } from './devices.ts';
import { type Checker, checker, closed, type ValidationIssue } from './input/schema.ts';
import { pointerName } from './input/validation-issues.ts';
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
  'mission.updated',
  'alert.raised',
  'alert.status_changed',
  'alert.severity_raised',
  'alert.updated',
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
  /** The resource as the change left it; of a mission, what changed: a whole one may have 500 waypoints. */
  data: Type.Record(Type.String(), Type.Unknown()),
});

const LIST_CHARS_MAX = 8_000;

const List = Type.String({ minLength: 1, maxLength: LIST_CHARS_MAX });

/** Without a filter, everything that the key may see. */
export const EventQuery = closed({
  /** One or more device ids, separated by commas. */
  device_id: Type.Optional(List),
  /** One or more types of event, separated by commas. */
  type: Type.Optional(List),
  /** For a first request that cannot carry the header `Last-Event-ID`. */
  last_event_id: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: 'the id of an event' })),
});

/** Comes instead of what happened since the wanted id when that is no longer kept. */
export const EventReset = closed({ oldest: Type.Integer(), newest: Type.Integer() });

export type LoggedEvent = Static<typeof LoggedEvent>;
export type EventQuery = Static<typeof EventQuery>;
export type EventReset = Static<typeof EventReset>;

const checkFields = checker(EventQuery);

/** Looks into the lists by itself: one pattern for a whole list could not say which entry is wrong. */
export const checkEventQuery: Checker<EventQuery> = {
  schema: EventQuery,
  accepts: (value): value is EventQuery => checkFields.accepts(value) && listFaults(value).length === 0,
  faults: (value) => (checkFields.accepts(value) ? listFaults(value) : checkFields.faults(value)),
};

function listFaults({ device_id, type }: EventQuery): ValidationIssue[] {
  const wrongDevice = device_id?.split(',').find((one) => !checkDeviceId.accepts(one));
  const wrongType = type?.split(',').find((one) => !isEventType(one));
  const faults: ValidationIssue[] = [];
  if (wrongDevice !== undefined) {
    faults.push({
      path: '/device_id',
      message: `must be device ids, separated by commas; ${quoted(wrongDevice)} is none`,
    });
  }
  if (wrongType !== undefined) {
    const message = `must be types of event, separated by commas; ${quoted(wrongType)} is none of ${EVENT_TYPES.join(', ')}`;
    faults.push({ path: '/type', message });
  }
  return faults;
}

const isEventType = (text: string): text is EventType => (EVENT_TYPES as readonly string[]).includes(text);

const quoted = (text: string): string => `"${pointerName(text)}"`;
