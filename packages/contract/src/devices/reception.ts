import { type Static, Type } from 'typebox';
import { closed, described } from '../input/schema.ts';
import { Timestamp } from '../input/timestamp.ts';
import { messageFields } from '../sentence-fields.ts';
import { PARTS } from '../sentences/parts.ts';

/** The types of value that a device sent where a number was expected. */
export const FOUND_TYPES = ['text', 'boolean', 'null', 'object', 'list'] as const;

/** Units that a device may have confused with milliseconds. */
export const TIME_UNITS = ['seconds', 'microseconds', 'nanoseconds'] as const;

/** Why readings of a device were refused, for programs; the sentence for people is made from it. */
export const RefusalCause = Type.Union([
  closed({
    code: Type.Literal('clock'),
    offset_s: described(
      'How far the newest time of the message is ahead of the service; negative: behind.',
      Type.Integer(),
    ),
  }),
  closed({ code: Type.Literal('time_unit'), unit: Type.Enum(TIME_UNITS) }),
  closed({ code: Type.Literal('not_a_number'), field: Type.String(), found: Type.Enum(FOUND_TYPES) }),
  closed({ code: Type.Literal('undeclared_sensor'), field: Type.String() }),
  closed({ code: Type.Literal('other'), text: Type.String() }),
]);

/** `none` means that no reading of these messages was accepted; `some` means that a part of each message was accepted. */
const TAKEN_PARTS = ['none', 'some'] as const;

/** Consecutive messages of which readings were refused. */
export const RefusedReadings = closed({
  messages: described('How many messages in a row.', Type.Integer({ minimum: 1 })),
  taken: described(
    'Whether `some` readings of these messages were taken, or `none`.',
    Type.Enum(TAKEN_PARTS),
  ),
  since: Timestamp,
  last_at: Timestamp,
  cause: described('Why the last one was refused.', RefusalCause),
  ...messageFields(PARTS),
});

export type RefusalCause = Static<typeof RefusalCause>;
export type FoundType = (typeof FOUND_TYPES)[number];
export type RefusedReadings = Static<typeof RefusedReadings>;
