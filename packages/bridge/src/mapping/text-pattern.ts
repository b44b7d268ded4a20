/**
 * The form of a line of text, such as `{status:2},{kind:2},{weight:number} {unit:word}`. Text outside of braces must match
 * exactly; a space matches any number of blanks, including none. A field is `word` (no blank and not the character that follows
 * in the pattern), `number`, `rest`, or a number of characters. The end of every field is known when the field begins, so a
 * line is read once, from left to right: no text can make it slow, which is possible with regular expressions.
 */
export type TextPattern = readonly PatternPart[];
type FieldKind = 'word' | 'number' | 'rest' | { readonly characters: number };
type PatternPart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'blanks' }
  | { readonly kind: 'field'; readonly name: string; readonly field: FieldKind };

const PARTS_MAX = 64;
const FIELD = /^\{([a-z][a-z0-9_]{0,31}):(word|number|rest|[1-9][0-9]?)\}/;
/** A number; indicators write blanks after the sign, and digits with a decimal point or comma. */
const NUMBER = /[+-]? *(?:[0-9]+(?:[.,][0-9]+)?|[.,][0-9]+)/y;

/** Parses a pattern; returns `null` for a text that is none. */
export function parsePattern(text: string): TextPattern | null {
  const parts: PatternPart[] = [];
  const names = new Set<string>();
  let rest = text;
  while (rest !== '') {
    const field = FIELD.exec(rest);
    if (field !== null) {
      const [whole, name = '', kind = ''] = field;
      if (names.has(name)) return null;
      names.add(name);
      parts.push({ kind: 'field', name, field: fieldKind(kind) });
      rest = rest.slice(whole.length);
    } else if (rest.startsWith(' ')) {
      parts.push({ kind: 'blanks' });
      rest = rest.trimStart();
    } else {
      const literal = /^[^{} ]+/.exec(rest)?.[0];
      if (literal === undefined) return null;
      parts.push({ kind: 'literal', text: literal });
      rest = rest.slice(literal.length);
    }
  }
  return names.size > 0 && parts.length <= PARTS_MAX ? parts : null;
}

const fieldKind = (text: string): FieldKind =>
  text === 'word' || text === 'number' || text === 'rest' ? text : { characters: Number(text) };

/** Returns the fields of a line, or `null` if it does not match. Numbers have no blanks and a decimal point. */
export function matchPattern(pattern: TextPattern, line: string): Record<string, string> | null {
  const fields: Record<string, string> = {};
  let at = 0;
  for (const [index, part] of pattern.entries()) {
    if (part.kind === 'blanks') {
      while (line[at] === ' ' || line[at] === '\t') at++;
    } else if (part.kind === 'literal') {
      if (!line.startsWith(part.text, at)) return null;
      at += part.text.length;
    } else {
      const end = fieldEnd(part.field, line, at, pattern[index + 1]);
      if (end === null) return null;
      const text = line.slice(at, end);
      fields[part.name] = part.field === 'number' ? text.replaceAll(' ', '').replace(',', '.') : text.trim();
      at = end;
    }
  }
  return line.slice(at).trim() === '' ? fields : null;
}

function fieldEnd(kind: FieldKind, line: string, at: number, next: PatternPart | undefined): number | null {
  if (kind === 'rest') return line.length;
  if (typeof kind === 'object') return at + kind.characters <= line.length ? at + kind.characters : null;
  if (kind === 'number') {
    NUMBER.lastIndex = at;
    return NUMBER.test(line) ? NUMBER.lastIndex : null;
  }
  const stop = next?.kind === 'literal' ? next.text[0] : undefined;
  let end = at;
  while (end < line.length && line[end] !== ' ' && line[end] !== '\t' && line[end] !== stop) end++;
  return end > at ? end : null;
}
