import { closed } from '@granary/contract/input/schema';
import { line } from '@granary/contract/input/text-schemas';
import { type Static, Type } from 'typebox';
import { Duration, durationMs } from './duration.ts';
import { type Pointer, parsePointer } from './json-pointer.ts';
import type { Point } from './mapping.ts';
import {
  ADDRESS,
  formFields,
  isTopicFilter,
  type MessagePlace,
  type MessageSettings,
  rawOf,
  TIME_FORMS,
  textFields,
} from './message-place.ts';
import type { Fields, PlaceForm, Report } from './place-form.ts';
import { parsePattern } from './text-pattern.ts';
import type { RawValue } from './value.ts';

const SILENT_AFTER_DEFAULT = '1h';
const TIMEOUT_DEFAULT = '5s';

const PointerText = line(300);
const Topic = line(500);

const PointFields = closed({
  pointer: Type.Optional(Type.Union([PointerText, Type.Literal('')])),
  topic: Type.Optional(Topic),
  missing: Type.Optional(Type.Number()),
  difference: Type.Optional(Type.Boolean()),
});

const DefaultFields = closed({
  topic: Type.Optional(Topic),
  address: Type.Optional(PointerText),
  time: Type.Optional(closed({ pointer: PointerText, as: Type.Enum(TIME_FORMS) })),
  once: Type.Optional(Type.Array(PointerText, { minItems: 1, maxItems: 4 })),
  only: Type.Optional(closed({ pointer: PointerText, is: line(100) })),
  patterns: Type.Optional(Type.Array(line(300), { minItems: 1, maxItems: 16 })),
  availability: Type.Optional(
    closed({
      topic: Topic,
      pointer: Type.Optional(PointerText),
      online: Type.Optional(line(100)),
      offline: Type.Optional(line(100)),
    }),
  ),
  silent_after: Type.Optional(Duration),
  timeout: Type.Optional(Duration),
});

const ExampleFields = closed({
  topic: Type.Optional(Topic),
  message: Type.Optional(Type.Unknown()),
  form: Type.Optional(line(4_000)),
  text: Type.Optional(line(4_000)),
});

type PointFields = Static<typeof PointFields>;
type DefaultFields = Static<typeof DefaultFields>;

export const messageForm: PlaceForm<MessagePlace, MessageSettings> = {
  point: PointFields.properties,
  defaults: DefaultFields.properties,
  example: ExampleFields.properties,
  settings: (fields, fault) => settingsOf(fields as DefaultFields, fault),
  place: (fields, _defaults, index, fault) => placeOf(fields as PointFields, index, fault),
  isWholeNumber: () => false,
  isText: () => false,
  rawValues,
};

function settingsOf(fields: DefaultFields, fault: Report): MessageSettings {
  const pointer = (field: string, text: string): Pointer => {
    const parsed = parsePointer(text);
    if (parsed === null) fault(field, 'must be a JSON pointer such as /object/distance');
    return parsed ?? [];
  };
  const topic = (field: string, text: string): string => {
    if (!isTopicFilter(text.replaceAll(ADDRESS, 'x')))
      fault(
        field,
        `must be a topic, in which + is one level, # the rest and ${ADDRESS} the address of a device`,
      );
    return text;
  };
  const { time, only, availability, patterns = [] } = fields;
  return {
    topic: fields.topic === undefined ? null : topic('topic', fields.topic),
    address: fields.address === undefined ? null : pointer('address', fields.address),
    time: time === undefined ? null : { pointer: pointer('time/pointer', time.pointer), as: time.as },
    once: (fields.once ?? []).map((text, index) => pointer(`once/${index}`, text)),
    only: only === undefined ? null : { pointer: pointer('only/pointer', only.pointer), is: only.is },
    patterns: patterns.flatMap((text, index) => {
      const pattern = parsePattern(text);
      if (pattern === null)
        fault(
          `patterns/${index}`,
          'must be a pattern such as {status:2},{weight:number} {unit:word}; kinds are word, number, rest and a number of characters',
        );
      return pattern === null ? [] : [pattern];
    }),
    availability:
      availability === undefined
        ? null
        : {
            topic: topic('availability/topic', availability.topic),
            pointer:
              availability.pointer === undefined
                ? null
                : pointer('availability/pointer', availability.pointer),
            online: availability.online ?? 'online',
            offline: availability.offline ?? 'offline',
          },
    silentAfterMs: durationMs(fields.silent_after ?? SILENT_AFTER_DEFAULT),
    timeoutMs: durationMs(fields.timeout ?? TIMEOUT_DEFAULT),
  };
}

/** Returns the place of a point; `{n}` in the pointer of a repeated point is its number. */
function placeOf(fields: PointFields & Fields, index: number, fault: Report): MessagePlace {
  const number = String((typeof fields['first'] === 'number' ? fields['first'] : 1) + index);
  const text = fields.pointer?.replaceAll('{n}', number);
  const pointer = text === undefined ? null : parsePointer(text);
  if (text !== undefined && pointer === null)
    fault('pointer', 'must be a JSON pointer such as /object/distance');
  if (fields.topic !== undefined && !isTopicFilter(fields.topic.replaceAll(ADDRESS, 'x')))
    fault('topic', `must be a topic; ${ADDRESS} is the address of a device`);
  return {
    topic: fields.topic ?? null,
    pointer,
    missing: fields.missing ?? null,
    isDifference: fields.difference ?? false,
  };
}

function rawValues(
  given: Fields,
  points: readonly Point<MessagePlace>[],
  defaults: Fields,
): ReadonlyMap<string, RawValue> {
  const { topic, message, form, text = '' } = given as Static<typeof ExampleFields>;
  const { patterns } = settingsOf(defaults as DefaultFields, () => undefined);
  const said = message ?? (form === undefined ? textFields(patterns, text) : formFields(form));
  const values = new Map<string, RawValue>();
  for (const { name, place } of points) {
    const raw = place.topic === (topic ?? null) ? rawOf(place, said, text) : undefined;
    if (raw !== undefined) values.set(name, raw);
  }
  return values;
}
