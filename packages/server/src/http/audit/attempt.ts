import { isUtf8 } from 'node:buffer';
import type { App, WriteSlices } from '@granary/app/app';
import type { Attempt } from '@granary/app/audit/audit-rows';
import { newId } from '@granary/app/ids';
import type { CallerReference } from '@granary/app/transaction';
import { ACTOR_CHARS_MAX } from '@granary/contract/audit';
import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import { ACTIONS } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { checkDeviceId } from '@granary/contract/ids';
import { isSeen } from '@granary/contract/input/seen-text';
import { auditInput, PATH_CHARS_MAX, withoutSecrets } from '@granary/core/audit';
import { secretHolderOf } from '@granary/core/keys';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../process/keys/callers.ts';
import { isUrgentNow } from '../access/urgency.ts';
import type { Attempted } from '../exchange.ts';

const FACILITY_CHARS_MAX = 200;

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes the attempt of a request before its handler runs; `null` if requests of this endpoint are not entered in the audit log. */
    attemptOf?: (request: FastifyRequest, endpoint: Endpoint) => Attempt | null;
  }
}

/** Must be called before the routes are registered. */
export function prepareAttempts(app: FastifyInstance, now: () => number): void {
  app.decorate('attemptOf', (request, endpoint) =>
    endpoint.isAudited ? draftAttempt(request, endpoint, now()) : null,
  );
  app.addHook('onRoute', (route) => {
    const endpoint = route.config?.endpoint;
    if (endpoint === undefined || !endpoint.isAudited) return;
    const check = async (request: FastifyRequest): Promise<void> => refuseBadActor(request, endpoint);
    route.preHandler = [route.preHandler ?? [], check].flat();
  });
}

/** The attempt of a request that writes; `null` where readings are stored, because they are not a change. */
export function attemptToWrite({ request, attempt }: Attempted): Attempt | null {
  const { endpoint } = request.routeOptions.config;
  const isChange = endpoint?.isAudited === true && attempt !== null;
  if (isChange || (endpoint?.isAudited === false && endpoint.method !== 'GET')) return attempt;
  throw new Error(`${endpoint?.method} ${endpoint?.path} must not change anything`);
}

/** Returns the exchange with more about its attempt. */
export const attempting = <X extends Attempted>(exchange: X, more: Partial<Attempt>): X =>
  exchange.attempt === null ? exchange : { ...exchange, attempt: { ...exchange.attempt, ...more } };

/** Returns the exchange with the name of the resource that it is about to make. */
export const creating = <X extends Attempted>(exchange: X, resourceId: string): X =>
  attempting(exchange, { resourceId });

/** Returns the exchange with the caller, where only the body of the request identifies it. Refusals from now on name this caller, too. */
export function actingAs<X extends Attempted>(exchange: X, caller: Caller): X {
  exchange.request.caller = caller;
  return attempting(exchange, { actor: actorOf(exchange.request, caller) });
}

export function draftAttempt(request: FastifyRequest, endpoint: Endpoint, nowMs: number): Attempt {
  const { id, method, url, body, query } = request;
  const { device_id: deviceId = field(body, 'device_id') } = pathParameters(request);
  return {
    attemptId: newId('au', nowMs),
    atMs: nowMs,
    requestId: id,
    actor: request.caller === undefined ? null : actorOf(request, request.caller),
    ...(request.caller === undefined || isUrgentNow(endpoint, body)
      ? {}
      : { caller: referenceOf(request.caller, endpoint, nowMs) }),
    address: request.address,
    action: ACTIONS.get(endpoint) ?? `${method} ${endpoint.path}`,
    method,
    path: withoutSecrets(url.split('?', 1)[0] ?? '').slice(0, PATH_CHARS_MAX),
    deviceId: checkDeviceId.accepts(deviceId) ? deviceId : null,
    facility: textOrNull(field(field(body, 'location') ?? body, 'facility')),
    resourceId: resourceOf(request),
    // Query parameters that the endpoint does not read are not part of its input; those of a sign-in contain a code.
    input: auditInput((endpoint.query === null ? undefined : (query as object | undefined)) ?? {}, body),
  };
}

const pathParameters = ({ params }: FastifyRequest) => (params ?? {}) as Readonly<Record<string, string>>;

/** The resource that the path of a request names beside its device; `null` without one. */
export function resourceOf(request: FastifyRequest): string | null {
  const { device_id: _, ...others } = pathParameters(request);
  return Object.values(others)[0]?.slice(0, PATH_CHARS_MAX) ?? null;
}

const referenceOf = (caller: Caller, { scope }: Endpoint, atMs: number): CallerReference => ({
  keyId: secretHolderOf(caller),
  sessionHash: caller.session?.hash ?? null,
  scope,
  atMs,
});

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= FACILITY_CHARS_MAX && !value.includes('\0') ? value : null;

/** Only a program may name an actor. For a person the key says who it is, and a terminal without a person has no actor. */
const actorOf = (
  request: FastifyRequest,
  { keyId, name, kind, terminal, personalKeyId, personalKeyName = '' }: Caller,
): Attempt['actor'] => ({
  key_id: keyId,
  key_name: name,
  actor: kind === 'service' ? givenActor(request) : null,
  ...(personalKeyId === null ? {} : { by_key: { key_id: personalKeyId, name: personalKeyName } }),
  ...(terminal === null ? {} : { terminal: { key_id: terminal.keyId, name: terminal.name } }),
  ...agentOf(request),
});

/** The header of requests that `/mcp` sends to the service itself. A caller who sets it needlessly is entered as an agent. */
export const AGENT_HEADER = 'x-agent';

function agentOf(request: FastifyRequest): { readonly agent?: string } {
  if (request.headers[AGENT_HEADER] === undefined) return {};
  return { agent: givenName(request, AGENT_HEADER) ?? 'unnamed' };
}

/** The name in the header `X-Actor`; `null` without the header and for a name that is not valid. */
const givenActor = (request: FastifyRequest): string | null => givenName(request, 'x-actor');

function givenName({ headers }: FastifyRequest, name: string): string | null {
  const header = headers[name];
  if (typeof header !== 'string') return null;
  // Node reads each byte of a header as one character.
  const bytes = Buffer.from(header, 'latin1');
  const actor = isUtf8(bytes) ? bytes.toString().trim() : '';
  return actor !== '' && isSeen(actor) && [...actor].length <= ACTOR_CHARS_MAX ? actor : null;
}

/** Refuses a request whose `X-Actor` is not valid; a stop is never refused because of a header. */
function refuseBadActor(request: FastifyRequest, endpoint: Endpoint): void {
  if (request.headers['x-actor'] === undefined || isUrgentNow(endpoint, request.body)) return;
  // Routes that need no key have no caller.
  const { caller } = request as Partial<FastifyRequest>;
  // A program that uses a key of a person is not refused because of the header; the name of the person counts.
  if ((caller?.personalKeyId ?? null) !== null) return;
  if (caller !== undefined && caller.kind !== 'service') {
    throw new Refusal('invalid_input', 'only a program names a person in X-Actor', [
      { path: '/x-actor', message: 'must be left out by people who have signed in' },
    ]);
  }
  if (givenActor(request) !== null) return;
  throw new Refusal('invalid_input', 'the header X-Actor is not valid', [
    { path: '/x-actor', message: `must be 1 to ${ACTOR_CHARS_MAX} printable characters in UTF-8` },
  ]);
}

/** The writes of a request that has no idempotency key, each of which is entered in the audit log. */
export type Changes = (exchange: Attempted) => WriteSlices;

export const changesOf =
  (app: Pick<App, 'within'>): Changes =>
  (exchange) =>
    app.within(exchange.request.time).audited(attemptToWrite(exchange));
