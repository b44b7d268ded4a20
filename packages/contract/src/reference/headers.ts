import { SESSION_COOKIE } from '../session.ts';
import type { JsonObject } from './json.ts';

/** The headers of answers, by the names under which a document refers to them. */
export const ANSWER_HEADERS = {
  'X-Request-Id': {
    description: 'The id of the request, which is also in the log of the service.',
    required: true,
    schema: { type: 'string', minLength: 1 },
  },
  RateLimit: {
    description:
      'How many requests the key has left, and in how many seconds it has all of them again; missing where the rate is not limited.',
    schema: { type: 'string', pattern: '^"key";r=[0-9]+;t=[0-9]+$', examples: ['"key";r=199;t=1'] },
  },
  'RateLimit-Policy': {
    description: 'How many requests the key may send at once, and in how many seconds it regains them.',
    schema: { type: 'string', pattern: '^"key";q=[0-9]+;w=[0-9]+$', examples: ['"key";q=200;w=2'] },
  },
  'Retry-After': {
    description: 'After how many seconds the request may be repeated.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': {
    description: 'How to name the key.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  ETag: {
    description: 'The version of the resource, for `If-Match` or `If-None-Match`.',
    required: true,
    schema: { type: 'string', pattern: '^(W/)?"[!-~]+"$', examples: ['"3"'] },
  },
  'Set-Cookie': {
    description: 'The cookie of the session, which no script can read; or its removal.',
    required: true,
    schema: { type: 'string', pattern: `^${SESSION_COOKIE}=` },
  },
  Link: {
    description: 'The address of the next page, with `rel="next"`; missing on the last page.',
    schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
  },
  'Idempotency-Replayed': {
    description: '`true` when the answer is that of an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
} as const satisfies JsonObject;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;

export const headerReferences = (names: readonly AnswerHeader[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Only where the rate of a key is limited. */
export const RATE_HEADERS: readonly AnswerHeader[] = ['RateLimit', 'RateLimit-Policy'];
