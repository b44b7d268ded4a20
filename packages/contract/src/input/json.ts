import { Refusal } from '../errors.ts';
import { pointerName } from './validation-issues.ts';

/** The limit of levels; no valid body has half as many. */
export const JSON_DEPTH_MAX = 32;
const SPACE = '\t\n\r ';
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const NOT_A_NUMBER = /[+-]?(?:NaN|nan|Infinity|inf)\b/y;
const DECIMAL_COMMA = /\d,\s*\d/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not hold them.
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
/** Scanning a longer text would delay all other requests. */
const STRINGS_SCANNED_MAX = 1_000;
/** A thousand readings of all channels need 28,000; a longer text would delay all other requests while it is parsed. */
export const JSON_TOKENS_MAX = 32_000;
// Character codes are used because every character of a long text is compared with them.
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

function malformedJson(what: string, path: string): Refusal {
  return new Refusal('malformed_json', `the JSON cannot be used: ${what}`, [{ path, message: what }]);
}

/** Finds the place of an error in a JSON text; slower than `JSON.parse`, so it runs only when an error is likely. */
class JsonScanner {
  readonly #text: string;
  #at = 0;
  #strings = 0;
  /** The path of keys and indexes to the present position. */
  readonly #path: (string | number)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  scan(): void {
    this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail('something follows the end of the value');
  }

  #value(): void {
    this.#skipSpace();
    if (this.#path.length > JSON_DEPTH_MAX)
      this.#fail(`it is nested more than ${JSON_DEPTH_MAX} levels deep`);
    const next = this.#text[this.#at];
    if (next === '{') this.#members();
    else if (next === '[') this.#items();
    else if (next === '"') this.#string();
    else if (this.#token(WORD) === null && this.#token(NUMBER) === null) this.#failWithoutValue();
  }

  #members(): void {
    const names = new Set<string>();
    this.#at++;
    if (this.#skips('}')) return;
    do {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') this.#failWithoutKey();
      const name = this.#string();
      this.#path.push(name);
      if (names.has(name)) throw malformedJson(`${this.#pointer} stands twice`, this.#pointer);
      names.add(name);
      if (!this.#skips(':')) this.#fail('a colon is missing');
      this.#value();
      this.#path.pop();
    } while (this.#skips(','));
    if (!this.#skips('}')) this.#fail('a comma or } is missing');
  }

  #failWithoutValue(): never {
    const word = this.#matched(NOT_A_NUMBER);
    return this.#fail(word === null ? 'a value is missing' : `${word} is no number in JSON`);
  }

  /** A comma between two digits is usually the decimal mark of another language. */
  #failWithoutKey(): never {
    const comma = this.#text.lastIndexOf(',', this.#at);
    DECIMAL_COMMA.lastIndex = comma - 1;
    const isDecimal = comma > 0 && DECIMAL_COMMA.test(this.#text);
    return this.#fail(
      isDecimal
        ? 'a number has a decimal comma, where JSON needs a point,'
        : 'a key in double quotes is missing',
    );
  }

  #items(): void {
    this.#at++;
    if (this.#skips(']')) return;
    let index = 0;
    do {
      this.#path.push(index++);
      this.#value();
      this.#path.pop();
    } while (this.#skips(','));
    if (!this.#skips(']')) this.#fail('a comma or ] is missing');
  }

  get #pointer(): string {
    return this.#path.map((step) => `/${typeof step === 'number' ? step : pointerName(step)}`).join('');
  }

  #string(): string {
    if (++this.#strings > STRINGS_SCANNED_MAX) {
      throw malformedJson(`it is not valid, or a key stands twice, somewhere after ${this.#place}`, '');
    }
    const token = this.#token(STRING);
    if (token === null) return this.#fail('a text is not closed, or holds what must be escaped');
    const value: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1);
    if (!value.isWellFormed()) throw malformedJson('a text holds half a surrogate pair', this.#pointer);
    return value;
  }

  #skipSpace(): void {
    while (SPACE.includes(this.#text[this.#at] ?? 'end')) this.#at++;
  }

  #skips(character: string): boolean {
    this.#skipSpace();
    const isThere = this.#text[this.#at] === character;
    if (isThere) this.#at++;
    return isThere;
  }

  #matched(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? null;
  }

  #token(pattern: RegExp): string | null {
    const found = this.#matched(pattern);
    if (found !== null) this.#at += found.length;
    return found;
  }

  get #place(): string {
    const before = this.#text.slice(0, this.#at).split('\n');
    return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  }

  #fail(what: string): never {
    const end = this.#at >= this.#text.length ? ', where it ends' : '';
    throw malformedJson(`${what} at ${this.#place}${end}`, '');
  }
}

/**
 * Parses JSON from outside. In addition to `JSON.parse` it refuses a duplicate key in an object, an unpaired surrogate, more
 * than `JSON_DEPTH_MAX` levels and more than `JSON_TOKENS_MAX` brackets, commas and colons. Each refusal says where.
 */
export function readJson(text: string): unknown {
  refuseTooMany(text);
  const value = parse(text);
  // Only an escape can contain an unpaired surrogate or hide a colon; only a duplicate key gives fewer members than the text has.
  const isWhole = text.includes('\\u')
    ? membersOf(value, 0) === colonsOutsideStrings(text)
    : colonsOf(value, 0) === count(text, ':');
  if (!isWhole) new JsonScanner(text).scan();
  return value;
}

/** A shorter text cannot have as many tokens, so usual messages are not counted. */
function refuseTooMany(text: string): void {
  if (text.length <= JSON_TOKENS_MAX) return;
  let left = JSON_TOKENS_MAX;
  for (const token of [',', ':', '[', '{']) left -= count(text, token, left + 1);
  if (left < 0) throw malformedJson(`it has more than ${JSON_TOKENS_MAX} parts`, '');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    new JsonScanner(text).scan();
    throw error;
  }
}

/** The number of colons that a text without escapes needs for this value; infinite for a value that is nested too deep. */
function colonsOf(value: unknown, depth: number): number {
  if (typeof value === 'string') return count(value, ':');
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === JSON_DEPTH_MAX) return Number.POSITIVE_INFINITY;
  let colons = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item !== 'number') colons += colonsOf(item, depth + 1);
    return colons;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) {
    const member = members[name];
    colons += 1 + count(name, ':');
    if (typeof member !== 'number') colons += colonsOf(member, depth + 1);
  }
  return colons;
}

function count(text: string, character: string, max = Number.POSITIVE_INFINITY): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1 && found < max; at = text.indexOf(character, at + 1))
    found++;
  return found;
}

/** The number of members of this value on all levels; infinite if it is nested too deep or has a text that is not well formed. */
function membersOf(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.isWellFormed() ? 0 : Number.POSITIVE_INFINITY;
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === JSON_DEPTH_MAX) return Number.POSITIVE_INFINITY;
  let members = 0;
  const isList = Array.isArray(value);
  const record = value as Readonly<Record<string, unknown>>;
  for (const name in record) {
    const member = record[name];
    if (!isList) members += name.isWellFormed() ? 1 : Number.POSITIVE_INFINITY;
    if (typeof member !== 'number') members += membersOf(member, depth + 1);
  }
  return members;
}

/** The number of members in a text that `JSON.parse` accepts. */
function colonsOutsideStrings(text: string): number {
  let colons = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (code === BACKSLASH) at++;
    else if (code === COLON && !isInString) colons++;
  }
  return colons;
}
