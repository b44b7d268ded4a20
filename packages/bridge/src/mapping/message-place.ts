import { type Pointer, pointed } from './json-pointer.ts';
import { matchPattern, type TextPattern } from './text-pattern.ts';
import type { RawValue } from './value.ts';

/**
 * The protocols whose devices send without being asked, or answer with one document. A message is one JSON-like value: a
 * document, the fields of a form, or the fields of a line of text; pointers find the values in it.
 */
export type MessageProtocol = 'mqtt' | 'http' | 'lorawan' | 'nmea' | 'gpsd' | 'ascii';

/** The place of a value in a message. */
export interface MessagePlace {
  /** The topic of the message, with `{address}`; `null` for the topic of the settings. */
  readonly topic: string | null;
  /** The pointer to the value; `null` for the whole text. */
  readonly pointer: Pointer | null;
  /** The value if a message does not have the field; `null` for no value. */
  readonly missing: number | null;
  /** True if the device reports a total, and the sensor gets the amount added since the previous message. */
  readonly isDifference: boolean;
}

export interface MessageSettings {
  readonly topic: string | null;
  /** The field that must be the `address` of the device, if several devices send to one place. */
  readonly address: Pointer | null;
  readonly time: { readonly pointer: Pointer; readonly as: TimeForm } | null;
  /** A message is a repetition if the values at these pointers were seen before. */
  readonly once: readonly Pointer[];
  /** The mapping is only for messages that have this value. */
  readonly only: { readonly pointer: Pointer; readonly is: string } | null;
  readonly patterns: readonly TextPattern[];
  readonly availability: Availability | null;
  /** The device is silent after this time without a message. */
  readonly silentAfterMs: number;
  readonly timeoutMs: number;
}

interface Availability {
  readonly topic: string;
  readonly pointer: Pointer | null;
  readonly online: string;
  readonly offline: string;
}

export const TIME_FORMS = ['iso', 'epoch_s', 'epoch_ms', 'utc'] as const;
export type TimeForm = (typeof TIME_FORMS)[number];

/** The placeholder in a topic for the address in the site file. */
export const ADDRESS = '{address}';

/** Returns the raw value of one point in a message; `undefined` if there is none. */
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

/** Returns the fields of a form such as `a=1&b=2`; if a field is repeated, the first one counts. */
export function formFields(text: string): Record<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.size >= FORM_FIELDS_MAX) break;
    if (!fields.has(name)) fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

const FORM_FIELDS_MAX = 500;

/** Returns the fields of the first pattern that the line matches; `null` for a line that matches none. */
export function textFields(patterns: readonly TextPattern[], text: string): Record<string, string> | null {
  for (const pattern of patterns) {
    const fields = matchPattern(pattern, text);
    if (fields !== null) return fields;
  }
  return null;
}

/** Parses a time; returns `null` for an invalid one, and for that of a clock that was never set. */
export function messageTimeMs(said: unknown, as: TimeForm): number | null {
  const ms = parsedTimeMs(said, as);
  return ms === null || ms < TIME_MS_MIN ? null : ms;
}

const TIME_MS_MIN = Date.UTC(2015, 0, 1);

function parsedTimeMs(said: unknown, as: TimeForm): number | null {
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

/** Returns whether a broker accepts a text as a filter. */
export function isTopicFilter(filter: string): boolean {
  if (filter === '' || filter.length > TOPIC_LENGTH_MAX || filter.includes('\0')) return false;
  const parts = filter.split('/');
  return parts.every(
    (part, index) => part === '+' || (part === '#' && index === parts.length - 1) || !/[+#]/.test(part),
  );
}

const TOPIC_LENGTH_MAX = 1_000;
