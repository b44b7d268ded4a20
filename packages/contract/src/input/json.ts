import { JSON_DEPTH_MAX, JsonScanner, malformedJson } from './json-scanner.ts';

/** A thousand readings of all channels need 28,000; a longer text would delay all other requests while it is parsed. */
export const JSON_TOKENS_MAX = 32_000;

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

function count(text: string, character: string, max = Number.POSITIVE_INFINITY): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1 && found < max; at = text.indexOf(character, at + 1))
    found++;
  return found;
}

/** How many members this value has on all levels; infinite for one that is nested too deep or has a text that is not well formed. */
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

// Character codes, because every character of a long text is compared with them.
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

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
