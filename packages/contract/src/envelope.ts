import { type Static, Type } from 'typebox';
import { checker, closed } from './input/schema.ts';
import { wholeNumberText } from './input/text-schemas.ts';

export const PAGE_LIMIT_MAX = 1_000;

export interface Success<T> {
  readonly success: true;
  readonly data: T;
}

export interface Page<T> extends Success<readonly T[]> {
  readonly page: { readonly next_cursor: string | null };
}

export const PageQuery = closed({
  limit: Type.Optional(wholeNumberText(1, PAGE_LIMIT_MAX, 'How many are answered at most.')),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
});

export type PageQuery = Static<typeof PageQuery>;

export const checkPageQuery = checker(PageQuery);
