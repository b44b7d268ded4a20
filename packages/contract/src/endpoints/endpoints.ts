import { alarmHelp } from './alarm-help.ts';
import { alerts } from './alerts.ts';
import { bridges } from './bridges.ts';
import { bulk } from './bulk.ts';
import { commands } from './commands.ts';
import { configuration } from './configuration.ts';
import { confirmations } from './confirmations.ts';
import { console } from './console.ts';
import type { Endpoint } from './declaration/endpoint.ts';
import { devices } from './devices.ts';
import { audit, events } from './events.ts';
import { exports } from './exports.ts';
import { fleet } from './fleet.ts';
import { foresight } from './foresight.ts';
import { health } from './health.ts';
import { icar } from './icar.ts';
import { keys } from './keys.ts';
import { mcp } from './mcp.ts';
import { me } from './me.ts';
import { missions } from './missions.ts';
import { notifications } from './notifications.ts';
import { operations } from './operations.ts';
import { people } from './people.ts';
import { plants } from './plants.ts';
import { proposals } from './proposals.ts';
import { push } from './push.ts';
import { reference } from './reference.ts';
import { reports } from './reports.ts';
import { session } from './session.ts';
import { shifts } from './shifts.ts';
import { signOn } from './sign-on.ts';
import { site } from './site.ts';
import { fieldTelemetry, readings, siloTelemetry } from './telemetry.ts';
import { terminals } from './terminals.ts';
import { views } from './views.ts';
import { webhooks } from './webhooks.ts';

/** All endpoints. */
export const endpoints = {
  devices,
  telemetry: { silo: siloTelemetry, field: fieldTelemetry },
  operations,
  proposals,
  alerts,
  commands,
  missions,
  configuration,
  fleet,
  bulk,
  foresight,
  shifts,
  reports,
  views,
  bridges,
  alarmHelp,
  exports,
  keys,
  people,
  me,
  push,
  session,
  signOn,
  terminals,
  confirmations,
  notifications,
  site,
  icar,
  events,
  readings,
  webhooks,
  audit,
  plants,
  console,
  mcp,
  health,
  reference,
};

export interface NamedEndpoint {
  /** The name of an endpoint, such as `alerts.silo.acknowledge`. */
  readonly name: string;
  readonly endpoint: Endpoint;
}

interface EndpointTree {
  readonly [name: string]: Endpoint | EndpointTree;
}

const isEndpoint = (node: Endpoint | EndpointTree): node is Endpoint => typeof node['method'] === 'string';

function namedEndpoints(tree: EndpointTree, prefix: string): NamedEndpoint[] {
  return Object.entries(tree).flatMap(([key, node]) =>
    isEndpoint(node)
      ? [{ name: `${prefix}${key}`, endpoint: node }]
      : namedEndpoints(node, `${prefix}${key}.`),
  );
}

export const ALL_ENDPOINTS: readonly NamedEndpoint[] = namedEndpoints(endpoints, '');

const GROUP_IN_NAME = /\.(silo|field)\./;

/** The names of the actions, such as `alerts.acknowledge`, which are the same for both device groups. */
export const ACTIONS: ReadonlyMap<Endpoint, string> = new Map(
  ALL_ENDPOINTS.map(({ name, endpoint }) => [endpoint, name.replace(GROUP_IN_NAME, '.')]),
);
