import type { Endpoint } from '../endpoints/declaration/endpoint.ts';
import type { GroupRoots } from '../endpoints/declaration/groups.ts';
import { fillPath, parameterNames } from '../endpoints/declaration/paths.ts';
import { ALL_ENDPOINTS } from '../endpoints/endpoints.ts';
import { Refusal } from '../errors.ts';
import type { SchemaNode } from '../input/validation-issues.ts';
import { ComponentSchemas, type JsonObject, toJson } from './component-schemas.ts';
import { shownAs } from './openapi.ts';

/** An endpoint as a tool of an agent. */
export interface Tool {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** The body that is sent instead of the arguments. */
  readonly fixedBody?: object;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject;
}

/** The set is small, because an agent cannot choose well among all endpoints. Starts are proposals: no tool causes movement. */
const OFFERED: readonly string[] = [
  'fleet.overview',
  'fleet.devices',
  'fleet.alerts',
  'fleet.operations',
  'devices.silo.get',
  'devices.field.get',
  'telemetry.silo.current',
  'telemetry.silo.history',
  'telemetry.field.location',
  'telemetry.field.environment',
  'telemetry.field.history',
  'operations.plan',
  'operations.trace',
  'foresight.forecasts',
  'foresight.forecast',
  'foresight.orderList',
  'foresight.findings',
  'shifts.report',
  'shifts.notes',
  'proposals.list',
  'proposals.get',
  'audit.list',
  'fleet.acknowledgeAlerts',
  'shifts.addNote',
  'proposals.feed',
  'proposals.discharge',
  'operations.stop',
];

const EMERGENCY_STOP = {
  name: 'commands.emergency_stop',
  of: 'commands.give',
  fixedBody: { command: 'emergency_stop' },
  description: 'Stops a field device at once. It stays stopped until a person releases it.',
};

const SCHEMAS = new ComponentSchemas({}, '');

/** Path, query and body as one object, because no endpoint uses a name twice. */
function inputSchemaOf({ parameters, query, body }: Endpoint, isFixed: boolean): JsonObject {
  const ofPath = Object.entries(parameters).map(([name, { schema, description }]) => [
    name,
    { ...(SCHEMAS.use(toJson(schema), 'request') as JsonObject), description },
  ]);
  const queried: SchemaNode = query?.schema ?? {};
  const ofQuery = Object.entries(queried.properties ?? {}).map(([name, property]) => [
    name,
    SCHEMAS.use({ ...shownAs(property), 'x-meaning': property['x-meaning'] }, 'request'),
  ]);
  const sent: SchemaNode = isFixed ? {} : (body?.check.schema ?? {});
  const ofBody = Object.entries(sent.properties ?? {}).map(([name, property]) => [
    name,
    SCHEMAS.use(toJson(property), 'request'),
  ]);
  return toJson({
    type: 'object',
    properties: Object.fromEntries([...ofPath, ...ofQuery, ...ofBody]),
    required: [...Object.keys(parameters), ...(queried.required ?? []), ...(sent.required ?? [])],
    additionalProperties: false,
  }) as JsonObject;
}

function toolOf(name: string, endpoint: Endpoint, fixed?: typeof EMERGENCY_STOP): Tool {
  const isStop = endpoint.isUrgent === true || fixed !== undefined;
  return {
    name: name.replaceAll('.', '_'),
    endpoint,
    ...(fixed === undefined ? {} : { fixedBody: fixed.fixedBody }),
    description: fixed?.description ?? endpoint.summary,
    inputSchema: inputSchemaOf(endpoint, fixed !== undefined),
    annotations: {
      readOnlyHint: !endpoint.isAudited,
      destructiveHint: isStop,
      idempotentHint: isStop || !endpoint.isAudited,
      openWorldHint: false,
    },
  };
}

const endpointNamed = (name: string): Endpoint => {
  const found = ALL_ENDPOINTS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no endpoint ${name}`);
  return found.endpoint;
};

export const agentTools = (): Tool[] => [
  ...OFFERED.map((name) => toolOf(name, endpointNamed(name))),
  toolOf(EMERGENCY_STOP.name, endpointNamed(EMERGENCY_STOP.of), EMERGENCY_STOP),
];

export interface ToolRequest {
  readonly method: Endpoint['method'];
  readonly url: string;
  readonly body?: unknown;
}

const asText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

/** The request of a call; its endpoint checks the values. */
export function requestOf(
  { endpoint, fixedBody, inputSchema }: Tool,
  given: Readonly<Record<string, unknown>>,
  roots: GroupRoots,
): ToolRequest {
  const { method, path, group, query, body } = endpoint;
  const known = inputSchema['properties'] as JsonObject;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw new Refusal('invalid_input', `there is no argument ${JSON.stringify(unknown)}`);
  const parameters = Object.fromEntries(parameterNames(path).map((name) => [name, pathText(given, name)]));
  const rest = Object.entries(given).filter(([name]) => !Object.hasOwn(parameters, name));
  const asked = query === null ? [] : rest.map(([name, value]) => [name, asText(value)]);
  const search = asked.length === 0 ? '' : `?${new URLSearchParams(asked)}`;
  return {
    method,
    url: `${roots[group]}${fillPath(path, parameters)}${search}`,
    ...(body === null ? {} : { body: fixedBody ?? Object.fromEntries(rest) }),
  };
}

/** A segment that consists of dots would lead to another address. */
function pathText(given: Readonly<Record<string, unknown>>, name: string): string {
  const value = Object.hasOwn(given, name) ? given[name] : undefined;
  if (typeof value === 'string' && value !== '' && !/^\.+$/.test(value)) return value;
  throw new Refusal('invalid_input', `the argument ${name} must be an id`);
}
