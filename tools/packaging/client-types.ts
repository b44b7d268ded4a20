import { readFile } from 'node:fs/promises';
import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import { parameterNames } from '@granary/contract/endpoints/declaration/paths';
import type { EndpointTree } from '@granary/contract/endpoints/declaration/slice';
import { endpoints, isEndpoint } from '@granary/contract/endpoints/endpoints';
import { ERROR_CODES } from '@granary/contract/errors';
import { EventReset } from '@granary/contract/events';
import { HistoryExportQuery, HistoryRow, RawReading, ReadingsQuery } from '@granary/contract/exports';
import { DeviceValues, NewestValues } from '@granary/contract/fleet';
import { EVENT_TYPES } from '@granary/contract/outline';
import { ComponentSchemas, type Json, type JsonObject } from '@granary/contract/reference/component-schemas';
import { NAMED_SCHEMAS } from '@granary/contract/reference/named-schemas';

/** Makes the types of the published client: interfaces without a library, which a compiler reads quickly. */

const BASE = new URL('client-base.d.ts', import.meta.url);
const PREFIX = '#/';

/** Types that `client-base.d.ts` names, beside the schemas with a name. */
const FURTHER_NAMED = {
  EventReset,
  DeviceValues,
  NewestValues,
  ReadingsQuery,
  HistoryExportQuery,
  RawReading,
  HistoryRow,
};

/** The client has no methods for what agents, browsers and programs of others ask. */
const NOT_IN_CLIENT = ['console', 'mcp', 'icar', 'reference'];

/** Turns schemas into types; a schema with a name becomes a reference. */
class TypeTexts {
  readonly #schemas = new ComponentSchemas({ ...NAMED_SCHEMAS, ...FURTHER_NAMED }, PREFIX);

  of(schema: unknown): string {
    return typeText(this.#schemas.use(schema, 'answer'));
  }

  /** The declarations of all used schemas with a name. */
  declarations(): string {
    return Object.entries(this.#schemas.schemas)
      .map(([name, schema]) => declaration(name, schema as JsonObject))
      .join('\n\n');
  }
}

function declaration(name: string, schema: JsonObject): string {
  const text = typeText(schema);
  return text.startsWith('{') && text.endsWith('}') && isPlainObject(schema)
    ? `export interface ${name} ${text}`
    : `export type ${name} = ${text};`;
}

const isPlainObject = ({ type, properties }: JsonObject): boolean =>
  type === 'object' && properties !== undefined;

function typeText(schema: Json): string {
  const { $ref, anyOf, enum: values, const: only, type } = schema as JsonObject;
  if (typeof $ref === 'string') return $ref.slice(PREFIX.length);
  if (Array.isArray(anyOf)) return anyOf.map((branch) => unionMember(typeText(branch))).join(' | ');
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'bigint':
      return 'bigint';
    case 'array':
      return `Array<${typeText((schema as JsonObject)['items'] ?? {})}>`;
    case 'object':
      return objectText(schema as JsonObject);
    default:
      return 'unknown';
  }
}

const unionMember = (text: string): string => (text.includes('=>') ? `(${text})` : text);

function objectText({ properties, patternProperties, required, additionalProperties }: JsonObject): string {
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries((properties ?? {}) as JsonObject).map(([name, schema]) => {
    const mark = needed.has(name) ? '' : '?';
    return `${comment((schema as JsonObject)['description'])}${fieldName(name)}${mark}: ${typeText(schema)};`;
  });
  const [pattern] = Object.values((patternProperties ?? {}) as JsonObject);
  const others = pattern ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  if (others !== undefined && others !== null) fields.push(`[name: string]: ${typeText(others)};`);
  if (fields.length === 0) return 'object';
  return `{\n${indented(fields.join('\n'))}\n}`;
}

const fieldName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

const comment = (text: Json | undefined): string =>
  typeof text === 'string' ? `/** ${text.replaceAll('*/', '* /')} */\n` : '';

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');

/** The methods of a group of endpoints, in the form in which `derive` of the client makes them. */
function methodsOf(tree: EndpointTree, types: TypeTexts): string {
  return Object.entries(tree)
    .map(([name, node]) =>
      isEndpoint(node)
        ? methodText(name, node, types)
        : `readonly ${name}: ${group(methodsOf(node, types))};`,
    )
    .join('\n');
}

function methodText(name: string, endpoint: Endpoint, types: TypeTexts): string {
  const ids = parameterNames(endpoint.path).map((one) => `${camelCase(one)}: string`);
  const body = endpoint.body === null ? [] : [bodyArgument(endpoint.body.check.schema, types)];
  const query = endpoint.query === null ? null : queryType(endpoint.query.schema, types);
  const options = 'options?: CallOptions';
  const answer = endpoint.answers[200];
  const result = propertiesOf(answer);
  const doc = comment(endpoint.summary);
  if (answer.envelope !== 'page') {
    const args = [...ids, ...body, ...(query === null ? [] : [`query?: ${query}`]), options];
    const data = answer.envelope === 'data' ? result['data'] : answer.check.schema;
    return `${doc}readonly ${name}: (${args.join(', ')}) => Promise<${types.of(data)}>;`;
  }
  const item = types.of((result['data'] as { items: unknown }).items);
  const page = [...ids, ...(query === null ? [] : [`query?: ${query}`]), options];
  const all = [...ids, `filter?: Omit<${query ?? '{}'}, 'cursor'>`, options];
  return [
    `${doc}readonly ${name}: (${page.join(', ')}) => Promise<Page<${item}>>;`,
    `${comment(`${endpoint.summary} Yields every item of all pages; \`limit\` is the size of a page.`)}readonly ${name}All: (${all.join(', ')}) => AsyncGenerator<${item}, void, undefined>;`,
  ].join('\n');
}

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function bodyArgument(schema: unknown, types: TypeTexts): string {
  const { required, properties } = schema as { required?: readonly string[]; properties?: object };
  const mayBeOmitted = properties !== undefined && (required ?? []).length === 0;
  return `body${mayBeOmitted ? '?' : ''}: ${types.of(schema)}`;
}

/** Numbers are converted to text, because the query of an address is text. */
function queryType(schema: unknown, types: TypeTexts): string {
  return types.of(schema).replace(/\blimit\?: string;/, 'limit?: string | number;');
}

const group = (members: string): string => `{\n${indented(members)}\n}`;

const union = (name: string, values: readonly string[]): string =>
  `export type ${name} = ${values.map((value) => `'${value}'`).join(' | ')};`;

export async function clientTypes(): Promise<string> {
  const types = new TypeTexts();
  const methods = (tree: EndpointTree): string => methodsOf(tree, types);
  const versioned = (name: string): string =>
    `/** A device with its version. */\nreadonly getVersioned: (deviceId: string, options?: CallOptions) => Promise<VersionedDevice<${name}>>;`;
  const { silo, field } = endpoints.devices;
  const { configuration, telemetry } = endpoints;
  const configurationOf = (one: typeof configuration.silo | typeof configuration.field): string => {
    const shape = types.of(dataOf(one.get));
    const patch = types.of(one.update.body?.check.schema);
    return group(
      [
        `${comment(one.get.summary)}get(deviceId: string, options?: CallOptions): Promise<Versioned<${shape}>>;`,
        `${comment(one.update.summary)}update(deviceId: string, patch: ${patch}, options?: CallOptions): Promise<Versioned<${shape}>>;`,
        methods({ versions: one.versions }),
      ].join('\n'),
    );
  };
  const telemetryOf = (one: Endpoint): string => types.of(one.body?.check.schema);
  const telemetryType = `export type DeviceTelemetry = ${telemetryOf(telemetry.silo.send)} | ${telemetryOf(telemetry.field.send)};`;
  const receipt = types.of(dataOf(telemetry.silo.send));
  for (const schema of Object.values(FURTHER_NAMED)) types.of(schema);
  types.of(endpoints.events.stream.answers[200].check.schema);
  types.of(endpoints.health.ready.answers[200].check.schema);
  types.of(NAMED_SCHEMAS['Plant']);
  const client = [
    [
      'devices',
      group(
        `readonly silo: ${group(`${methods(silo)}\n${versioned('SiloDetail')}`)};\nreadonly field: ${group(`${methods(field)}\n${versioned('FieldDetail')}`)};`,
      ),
    ],
    [
      'telemetry',
      group(
        `${methods({ current: telemetry.silo.current, history: telemetry.silo.history })}\n/** For devices that do not use MQTT; resolves when the readings are on disk. */\nreadonly send: (group: 'silo' | 'field', deviceId: string, readings: DeviceTelemetry, options?: CallOptions) => Promise<${receipt}>;`,
      ),
    ],
    ['fieldReadings', group(methods(telemetry.field))],
    [
      'configuration',
      group(
        `readonly silo: ${configurationOf(configuration.silo)};\nreadonly field: ${configurationOf(configuration.field)};`,
      ),
    ],
    ['exports', 'ExportsClient'],
    ['events', 'EventsClient'],
    ['readings', 'ReadingsClient'],
    ['health', 'HealthClient'],
    ['plants', 'PlantsClient'],
  ] as const;
  const written = new Set<string>([...client.map(([name]) => name), ...NOT_IN_CLIENT]);
  const derived = Object.entries<EndpointTree>(endpoints)
    .filter(([name]) => !written.has(name))
    .map(([name, tree]) => [name, group(methods(tree))] as const);
  const members = [...client, ...derived].map(([name, text]) => `readonly ${name}: ${text};`).join('\n');
  return `${[
    (await readFile(BASE, 'utf8')).replace(/^\/\/.*\n+/, ''),
    union('ErrorCode', ERROR_CODES),
    union('EventType', EVENT_TYPES),
    `/** Every endpoint as a method. */\nexport interface Client ${group(members)}`,
    telemetryType,
    types.declarations(),
  ].join('\n\n')}\n`;
}

const propertiesOf = ({ check }: Endpoint['answers'][200]): Record<string, unknown> =>
  (check.schema as unknown as { readonly properties: Record<string, unknown> }).properties;

const dataOf = ({ answers }: Endpoint): unknown => propertiesOf(answers[200])['data'];
