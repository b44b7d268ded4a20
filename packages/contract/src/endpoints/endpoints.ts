import { CHANGING_SLICES } from '../slices.ts';
import type { Endpoint } from './declaration/endpoint.ts';
import type { EndpointTree } from './declaration/slice.ts';
import { events } from './events.ts';

/** Every slice under its name. */
export const SLICES = { ...CHANGING_SLICES, events };

type Slices = typeof SLICES;

/** All endpoints. */
export const endpoints = Object.fromEntries(
  Object.entries(SLICES).map(([name, slice]) => [name, slice.endpoints]),
) as { readonly [Name in keyof Slices]: Slices[Name]['endpoints'] };

export interface NamedEndpoint {
  /** The name of an endpoint, such as `alerts.silo.acknowledge`. */
  readonly name: string;
  readonly endpoint: Endpoint;
}

export const isEndpoint = (node: Endpoint | EndpointTree): node is Endpoint =>
  typeof node['method'] === 'string';

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
