import { Refusal } from './errors.ts';
import { pointerName } from './faults.ts';

/** No body that is taken here is nested half as deep. */
export const JSON_DEPTH_MAX = 32;

/** A thousand readings of all channels need 28,000. More would hold up everybody else while it is read. */
export const JSON_TOKENS_MAX = 32_000;

/**
 * Reads JSON from outside. Beyond what `JSON.parse` refuses, it refuses a key that stands twice in an object, half a
 * surrogate pair, more than `JSON_DEPTH_MAX` levels and more than `JSON_TOKENS_MAX` brackets, commas and colons. Each
 * refusal says where.
 */
export function readJson(text: string): unknown {
  refuseTooMany(text);
  const value = parse(text);
  // Only an escape can write half a surrogate pair, and only a lost member leaves fewer colons than the text has.
  if (text.includes('\\u') || colonsOf(value, 0) !== count(text, ':')) new Scanner(text).scan();
  return value;
}

/** A shorter text cannot have as many, so usual messages are not counted. */
function refuseTooMany(text: string): void {
  if (text.length <= JSON_TOKENS_MAX) return;
  let tokens = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === COLON || code === BRACKET || code === BRACE) tokens++;
  }
  if (tokens > JSON_TOKENS_MAX) throw malformed(`it has more than ${JSON_TOKENS_MAX} parts`, '');
}

const [COMMA, COLON, BRACKET, BRACE] = [',', ':', '[', '{'].map((character) => character.charCodeAt(0));

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    new Scanner(text).scan();
    throw error;
  }
}

function malformed(what: string, path: string): Refusal {
  return new Refusal('malformed_json', `the JSON cannot be used: ${what}`, [{ path, message: what }]);
}

/** How many colons a text without escapes needs to write this value; infinite for one that is nested too deep. */
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

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found++;
  return found;
}

const SPACE = /[\t\n\r ]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not hold them.
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;

/** Walks a JSON text to say where it goes wrong. Slower than `JSON.parse`, so only used where something is suspected. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): void {
    this.#value('', 0);
    this.#token(SPACE);
    if (this.#at < this.#text.length) this.#fail('something follows the end of the value');
  }

  #value(path: string, depth: number): void {
    this.#token(SPACE);
    if (depth > JSON_DEPTH_MAX) this.#fail(`it is nested more than ${JSON_DEPTH_MAX} levels deep`);
    const next = this.#text[this.#at];
    if (next === '{') this.#members(path, depth);
    else if (next === '[') this.#items(path, depth);
    else if (next === '"') this.#string(path);
    else if (this.#token(WORD) === null && this.#token(NUMBER) === null) this.#fail('a value is missing');
  }

  #members(path: string, depth: number): void {
    const names = new Set<string>();
    this.#at++;
    if (this.#skips('}')) return;
    do {
      this.#token(SPACE);
      if (this.#text[this.#at] !== '"') this.#fail('a key in double quotes is missing');
      const name = this.#string(path);
      const place = `${path}/${pointerName(name)}`;
      if (names.has(name)) throw malformed(`${place} stands twice`, place);
      names.add(name);
      if (!this.#skips(':')) this.#fail('a colon is missing');
      this.#value(place, depth + 1);
    } while (this.#skips(','));
    if (!this.#skips('}')) this.#fail('a comma or } is missing');
  }

  #items(path: string, depth: number): void {
    this.#at++;
    if (this.#skips(']')) return;
    let index = 0;
    do this.#value(`${path}/${index++}`, depth + 1);
    while (this.#skips(','));
    if (!this.#skips(']')) this.#fail('a comma or ] is missing');
  }

  #string(path: string): string {
    const token = this.#token(STRING);
    if (token === null) return this.#fail('a text is not closed, or holds what must be escaped');
    const value: string = JSON.parse(token);
    if (!value.isWellFormed()) throw malformed('a text holds half a surrogate pair', path);
    return value;
  }

  #skips(character: string): boolean {
    this.#token(SPACE);
    const isThere = this.#text[this.#at] === character;
    if (isThere) this.#at++;
    return isThere;
  }

  #token(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #fail(what: string): never {
    const before = this.#text.slice(0, this.#at).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    const end = this.#at >= this.#text.length ? ', where it ends' : '';
    throw malformed(`${what} at line ${before.length}, column ${column}${end}`, '');
  }
}
