import { Type } from 'typebox';

/**
 * A note may have line feeds and tabs; other control characters are refused, because PostgreSQL does not accept NUL.
 * Without `\p{…}`, which generated clients in Python cannot read.
 */
const LINE = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';
const PARAGRAPHS = '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$';

/** A name or another text of one line, not empty. */
export const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: LINE, description: 'a text without control characters' });

export const lineOrEmpty = (maxLength: number) =>
  Type.String({ maxLength, pattern: LINE, description: 'a text without control characters' });

const paragraphs = {
  pattern: PARAGRAPHS,
  description: 'a text without control characters other than tabs and line breaks',
};

export const note = (maxLength: number) => Type.String({ maxLength, ...paragraphs });

export const noteNotEmpty = (maxLength: number) => Type.String({ minLength: 1, maxLength, ...paragraphs });

/** A whole number in a query, in which everything is a text; the references show it as a number. */
export const wholeNumberText = (minimum: number, maximum: number, meaning: string) =>
  Type.String({
    pattern: `^[0-9]{1,${String(maximum).length}}$`,
    description: `a whole number from ${minimum} to ${maximum}`,
    'x-shown-as': { type: 'integer', minimum, maximum, description: meaning },
  });

export const ID_PATTERN = '^[A-Za-z0-9_-]{1,64}$';

/** The form of identifiers, which is safe in addresses, topics and logs. */
export const id = () => Type.String({ pattern: ID_PATTERN, description: '1 to 64 letters, digits, - or _' });

const ID_CHARACTERS_MAX = 64;

/** An identifier that looks like the text; `null` if nothing of it can be in one. */
export function idLike(text: string): string | null {
  const plain = text
    .slice(0, 4 * ID_CHARACTERS_MAX)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '');
  const joined = plain.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, ID_CHARACTERS_MAX);
  const id = joined.replaceAll(/^-+|-+$/g, '');
  return id === '' ? null : id;
}
