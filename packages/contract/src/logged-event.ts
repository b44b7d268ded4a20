import { type Static, type TSchema, Type } from 'typebox';
import { OptionalActor } from './audit.ts';
import type { Slice } from './endpoints/declaration/slice.ts';
import type { EventType } from './events.ts';
import { DeviceId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { Timestamp } from './input/timestamp.ts';
import { CHANGING_SLICES } from './slices.ts';

type SliceWithEvents = Extract<(typeof CHANGING_SLICES)[keyof typeof CHANGING_SLICES], { events: object }>;

/** The data of each kind of change in the event log. */
export const EVENT_DATA: Readonly<Record<string, TSchema>> = Object.assign(
  {},
  ...Object.values<Slice>(CHANGING_SLICES).map(({ events }) => events),
);

/** @public For users of the client. */
export type EventDataOf<Kind extends EventType> = Static<
  Extract<SliceWithEvents['events'], Readonly<Record<Kind, TSchema>>>[Kind]
>;

const eventOf = ([type, data]: [string, TSchema]) =>
  closed({
    id: described(
      'Increases without gaps; a reader that has seen one number has seen all smaller ones.',
      Type.Integer({ minimum: 1 }),
    ),
    type: Type.Literal(type),
    device_id: described('`null` for an event that concerns no device.', Type.Union([DeviceId, Type.Null()])),
    at: Timestamp,
    actor: described('Who caused it; `null` for a device or the clock.', OptionalActor),
    data,
  });

/** One entry of the event log; its type says what its data is. */
export type LoggedEvent = {
  [Kind in EventType]: {
    readonly id: number;
    readonly type: Kind;
    readonly device_id: string | null;
    readonly at: string;
    readonly actor: Static<typeof OptionalActor>;
    readonly data: EventDataOf<Kind>;
  };
}[EventType];

export const LoggedEvent = Type.Unsafe<LoggedEvent>(Type.Union(Object.entries(EVENT_DATA).map(eventOf)));

export const checkLoggedEvent = checker(LoggedEvent);
