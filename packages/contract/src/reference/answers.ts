import { type Answer, ErrorAnswer } from '../endpoints/declaration/answers.ts';
import type { Endpoint } from '../endpoints/declaration/endpoint.ts';
import type { GroupName } from '../endpoints/declaration/groups.ts';
import { PlantError, plantErrorStatus } from '../endpoints/plants.ts';
import { errorText } from '../error-texts.ts';
import { type ErrorCode, STATUS_OF } from '../errors.ts';
import { SESSION_COOKIE } from '../session.ts';
import { SIGN_ON_COOKIE } from '../sign-on.ts';
import { type ComponentSchemas, type JsonObject, sortedByName } from './component-schemas.ts';

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
    description:
      'The cookie of the session, which no script can read; or its removal. `GET /v1/session` sends that of a terminal or a display again.',
    schema: { type: 'string', pattern: `^(${SESSION_COOKIE}|${SIGN_ON_COOKIE})=` },
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
/** Sent only if the rate of a key is limited. */
const RATE_HEADERS: readonly AnswerHeader[] = ['RateLimit', 'RateLimit-Policy'];
/** These errors are detected before the route is known, so they have the same status and body everywhere. */
const FOUND_BEFORE_ROUTE: readonly ErrorCode[] = [
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
];
/** The groups whose refusals differ from those of other groups in their headers or their body. */
const KINDS: Partial<Record<GroupName, string>> = { sandbox: 'plants.', service: 'open.' };
const RESPONSES = '#/components/responses/';
const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const OWN_HEADERS: Readonly<Record<string, AnswerHeader>> = {
  etag: 'ETag',
  link: 'Link',
  'set-cookie': 'Set-Cookie',
};
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Done.',
  202: 'Accepted; there is no answer.',
  400: 'The message cannot be understood; or as for other endpoints, with an error code.',
  404: 'There is no such method.',
  503: 'The service is not ready; or as for other endpoints, with an error code.',
};

type AnswerHeader = keyof typeof ANSWER_HEADERS;

const headerReferences = (names: readonly AnswerHeader[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function statusIn({ group }: Endpoint, code: ErrorCode): number {
  const status = STATUS_OF[code];
  return group === 'sandbox' && !FOUND_BEFORE_ROUTE.includes(code) ? plantErrorStatus(status) : status;
}

function exampleOf(code: ErrorCode): JsonObject {
  const { means, cure } = errorText(code);
  return { summary: cure, value: { success: false, error: { code, message: means, request_id: 'req_1' } } };
}

/** Collects the refusals of all endpoints, many of which are the same. */
export class ComponentRefusals {
  readonly #schemas: ComponentSchemas;
  readonly #responses = new Map<string, JsonObject>();
  readonly #examples = new Map<ErrorCode, JsonObject>();

  constructor(schemas: ComponentSchemas) {
    this.#schemas = schemas;
  }

  get responses(): JsonObject {
    return sortedByName(this.#responses);
  }

  /** Has one example for each error code of the collected responses. */
  get examples(): JsonObject {
    return sortedByName(this.#examples);
  }

  /** A reference for each status with which the endpoint can be refused and that has no answer of its own. */
  of(endpoint: Endpoint, answered: ReadonlySet<string>): [string, JsonObject][] {
    const byStatus = Map.groupBy(endpoint.errors, (code) => statusIn(endpoint, code));
    return [...byStatus]
      .filter(([status]) => !answered.has(String(status)))
      .map(([status, codes]) => [String(status), this.#use(endpoint, status, codes)]);
  }

  #use({ group, errors }: Endpoint, status: number, codes: readonly ErrorCode[]): JsonObject {
    const isBeforeRoute = codes.every((code) => FOUND_BEFORE_ROUTE.includes(code));
    const kind = isBeforeRoute ? '' : (KINDS[group] ?? '');
    const name = `${kind}${status}.${codes.join('.')}`;
    if (!this.#responses.has(name)) {
      this.#responses.set(name, {
        description: codes.map((code) => `\`${code}\`: ${errorText(code).means}`).join('\n\n'),
        headers: headerReferences(refusalHeaders(errors.includes('unauthorized') && !isBeforeRoute, status)),
        content: { 'application/json': this.#contentOf(group === 'sandbox' && !isBeforeRoute, codes) },
        'x-error-codes': codes,
      });
    }
    return { $ref: `${RESPONSES}${name}` };
  }

  #contentOf(isOfPlantStore: boolean, codes: readonly ErrorCode[]): JsonObject {
    if (isOfPlantStore) return { schema: this.#schemas.use(PlantError, 'answer') };
    for (const code of codes) this.#examples.set(code, exampleOf(code));
    return {
      schema: this.#schemas.use(ErrorAnswer, 'answer'),
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    };
  }
}

const refusalHeaders = (hasKey: boolean, status: number): readonly AnswerHeader[] => [
  'X-Request-Id',
  ...(hasKey && status !== 401 ? RATE_HEADERS : []),
  ...(status === 409 ? (['Idempotency-Replayed'] as const) : []),
  ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
  ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
];

function headersOf({ errors, requestHeaders }: Endpoint, own: readonly string[]): JsonObject {
  return headerReferences([
    'X-Request-Id',
    ...own.flatMap((name) => OWN_HEADERS[name] ?? []),
    ...(errors.includes('rate_limited') ? RATE_HEADERS : []),
    ...(requestHeaders.includes('idempotency-key') ? (['Idempotency-Replayed'] as const) : []),
  ]);
}

/** Content that is not JSON is described as text; for rows and events `x-item-schema` describes each of them. */
function contentOf(answer: Answer<unknown>, schemas: ComponentSchemas): JsonObject {
  const { envelope, mediaType, alternatives, check } = answer;
  const schema = schemas.use(check.schema, 'answer');
  const isRepeated = envelope === 'rows' || mediaType === 'text/event-stream';
  const ofType = (type: string): [string, JsonObject] => [
    type,
    type === JSON_TYPE || type.endsWith('+json') || type === YAML_TYPE
      ? { schema }
      : { schema: { type: 'string', ...(isRepeated ? { 'x-item-schema': schema } : {}) } },
  ];
  return Object.fromEntries([mediaType, ...alternatives].map(ofType));
}

function declaredAnswers(endpoint: Endpoint, schemas: ComponentSchemas): [string, JsonObject][] {
  return Object.entries(endpoint.answers).map(([status, answer]) => {
    const codes = endpoint.errors.filter((code) => STATUS_OF[code] === Number(status));
    const description = DESCRIPTIONS[status] ?? '';
    const headers = headersOf(endpoint, answer.headers);
    if (answer.mediaType === '') return [status, { description, headers }];
    if (codes.length === 0) return [status, { description, headers, content: contentOf(answer, schemas) }];
    const anyOf = [answer.check.schema, ErrorAnswer].map((schema) => schemas.use(schema, 'answer'));
    const content = { [JSON_TYPE]: { schema: { anyOf } } };
    return [status, { description, headers, content, 'x-error-codes': codes }];
  });
}

/** The answer 304 follows from the header of the request, like the replay of an answer. */
function notModified(endpoint: Endpoint): [string, JsonObject][] {
  if (!endpoint.requestHeaders.includes('if-none-match')) return [];
  const headers = headersOf(endpoint, ['etag']);
  return [['304', { description: 'The version that you have is the newest one.', headers }]];
}

/** Every answer of an endpoint by its status: the declared answers and the refusals. */
export function answersOf(
  endpoint: Endpoint,
  schemas: ComponentSchemas,
  refusals: ComponentRefusals,
): JsonObject {
  const declared = [...declaredAnswers(endpoint, schemas), ...notModified(endpoint)];
  const own = new Set(declared.map(([status]) => status));
  const all = [...declared, ...refusals.of(endpoint, own)];
  return Object.fromEntries(all.toSorted(([a], [b]) => Number(a) - Number(b)));
}
