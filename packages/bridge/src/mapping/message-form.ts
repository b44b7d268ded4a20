import { closed } from '@granary/contract/input/schema';
import { line } from '@granary/contract/input/text-schemas';
import { type Static, Type } from 'typebox';
import { isTopicFilter } from '../drivers/mqtt/topic-tree.ts';
import { Duration, durationMs } from './duration.ts';
import { type Pointer, parsePointer, pointed } from './json-pointer.ts';
import type { Point } from './mapping.ts';
import type { Fields, PlaceForm, Report } from './place-form.ts';
import { matchPattern, parsePattern, type TextPattern } from './text-pattern.ts';
import type { RawValue } from './value.ts';

/**
 * The protocols whose devices speak by themselves, or answer with one document. Whatever came is one JSON-like value: a
 * document, the fields of a form, the fields of a line of text; pointers find the values in it.
 */
export type MessageProtocol = 'mqtt' | 'http' | 'lorawan' | 'nmea' | 'gpsd' | 'ascii';

/** Where a value is in a message. */
export interface MessagePlace {
  /** The topic of the message, with `{address}`; `null` for that of the settings. */
  readonly topic: string | null;
  /** `null` for the whole text. */
  readonly pointer: Pointer | null;
  /** What a message means that does not have it; `null`: nothing. */
  readonly missing: number | null;
  /** The device says a total, and the sensor gets what was added since the message before. */
  readonly isDifference: boolean;
}

export interface MessageSettings {
  readonly topic: string | null;
  /** The field that must be the `address` of the device, where several devices send to one place. */
  readonly address: Pointer | null;
  readonly time: { readonly pointer: Pointer; readonly as: TimeForm } | null;
  /** A message whose values of these were seen before is not a new one. */
  readonly once: readonly Pointer[];
  /** Other messages are not for this mapping. */
  readonly only: { readonly pointer: Pointer; readonly is: string } | null;
  readonly patterns: readonly TextPattern[];
  readonly availability: Availability | null;
  /** Without a message for this long the device is silent. */
  readonly silentAfterMs: number;
  readonly timeoutMs: number;
}

export interface Availability {
  readonly topic: string;
  readonly pointer: Pointer | null;
  readonly online: string;
  readonly offline: string;
}

const TIME_FORMS = ['iso', 'epoch_s', 'epoch_ms', 'utc'] as const;
export type TimeForm = (typeof TIME_FORMS)[number];

/** What stands in a topic for the address that the site file gives. */
export const ADDRESS = '{address}';
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

/** `{n}` in the pointer of a repeated point is its number. */
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

/** What a message says about one point; `undefined` where it says nothing. */
export function rawOf(
  { pointer, missing }: MessagePlace,
  message: unknown,
  text: string,
): RawValue | undefined {
  const found = pointer === null ? text : pointed(pointer, message);
  if (found === undefined) return missing === null ? undefined : { shown: '-', is: missing };
  if (found === null || typeof found === 'number' || typeof found === 'string' || typeof found === 'boolean')
    return {
      shown: String(found).slice(0, SHOWN_CHARACTERS_MAX),
      is: typeof found === 'string' ? found.slice(0, TEXT_CHARACTERS_MAX) : found,
    };
  return { shown: Array.isArray(found) ? '[…]' : '{…}', is: '' };
}

const SHOWN_CHARACTERS_MAX = 80;
const TEXT_CHARACTERS_MAX = 256;

/** The fields of `a=1&b=2`; of a field that is there twice the first counts. */
export function formFields(text: string): Record<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.size >= FORM_FIELDS_MAX) break;
    if (!fields.has(name)) fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

const FORM_FIELDS_MAX = 500;

/** The fields of the first pattern that the line has; `null` for a line of another form. */
export function textFields(patterns: readonly TextPattern[], text: string): Record<string, string> | null {
  for (const pattern of patterns) {
    const fields = matchPattern(pattern, text);
    if (fields !== null) return fields;
  }
  return null;
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

/** `null` for a time that is not one. */
export function messageTimeMs(said: unknown, as: TimeForm): number | null {
  if (as === 'epoch_s' || as === 'epoch_ms') {
    const number = typeof said === 'string' && said !== '' ? Number(said) : said;
    if (typeof number !== 'number' || !Number.isFinite(number) || number <= 0) return null;
    return Math.round(as === 'epoch_s' ? number * 1_000 : number);
  }
  if (typeof said !== 'string' || said.length > TIME_CHARACTERS_MAX || !/^\d{4}-\d\d-\d\d/.test(said))
    return null;
  const ms = Date.parse(as === 'utc' ? `${said.replace(' ', 'T')}Z` : said);
  return Number.isNaN(ms) ? null : ms;
}

const TIME_CHARACTERS_MAX = 40;
