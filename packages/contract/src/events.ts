import { type Static, Type } from 'typebox';
import { DEVICE_ID_LIST } from './ids.ts';
import { type Checker, checker, closed, described, List, withLists } from './input/schema.ts';
import { form } from './input/text-schemas.ts';
import { EVENT_TYPES } from './outline.ts';
import { sentence } from './sentences/codes.ts';

/** The interval of heartbeats on a quiet stream. A reader that misses two in a row can report that within 8 s. */
export const HEARTBEAT_MS = 3_000;

/** Each kind of change has one name; its slice declares the schema of its data in the event log. */
export type EventType = (typeof EVENT_TYPES)[number];

/** Without filters a reader gets every event that its key may access. */
export const EventQuery = closed({
  device_id: Type.Optional(described('One or more device ids, separated by commas.', List)),
  type: Type.Optional(described('One or more types of event, separated by commas.', List)),
  last_event_id: Type.Optional(
    described(
      'For a first request that cannot set the header `Last-Event-ID`.',
      Type.String({ pattern: '^[0-9]{1,15}$', ...form(sentence('event_number')) }),
    ),
  ),
});

/** Sent instead of the missed events if they are no longer stored. */
export const EventReset = closed({ oldest: Type.Integer(), newest: Type.Integer() });

export type EventQuery = Static<typeof EventQuery>;
export type EventReset = Static<typeof EventReset>;

const isEventType = (text: string): text is EventType => (EVENT_TYPES as readonly string[]).includes(text);

export const checkEventQuery: Checker<EventQuery> = withLists(checker(EventQuery), [
  DEVICE_ID_LIST,
  { field: 'type', isEntry: isEventType, entries: 'types of event', allowed: EVENT_TYPES },
]);
