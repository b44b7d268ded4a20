import { type Answer, ErrorAnswer } from '../endpoints/declaration/answers.ts';
import type { Endpoint } from '../endpoints/declaration/endpoint.ts';
import { STATUS_OF } from '../errors.ts';
import type { ComponentSchemas } from './component-schemas.ts';
import { type AnswerHeader, headerReferences, RATE_HEADERS } from './headers.ts';
import type { JsonObject } from './json.ts';
import type { ComponentRefusals } from './refusals.ts';

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';

const OWN_HEADERS: Readonly<Record<string, AnswerHeader>> = {
  etag: 'ETag',
  link: 'Link',
  'set-cookie': 'Set-Cookie',
};

function headersOf({ errors, requestHeaders }: Endpoint, own: readonly string[]): JsonObject {
  return headerReferences([
    'X-Request-Id',
    ...own.flatMap((name) => OWN_HEADERS[name] ?? []),
    ...(errors.includes('rate_limited') ? RATE_HEADERS : []),
    ...(requestHeaders.includes('idempotency-key') ? (['Idempotency-Replayed'] as const) : []),
  ]);
}

/** What is not JSON is described as a text; of rows and events `x-item-schema` describes each. */
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

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Done.',
  503: 'The service is not ready; or as for other endpoints, with an error code.',
};

function declaredAnswers(endpoint: Endpoint, schemas: ComponentSchemas): [string, JsonObject][] {
  return Object.entries(endpoint.answers).map(([status, answer]) => {
    const codes = endpoint.errors.filter((code) => STATUS_OF[code] === Number(status));
    const description = DESCRIPTIONS[status] ?? '';
    const headers = headersOf(endpoint, answer.headers);
    if (codes.length === 0) return [status, { description, headers, content: contentOf(answer, schemas) }];
    const anyOf = [answer.check.schema, ErrorAnswer].map((schema) => schemas.use(schema, 'answer'));
    const content = { [JSON_TYPE]: { schema: { anyOf } } };
    return [status, { description, headers, content, 'x-error-codes': codes }];
  });
}

/** Follows from the header of the request, as the replay of an answer does. */
function notModified(endpoint: Endpoint): [string, JsonObject][] {
  if (!endpoint.requestHeaders.includes('if-none-match')) return [];
  const headers = headersOf(endpoint, ['etag']);
  return [['304', { description: 'The version that you have is the newest one.', headers }]];
}

/** Every answer of an endpoint by its status: the declared ones, and what it can be refused with. */
export function answersOf(
  endpoint: Endpoint,
  schemas: ComponentSchemas,
  refusals: ComponentRefusals,
): JsonObject {
  const declared = [...declaredAnswers(endpoint, schemas), ...notModified(endpoint)];
  const own = new Set(declared.map(([status]) => status));
  const refused = [...refusals.of(endpoint)].filter(([status]) => !own.has(status));
  const all = [...declared, ...refused];
  return Object.fromEntries(all.toSorted(([a], [b]) => Number(a) - Number(b)));
}
