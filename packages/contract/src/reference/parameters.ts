import type { Endpoint, RequestHeader } from '../endpoints/declaration/endpoint.ts';
import { exampleParameter, PATH_PARAMETERS, parameterNames } from '../endpoints/declaration/parameters.ts';
import type { SchemaNode } from '../input/validation-issues.ts';
import type { ComponentSchemas } from './component-schemas.ts';
import { type Json, type JsonObject, toJson } from './json.ts';

interface HeaderDescription {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
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
  'x-actor': {
    name: 'X-Actor',
    description: 'The person or program that asks for the change, for the audit log.',
    schema: { type: 'string', maxLength: 200 },
  },
};

/** The headers of requests, by the names under which a document refers to them. */
export const HEADER_PARAMETERS: JsonObject = Object.fromEntries(
  Object.values(HEADERS).map(({ name, description, schema }) => [
    name,
    { name, in: 'header', required: false, description, schema },
  ]),
);

/** The parameters of the path, the query and the headers of an endpoint. */
export const parametersOf = (endpoint: Endpoint, schemas: ComponentSchemas): Json[] => [
  ...pathParameters(endpoint),
  ...queryParameters(endpoint, schemas),
  ...endpoint.requestHeaders.map((header) => ({ $ref: `#/components/parameters/${HEADERS[header].name}` })),
];

const pathParameters = ({ path, group }: Endpoint): Json[] =>
  parameterNames(path).map((name) => {
    const { description, schema } = PATH_PARAMETERS[name];
    const example = exampleParameter(name, group);
    return { name, in: 'path', required: true, description, schema: toJson(schema), example };
  });

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

/** In a query everything is a text. */
function shownAs(property: SchemaNode): SchemaNode {
  const isSwitch = property.enum?.join() === 'true,false';
  return property['x-shown-as'] ?? (isSwitch ? { type: 'boolean' } : property);
}

const isText = ({ type }: SchemaNode): boolean => type !== 'integer' && type !== 'boolean';
