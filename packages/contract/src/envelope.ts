import { type Static, Type } from 'typebox';
import { closed } from './input/closed.ts';
import { checker } from './input/schema.ts';

export const PAGE_LIMIT_MAX = 1_000;

export interface Success<T> {
  readonly success: true;
  readonly data: T;
}

export interface Page<T> extends Success<readonly T[]> {
  readonly page: { readonly next_cursor: string | null };
}

export const PageQuery = closed({
  limit: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,4}$', description: `a whole number from 1 to ${PAGE_LIMIT_MAX}` }),
  ),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
});

export type PageQuery = Static<typeof PageQuery>;

export const checkPageQuery = checker(PageQuery);
