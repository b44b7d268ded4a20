import type { Endpoint } from '../endpoints/declaration/endpoint.ts';
import { type GroupAddresses, groupRoots } from '../endpoints/declaration/groups.ts';
import { ALL_ENDPOINTS } from '../endpoints/endpoints.ts';
import { ERROR_TEXTS } from '../error-texts.ts';
import { ERROR_CODES, STATUS_OF } from '../errors.ts';
import { SCOPES } from '../keys.ts';
import { SESSION_COOKIE } from '../session.ts';
import { answersOf } from './answers.ts';
import { ComponentSchemas } from './component-schemas.ts';
import { ANSWER_HEADERS } from './headers.ts';
import type { Json, JsonObject } from './json.ts';
import { NAMED_SCHEMAS } from './named-schemas.ts';
import { HEADER_PARAMETERS, parametersOf } from './parameters.ts';
import { ComponentRefusals } from './refusals.ts';
import { requestBodyOf } from './request-body.ts';
import { SLICE_DESCRIPTIONS } from './tags.ts';
import { webhookMessages } from './webhook-messages.ts';

export interface ReferenceOptions {
  readonly version: string;
  readonly addresses: GroupAddresses;
  /** Where the service answers; `/` means: where the document comes from. */
  readonly serverUrl: string;
}

const DESCRIPTION = `Granary monitors and controls silo scales and field devices.

Requests name an API key: \`Authorization: Bearer <key>\`. Bodies are JSON; unknown fields are refused. Answers may get further
fields, and enumerations of answers further values, in later versions: ignore what you do not know. A refusal has a stable
\`code\`. Times are RFC 3339 in UTC. Lists are in pages: send \`cursor\` with \`next_cursor\` of the page before, until it is
\`null\`. A stop and an emergency stop are never limited.`;

/** Every code with its status and what to do, for programs that explain refusals to people. */
const ERRORS = Object.fromEntries(
  ERROR_CODES.map((code) => [code, { status: STATUS_OF[code], ...ERROR_TEXTS[code] }]),
);

/** The OpenAPI document of a service with these addresses. */
export function openApiDocument({ version, addresses, serverUrl }: ReferenceOptions): JsonObject {
  const schemas = new ComponentSchemas(NAMED_SCHEMAS, '#/components/schemas/');
  const refusals = new ComponentRefusals(schemas);
  const roots = groupRoots(addresses);
  // Answers are collected first, because they decide about the names of schemas.
  const answers = new Map(
    ALL_ENDPOINTS.map(({ endpoint }) => [endpoint, answersOf(endpoint, schemas, refusals)]),
  );
  const byPath = Map.groupBy(ALL_ENDPOINTS, ({ endpoint }) => roots[endpoint.group] + endpoint.path);
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
    tags: Object.entries(SLICE_DESCRIPTIONS).map(([name, description]) => ({ name, description })),
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

/** `alerts.silo.acknowledge` becomes `alertsSiloAcknowledge`. */
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
    tags: [tag],
    summary: endpoint.summary,
    description: descriptionOf(endpoint),
    security: securityOf(endpoint),
    parameters,
    ...(requestBody === null ? {} : { requestBody }),
    responses,
  };
}

function descriptionOf({ scope, needsKey, isUrgent }: Endpoint): string {
  if (!needsKey) return 'Needs no key.';
  const key = scope === null ? 'Needs any key.' : `Needs a key with the scope \`${scope}\`.`;
  if (isUrgent === false) return key;
  const urgency = isUrgent === true ? 'Never limited' : 'An emergency stop is never limited';
  return `${key} ${urgency}, and served before other requests.`;
}

/** A setting can demand a key for the metrics, too. */
function securityOf({ scope, group, needsKey, errors }: Endpoint): Json {
  const scopes = scope === null ? [] : [scope];
  const secrets = [{ key: scopes }, { session: scopes }];
  if (needsKey) return secrets;
  return group === 'service' && errors.includes('unauthorized') ? [{}, ...secrets] : [];
}
