import { type Pointer, pointed } from './json-pointer.ts';
import { matchPattern, type TextPattern } from './text-pattern.ts';
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

interface Availability {
  readonly topic: string;
  readonly pointer: Pointer | null;
  readonly online: string;
  readonly offline: string;
}

export const TIME_FORMS = ['iso', 'epoch_s', 'epoch_ms', 'utc'] as const;
export type TimeForm = (typeof TIME_FORMS)[number];

/** What stands in a topic for the address that the site file gives. */
export const ADDRESS = '{address}';

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

/** `null` for a time that is not one, or that of a clock that was never set. */
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

/** Whether a broker accepts it as a filter. */
export function isTopicFilter(filter: string): boolean {
  if (filter === '' || filter.length > TOPIC_LENGTH_MAX || filter.includes('\0')) return false;
  const parts = filter.split('/');
  return parts.every(
    (part, index) => part === '+' || (part === '#' && index === parts.length - 1) || !/[+#]/.test(part),
  );
}

const TOPIC_LENGTH_MAX = 1_000;
