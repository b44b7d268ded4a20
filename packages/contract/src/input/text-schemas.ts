import { Type } from 'typebox';
import { Format } from 'typebox/format';
import { sentence } from '../sentences/codes.ts';
import { inEnglish } from '../sentences/english.ts';
import type { EXPECTED } from '../sentences/faults.ts';
import type { Sentence } from '../sentences/sentence.ts';
import { isSeen } from './seen-text.ts';

/** The key of the same text as `description` as a code; it is not published. */
export const FORM = Symbol('form');

/** The required form of a text, for the references and for refusals. */
export const form = (told: Sentence<keyof typeof EXPECTED>) => ({
  description: inEnglish(told),
  [FORM]: told,
});

/**
 * A note may have line feeds and tabs; other control characters are refused, because PostgreSQL does not accept NUL. The
 * patterns avoid `\p{…}`, which generated clients in Python cannot read.
 */
const LINE = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';
const PARAGRAPHS = '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$';

/** A name or another text of one line, not empty. */
export const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: LINE, ...form(sentence('text_of_one_line')) });

/** The format of a text without invisible characters. No pattern expresses this in every language of clients, so a format is used. */
export const SEEN_TEXT = 'seen-text';
Format.Set(SEEN_TEXT, isSeen);

/** A name that does not look like another one because of characters that nobody sees. */
export const shownName = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: LINE,
    format: SEEN_TEXT,
    ...form(sentence('name_that_is_seen')),
  });

export const lineOrEmpty = (maxLength: number) =>
  Type.String({ maxLength, pattern: LINE, ...form(sentence('text_of_one_line')) });

const paragraphs = {
  pattern: PARAGRAPHS,
  ...form(sentence('text_of_lines')),
};

export const note = (maxLength: number) => Type.String({ maxLength, ...paragraphs });

export const noteNotEmpty = (maxLength: number) => Type.String({ minLength: 1, maxLength, ...paragraphs });

/** A whole number in a query, where every value is text; the references show it as a number. */
export const wholeNumberText = (minimum: number, maximum: number, meaning: string) =>
  Type.String({
    pattern: `^[0-9]{1,${String(maximum).length}}$`,
    ...form(sentence('whole_number_between', { min: minimum, max: maximum })),
    'x-shown-as': { type: 'integer', minimum, maximum, description: meaning },
  });

/** A name such as `Europe/Berlin`; whether there is such a time zone is checked later. */
export const TimeZoneName = Type.String({
  pattern: '^[A-Za-z0-9_+:/-]{1,64}$',
  ...form(sentence('time_zone_name')),
});

/** A day, such as `2026-03-29`. */
export const LocalDate = Type.String({
  maxLength: 10,
  pattern: '^\\d{4}-\\d\\d-\\d\\d$',
  ...form(sentence('local_day')),
});

export const ID_PATTERN = '^[A-Za-z0-9_-]{1,64}$';

/** The form of identifiers, which is safe in addresses, topics and logs. */
export const id = () => Type.String({ pattern: ID_PATTERN, ...form(sentence('identifier')) });

const ID_CHARACTERS_MAX = 64;

/** An identifier that looks like the text; `null` if no character of the text is allowed in one. */
export function idLike(text: string): string | null {
  const plain = text
    .slice(0, 4 * ID_CHARACTERS_MAX)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '');
  const joined = plain.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, ID_CHARACTERS_MAX);
  const id = joined.replaceAll(/^-+|-+$/g, '');
  return id === '' ? null : id;
}
