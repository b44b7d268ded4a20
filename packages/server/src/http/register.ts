import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import type { PathParameters } from '@granary/contract/endpoints/declaration/paths';
import type { Page, Success } from '@granary/contract/envelope';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from './access/request-turns.ts';
import { isUrgentNow } from './access/urgency.ts';
import type { Exchange } from './exchange.ts';
import { accept } from './protocol/answers.ts';
import { answerInTime } from './request-limit.ts';

/** Longer lists are written in parts of this many entries. */
export const ENTRIES_PER_PART = 100;

interface Answer {
  readonly data: object;
}

/** Whether the data is a list, or has a list directly in it, that would take long to be written at once. */
export function hasLongList(answer: unknown): answer is Answer {
  const { data } = (answer ?? {}) as Partial<Answer>;
  return typeof data === 'object' && data !== null && (isLong(data) || Object.values(data).some(isLong));
}

/** The answer as JSON, written in parts; the data comes last. */
export async function longListJson(
  { data, ...rest }: Answer,
  nextPart: () => Promise<void>,
): Promise<string> {
  const json = isLong(data) ? await listJson(data, nextPart) : await objectJson(data, nextPart);
  return `${JSON.stringify(rest).slice(0, -1)},"data":${json}}`;
}

async function objectJson(data: object, nextPart: () => Promise<void>): Promise<string> {
  const members: string[] = [];
  for (const [name, value] of Object.entries(data)) {
    const json = isLong(value) ? await listJson(value, nextPart) : JSON.stringify(value);
    if (json !== undefined) members.push(`${JSON.stringify(name)}:${json}`);
  }
  return `{${members.join()}}`;
}

async function listJson(list: readonly unknown[], nextPart: () => Promise<void>): Promise<string> {
  const parts: string[] = [];
  for (let start = 0; start < list.length; start += ENTRIES_PER_PART) {
    if (start > 0) await nextPart();
    parts.push(JSON.stringify(list.slice(start, start + ENTRIES_PER_PART)).slice(1, -1));
  }
  return `[${parts.join()}]`;
}

const isLong = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > ENTRIES_PER_PART;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint of this route in the contract; every route has one. */
    endpoint?: Endpoint;
  }
}

type QueryOf<E> = E extends Endpoint<string, infer Query, infer _Body, infer _Result> ? Query : never;
type BodyOf<E> = E extends Endpoint<string, infer _Query, infer Body, infer _Result> ? Body : never;
type ResultOf<E> = E extends Endpoint<string, infer _Query, infer _Body, infer Result> ? Result : never;

/** The answer type of any of several endpoints. */
type AnswerOf<E> = [ResultOf<E>] extends [Page<infer Item>]
  ? Page<Item>
  : [ResultOf<E>] extends [Success<infer Data>]
    ? Success<Data>
    : ResultOf<E>;

type EndpointRequest<E extends Endpoint> = FastifyRequest<{ Params: PathParameters<E['path']> }>;

export interface EndpointExchange<E extends Endpoint> extends Exchange {
  readonly request: EndpointRequest<E>;
  readonly read: InputReader<E>;
}

/**
 * Validates the input of a request against its schemas. A handler calls it after it has looked up the resource of the path,
 * because an unknown resource is refused before an invalid body.
 */
interface InputReader<E extends Endpoint> {
  query(request: FastifyRequest): QueryOf<E>;
  body(request: FastifyRequest): BodyOf<E>;
}

type Handler<E extends Endpoint> = (exchange: EndpointExchange<E>) => Promise<AnswerOf<E> | FastifyReply>;

/** Registers the route of an endpoint with method, path, scope, urgency and schemas of the contract. */
export function register<E extends Endpoint>(
  routes: FastifyInstance,
  endpoint: E,
  handler: Handler<E>,
): void {
  // How many readings may wait to be stored is limited by the ingest itself.
  const needsNoPlace = (endpoint.method === 'GET' && !isPage(endpoint)) || endpoint.scope === 'ingest';
  registerHandler(routes, endpoint, inTurn(inTime(routes, endpoint, handler), endpoint, needsNoPlace));
}

/** Registers a route that compares a password or PIN: how many wait is limited where they are compared, and writes do not wait for them. */
export function registerComparing<E extends Endpoint>(
  routes: FastifyInstance,
  endpoint: E,
  handler: Handler<E>,
): void {
  registerHandler(routes, endpoint, inTurn(inTime(routes, endpoint, handler), endpoint, true));
}

function inTime<E extends Endpoint>(routes: FastifyInstance, endpoint: E, handler: Handler<E>): Handler<E> {
  if (routes.limitsRequests !== true || endpoint.isUrgent === true) return handler;
  return (exchange) => answerInTime(endpoint, exchange.request, () => handler(exchange));
}

/** Registers a route whose work grows with the size of its answer: each of its calls has a time limit, but all together have none. */
export function registerLong<E extends Endpoint>(
  routes: FastifyInstance,
  endpoint: E,
  handler: Handler<E>,
  bodyBytesMax?: number,
): void {
  registerHandler(routes, endpoint, inTurn(handler, endpoint, false), bodyBytesMax);
}

/** Registers a route for questions that must not be refused because many ask at once, such as those of the broker about devices. */
export const registerAtOnce = registerHandler;

/** Everything but a stop waits for its turn; a long list is written in parts. */
function inTurn<E extends Endpoint>(handler: Handler<E>, endpoint: E, needsNoPlace: boolean): Handler<E> {
  return (exchange) => {
    const { request, reply } = exchange;
    if (isUrgentNow(endpoint, request.body)) return handler(exchange);
    const { turns } = request.server;
    const caller = callerOf(request);
    const work = async (): Promise<AnswerOf<E> | FastifyReply> => {
      const answer = await handler(exchange);
      if (!hasLongList(answer)) return answer;
      const json = await longListJson(answer, () => turns.nextPart(caller));
      return reply.type('application/json; charset=utf-8').send(json);
    };
    return needsNoPlace ? turns.run(caller, work) : turns.runInPlace(caller, work);
  };
}

function registerHandler<E extends Endpoint>(
  routes: FastifyInstance,
  endpoint: E,
  handler: Handler<E>,
  bodyBytesMax?: number,
): void {
  const read = inputReader(endpoint);
  routes.route<{ Params: PathParameters<E['path']> }>({
    method: endpoint.method,
    url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { endpoint },
    ...(bodyBytesMax === undefined ? {} : { bodyLimit: bodyBytesMax }),
    // An answer that is made while it is sent has no known length, so there is no HEAD.
    exposeHeadRoute: !isMadeWhileSent(endpoint),
    handler: (request, reply) =>
      handler({ request, reply, read, attempt: routes.attemptOf?.(request, endpoint) ?? null }),
  });
}

/** Whether the answer is a page of a list. Many long lists at once would all be late, so each of them needs a place. */
const isPage = ({ answers }: Endpoint): boolean => answers[200].envelope === 'page';

const isMadeWhileSent = ({ answers }: Endpoint): boolean =>
  answers[200].mediaType === 'text/event-stream' || answers[200].envelope === 'rows';

function inputReader<E extends Endpoint>({ query, body, path }: E): InputReader<E> {
  return {
    query: (request) => {
      if (query === null) throw new Error(`${path} has no query to read`);
      return accept(query, request.query, 'query') as QueryOf<E>;
    },
    body: (request) => {
      if (body === null) throw new Error(`${path} has no body to read`);
      const sent = body.isOptional ? (request.body ?? {}) : request.body;
      return accept(body.check, sent, body.noun) as BodyOf<E>;
    },
  };
}

/** Must be called before the routes are registered. */
export function refuseUndeclaredRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.endpoint === undefined) throw new Error(`${method} ${url} is no endpoint of the contract`);
  });
}
