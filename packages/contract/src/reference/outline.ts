import type { Endpoint } from '../endpoints/declaration/endpoint.ts';
import type { EndpointOutline, OutlineTree } from '../endpoints/declaration/outline.ts';
import type { EndpointTree, Slice } from '../endpoints/declaration/slice.ts';
import { endpoints, isEndpoint, SLICES } from '../endpoints/endpoints.ts';
import { EVENT_DATA } from '../logged-event.ts';
import { PROFILES } from '../profiles/profiles.ts';

function outlineOf({ group, method, path, isUrgent, query, body, requestHeaders, answers }: Endpoint) {
  return {
    group,
    method,
    path,
    ...(isUrgent === false ? {} : { isUrgent }),
    ...(query === null ? {} : { hasQuery: true }),
    ...(body === null ? {} : { hasBody: true }),
    ...(requestHeaders.includes('idempotency-key') ? { hasIdempotencyKey: true } : {}),
    ...(answers[200].envelope === 'page' ? { isPage: true } : {}),
  } satisfies EndpointOutline;
}

const outlinesOf = (tree: EndpointTree): OutlineTree =>
  Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [name, isEndpoint(node) ? outlineOf(node) : outlinesOf(node)]),
  );

const profileOutlines = Object.fromEntries(
  Object.entries(PROFILES).map(([name, { group, channels, capabilities }]) => [
    name,
    { group, channels, capabilities },
  ]),
);

const constants: Readonly<Record<string, unknown>> = Object.assign(
  {
    ENDPOINT_OUTLINES: outlinesOf(endpoints),
    EVENT_TYPES: Object.keys(EVENT_DATA),
    PROFILE_NAMES: Object.keys(PROFILES),
  },
  ...Object.values<Slice>(SLICES).map(({ values }) => values),
);

/** The source of the module `outline.ts`; `json` writes a value as JSON for people. */
export const outlineModule = (json: (value: unknown) => string): string => `/*
 * What callers need of the endpoints, events, profiles and closed lists of values. \`npm run references\` makes this file from their
 * declarations, so that the client and the operators' page need neither the schemas nor the library that checks them.
 */
import type { ProfileOutline } from './profiles/profile.ts';

${Object.entries(constants)
  .map(([name, value]) => `export const ${name} = ${json(value).trimEnd()} as const;\n`)
  .join('')}
export const PROFILE_OUTLINES: Readonly<Record<(typeof PROFILE_NAMES)[number], ProfileOutline>> = ${json(profileOutlines).trimEnd()};
`;
