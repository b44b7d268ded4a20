import { type Static, type TSchema, Type } from 'typebox';
import type { Page, Success } from '../../envelope.ts';
import { ERROR_CODES, type ErrorBody } from '../../errors.ts';
import { type Checker, checker, closed } from '../../input/schema.ts';
import { FAULT_FIELDS, REFUSAL_FIELDS } from '../../sentence-fields.ts';

/** The answer of an endpoint. */
export interface Answer<Body> {
  /**
   * `data` is an envelope with one resource, `page` an envelope with a part of a list, `none` no envelope, and `rows` no
   * envelope and any number of consecutive rows.
   */
  readonly envelope: 'data' | 'page' | 'none' | 'rows';
  readonly mediaType: string;
  /** The schema of the whole body; for an event stream that of the data of each event, for `rows` that of each row. */
  readonly check: Checker<Body>;
  /** Further media types that a caller can request with `Accept`. */
  readonly alternatives: readonly string[];
  /** The headers that only this answer has. */
  readonly headers: readonly string[];
}

type Extras = Partial<Pick<Answer<unknown>, 'alternatives' | 'headers'>>;

const JSON_TYPE = 'application/json';

const answer = <Body>(
  envelope: Answer<unknown>['envelope'],
  check: Checker<Body>,
  extras: Extras,
): Answer<Body> => ({ envelope, mediaType: JSON_TYPE, check, alternatives: [], headers: [], ...extras });

export const one = <T extends TSchema>(data: T, extras: Extras = {}): Answer<Success<Static<T>>> =>
  answer(
    'data',
    checker(Type.Unsafe<Success<Static<T>>>(closed({ success: Type.Literal(true), data }))),
    extras,
  );

export function pageOf<T extends TSchema>(item: T): Answer<Page<Static<T>>> {
  const page = closed({ next_cursor: Type.Union([Type.String(), Type.Null()]) });
  const body = closed({ success: Type.Literal(true), data: Type.Array(item), page });
  return answer('page', checker(Type.Unsafe<Page<Static<T>>>(body)), {});
}

export const plain = <T extends TSchema>(body: T, extras: Extras = {}): Answer<Static<T>> =>
  answer('none', checker(body), extras);

/** An answer without a body. */
export const empty = (): Answer<null> => ({ ...plain(Type.Null()), mediaType: '' });

export const eventStream = <T extends TSchema>(data: T): Answer<Static<T>> => ({
  ...plain(data),
  mediaType: 'text/event-stream',
});

/** An answer in CSV, or with one JSON object per line; the columns are the fields of the row. */
export const rowsOf = <T extends TSchema>(row: T): Answer<Static<T>> => ({
  ...answer('rows', checker(row), { alternatives: ['application/x-ndjson'] }),
  mediaType: 'text/csv',
});

const ValidationIssues = Type.Array(closed({ path: Type.String(), ...FAULT_FIELDS }));

export const ErrorAnswer = Type.Unsafe<ErrorBody>(
  closed({
    success: Type.Literal(false),
    error: closed({
      code: Type.Enum([...ERROR_CODES]),
      ...REFUSAL_FIELDS,
      details: Type.Optional(ValidationIssues),
      request_id: Type.String({ minLength: 1 }),
    }),
  }),
);
