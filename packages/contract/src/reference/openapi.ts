import { Type } from 'typebox';
import type { Endpoint, RequestHeader } from '../endpoints/declaration/endpoint.ts';
import { type GroupAddresses, groupRoots } from '../endpoints/declaration/groups.ts';
import { ALL_ENDPOINTS, type NamedEndpoint, SLICES } from '../endpoints/endpoints.ts';
import { errorText } from '../error-texts.ts';
import { ERROR_CODES, STATUS_OF } from '../errors.ts';
import { closed } from '../input/schema.ts';
import { Timestamp } from '../input/timestamp.ts';
import type { SchemaNode } from '../input/validation-issues.ts';
import { SCOPES } from '../keys.ts';
import { LoggedEvent } from '../logged-event.ts';
import { SESSION_COOKIE } from '../session.ts';
import { TEST_MESSAGE } from '../webhooks.ts';
import { ANSWER_HEADERS, answersOf, ComponentRefusals } from './answers.ts';
import { ComponentSchemas, type Json, type JsonObject, toJson } from './component-schemas.ts';
import { NAMED_SCHEMAS } from './named-schemas.ts';

/** The messages that a webhook gets beside events. */
const Message = closed({
  id: Type.String(),
  type: Type.Enum(['notification', TEST_MESSAGE]),
  at: Timestamp,
  data: Type.Record(Type.String(), Type.Unknown()),
});

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const WEBHOOK_HEADERS: readonly Json[] = [
  header('webhook-id', 'Stays the same when the message is sent again.'),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.'),
  header('webhook-signature', 'By Standard Webhooks, with the secret of the webhook; two during a rotation.'),
];

/** The requests that the service sends to a registered webhook. */
function webhookMessages(schemas: ComponentSchemas): JsonObject {
  const message = (operationId: string, summary: string, schema: Json): JsonObject => ({
    post: {
      operationId,
      tags: ['webhooks'],
      summary,
      security: [],
      parameters: WEBHOOK_HEADERS,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        '2XX': { description: 'Accepted; the body is ignored.' },
        '4XX': { description: 'The message is sent again later; 410 disables the webhook.' },
      },
    },
  });
  return {
    event: message('webhookEvent', 'An event that matches the webhook.', schemas.use(LoggedEvent, 'answer')),
    message: message(
      'webhookMessage',
      'A notification about alerts, or the message of a test.',
      schemas.use(Message, 'answer'),
    ),
  };
}

const HEADERS: Readonly<Record<RequestHeader, HeaderDescription>> = {
  'if-match': {
    name: 'If-Match',
    description:
      'The ETag of the version that is to be changed; another version is not changed (`stale_version`).',
    schema: { type: 'string', examples: ['"3"'] },
  },
  'if-none-match': {
    name: 'If-None-Match',
    description: 'The ETag of the version that you have; while it is the newest one the answer is 304.',
    schema: { type: 'string' },
  },
  'last-event-id': {
    name: 'Last-Event-ID',
    description: 'The id of the last event that was received; the stream continues after it.',
    schema: { type: 'string', pattern: '^[0-9]{1,15}$' },
  },
  'idempotency-key': {
    name: 'Idempotency-Key',
    description:
      'A text of your choice, at most 255 characters. A repeated request with the same key and body gets the first answer again and changes nothing.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'x-confirmation': {
    name: 'X-Confirmation',
    description: 'The id of a confirmation of this request, where the facility wants people to confirm it.',
    schema: { type: 'string', maxLength: 200 },
  },
  'x-actor': {
    name: 'X-Actor',
    description: 'The person or program that asks for the change, for the audit log.',
    schema: { type: 'string', maxLength: 200 },
  },
};

export interface ReferenceOptions {
  readonly version: string;
  readonly addresses: GroupAddresses;
  /** The address of the service; `/` stands for the origin of the document. */
  readonly serverUrl: string;
}

const DESCRIPTION = `Granary monitors and controls silo scales and field devices.

Requests name an API key: \`Authorization: Bearer <key>\`. Bodies are JSON; unknown fields are refused. Answers may get further
fields, and enumerations of answers further values, in later versions: ignore what you do not know. A refusal has a stable
\`code\`. Times are RFC 3339 in UTC. Lists are in pages: send \`cursor\` with \`next_cursor\` of the page before, until it is
\`null\`. A stop and an emergency stop are never limited.`;

/** Every code with its status and its cure, for programs that explain refusals to people. */
const ERRORS = Object.fromEntries(
  ERROR_CODES.map((code) => [code, { status: STATUS_OF[code], ...errorText(code) }]),
);

const INTERFACE_TAG = {
  name: 'interface',
  description:
    'The 17 endpoints of the interface that this service was made for. The slices below show them again, with what Granary has beyond them.',
};

const isOfInterface = ({ endpoint }: NamedEndpoint): boolean => endpoint.number !== null;

const INTERFACE_FIRST: readonly NamedEndpoint[] = [
  ...ALL_ENDPOINTS.filter(isOfInterface).toSorted(
    (a, b) => (a.endpoint.number ?? 0) - (b.endpoint.number ?? 0),
  ),
  ...ALL_ENDPOINTS.filter((named) => !isOfInterface(named)),
];

/** The OpenAPI document of a service with these addresses. */
export function openApiDocument({ version, addresses, serverUrl }: ReferenceOptions): JsonObject {
  const schemas = new ComponentSchemas(NAMED_SCHEMAS, '#/components/schemas/');
  const refusals = new ComponentRefusals(schemas);
  const roots = groupRoots(addresses);
  // Answers are collected first, because they decide about the names of schemas.
  const answers = new Map(
    ALL_ENDPOINTS.map(({ endpoint }) => [endpoint, answersOf(endpoint, schemas, refusals)]),
  );
  const byPath = Map.groupBy(INTERFACE_FIRST, ({ endpoint }) => roots[endpoint.group] + endpoint.path);
  const paths = [...byPath].map(([path, named]) => [
    path,
    Object.fromEntries(
      named.map(({ name, endpoint }) => [
        endpoint.method.toLowerCase(),
        operationOf(name, endpoint, answers.get(endpoint) ?? {}, schemas),
      ]),
    ),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Granary',
      version,
      description: DESCRIPTION,
      summary: SUMMARY,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: [
      INTERFACE_TAG,
      ...Object.entries(SLICES).map(([name, { description }]) => ({ name, description })),
    ],
    paths: Object.fromEntries(paths),
    webhooks: webhookMessages(schemas),
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key with its scopes: ${SCOPES.join(', ')}.`,
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: 'A browser that has signed in; it has the scopes of its key.',
        },
      },
      parameters: HEADER_PARAMETERS,
      headers: ANSWER_HEADERS,
      examples: refusals.examples,
      responses: refusals.responses,
      schemas: schemas.schemas,
    },
    'x-errors': ERRORS,
  };
}

const SUMMARY = 'Device monitoring and control for farms and plants';

/** Turns `alerts.silo.acknowledge` into `alertsSiloAcknowledge`. */
const operationIdOf = (name: string): string =>
  name.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());

function operationOf(
  name: string,
  endpoint: Endpoint,
  responses: JsonObject,
  schemas: ComponentSchemas,
): JsonObject {
  const [tag = ''] = name.split('.', 1);
  const parameters = parametersOf(endpoint, schemas);
  const requestBody = requestBodyOf(endpoint, schemas);
  return {
    operationId: operationIdOf(name),
    tags: endpoint.number === null ? [tag] : [tag, INTERFACE_TAG.name],
    summary: endpoint.summary,
    description: descriptionOf(endpoint),
    security: securityOf(endpoint),
    parameters,
    ...(requestBody === null ? {} : { requestBody }),
    responses,
  };
}

function descriptionOf(endpoint: Endpoint): string {
  const access = accessOf(endpoint);
  return endpoint.number === null ? access : `Number ${endpoint.number} of the interface. ${access}`;
}

function accessOf({ scope, needsKey, isUrgent }: Endpoint): string {
  if (!needsKey) return 'Needs no key.';
  const key = scope === null ? 'Needs any key.' : `Needs a key with the scope \`${scope}\`.`;
  if (isUrgent === false) return key;
  return isUrgent === true
    ? `${key} Never limited, and served before other requests.`
    : `${key} For an emergency stop the scope \`stop\` is enough; it is never limited, and served before other requests.`;
}

/** The settings can demand a key for the metrics, too. */
function securityOf({ scope, group, needsKey, errors }: Endpoint): Json {
  const scopes = scope === null ? [] : [scope];
  const secrets = [{ key: scopes }, { session: scopes }];
  if (needsKey) return secrets;
  return group === 'service' && errors.includes('unauthorized') ? [{}, ...secrets] : [];
}

/** The name of an example is its summary in the form of an identifier. */
const exampleName = (summary: string): string =>
  summary
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

function requestBodyOf({ body, examples }: Endpoint, schemas: ComponentSchemas): JsonObject | null {
  if (body === null) return null;
  const schema = schemas.use(body.check.schema, 'request');
  const shown = examples.filter((example) => example.body !== undefined);
  const named = shown.map(({ summary, body: value, refusal }) => {
    const text = refusal === undefined ? summary : `${summary} (${refusal})`;
    return [exampleName(summary), { summary: text, value: toJson(value) }];
  });
  const ofJson = { schema, ...(named.length === 0 ? {} : { examples: Object.fromEntries(named) }) };
  const others = body.alternatives.map((mediaType) => [mediaType, { schema }]);
  return {
    required: !body.isOptional,
    content: { 'application/json': ofJson, ...Object.fromEntries(others) },
  };
}

interface HeaderDescription {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/** The headers of requests, by the names under which a document refers to them. */
const HEADER_PARAMETERS: JsonObject = Object.fromEntries(
  Object.values(HEADERS).map(({ name, description, schema }) => [
    name,
    { name, in: 'header', required: false, description, schema },
  ]),
);

/** The parameters of the path, the query and the headers of an endpoint. */
const parametersOf = (endpoint: Endpoint, schemas: ComponentSchemas): Json[] => [
  ...pathParameters(endpoint),
  ...queryParameters(endpoint, schemas),
  ...endpoint.requestHeaders.map((header) => ({ $ref: `#/components/parameters/${HEADERS[header].name}` })),
];

const pathParameters = ({ parameters }: Endpoint): Json[] =>
  Object.entries(parameters).map(([name, { description, schema, example }]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: toJson(schema),
    example,
  }));

function queryParameters({ query, examples }: Endpoint, schemas: ComponentSchemas): Json[] {
  if (query === null) return [];
  const { properties = {}, required = [] }: SchemaNode = query.schema;
  return Object.entries(properties).map(([name, property]) => {
    const { 'x-meaning': meaning, description: form, ...schema } = shownAs(property);
    const description = property['x-meaning'] ?? meaning ?? form;
    const example = examples
      .filter(({ refusal }) => refusal === undefined)
      .map((one) => (one.query as Readonly<Record<string, string>> | undefined)?.[name])
      .find((value) => value !== undefined);
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: schemas.use(schema, 'request'),
      ...(example === undefined ? {} : { example: isText(schema) ? example : JSON.parse(example) }),
    };
  });
}

/** Every value in a query is text, so the schema of the number is shown. */
export function shownAs(property: SchemaNode): SchemaNode {
  const isSwitch = property.enum?.join() === 'true,false';
  return property['x-shown-as'] ?? (isSwitch ? { type: 'boolean' } : property);
}

const isText = ({ type }: SchemaNode): boolean => type !== 'integer' && type !== 'boolean';
