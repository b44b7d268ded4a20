import { ERROR_CODES, type ErrorCode } from '../../errors.ts';
import type { Checker } from '../../input/schema.ts';
import type { Scope } from '../../keys.ts';
import type { Answer } from './answers.ts';
import { type GroupName, groupNeedsKey } from './groups.ts';
import { type Parameters, parametersOf } from './parameters.ts';
import type { PathParameters } from './paths.ts';
import type { UrgentBody } from './urgent-body.ts';

/** The error codes that every endpoint has: the request is malformed, a limit is reached, or the service fails. */
const OF_ALL: readonly ErrorCode[] = [
  'invalid_input',
  'malformed_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'too_many_connections',
  'internal_error',
];

const OF_BODIES: readonly ErrorCode[] = ['malformed_json', 'body_too_large', 'unsupported_media_type'];

const OF_KEYS: readonly ErrorCode[] = [
  'unauthorized',
  'cross_site_request',
  'too_many_failed_logins',
  'storage_unavailable',
];

const OF_IDEMPOTENCY_KEYS: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_key_reused'];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type RequestHeader =
  | 'if-match'
  | 'if-none-match'
  | 'last-event-id'
  | 'idempotency-key'
  | 'x-actor'
  | 'x-confirmation';

/** A body in JSON, or in one of the other media types. */
export interface BodyInput<Body> {
  readonly check: Checker<Body>;
  /** The noun in a refusal: "the … is not valid". */
  readonly noun: string;
  /** Whether the body may be missing; a request without a body counts as one with `{}`. */
  readonly isOptional: boolean;
  /** Further media types in which the body can be sent. */
  readonly alternatives: readonly string[];
}

/** A request that the tests send, and that the documents show. */
export interface Example<Parameters = Readonly<Record<string, string>>, Query = unknown, Body = unknown> {
  readonly summary: string;
  readonly parameters: Parameters;
  readonly query?: Query;
  readonly body?: Body;
  readonly headers?: Readonly<Partial<Record<RequestHeader, string>>>;
  /** The error code of the expected refusal; without one the answer is a success. */
  readonly refusal?: ErrorCode;
}

/** The declaration of one endpoint, from which routes, the client and the documents are derived. */
export interface Endpoint<Path extends string = string, Query = unknown, Body = unknown, Result = unknown> {
  readonly group: GroupName;
  readonly method: Method;
  /** The path relative to the root of the group, with its parameters in braces. */
  readonly path: Path;
  /** The parameters of the path in their order. */
  readonly parameters: Parameters;
  /** The number of the endpoint in the interface of 17 endpoints that this service was made for; `null` for a further endpoint. */
  readonly number: number | null;
  readonly summary: string;
  /** Whether callers must name a key. */
  readonly needsKey: boolean;
  /** The scope that the key must have; `null` if any key is accepted, or none is needed. */
  readonly scope: Scope | null;
  /** Urgent requests are never limited and are served first; where it depends on the body, its fields say so. */
  readonly isUrgent: boolean | UrgentBody;
  /** Whether requests are entered in the audit log. Every change is entered; readings are data, and a plan changes nothing. */
  readonly isAudited: boolean;
  /** `null` if query parameters are ignored. */
  readonly query: Checker<Query> | null;
  readonly body: BodyInput<Body> | null;
  readonly requestHeaders: readonly RequestHeader[];
  readonly answers: Readonly<Record<number, Answer<Result>>> & { readonly 200: Answer<Result> };
  /** Every error code of the endpoint. */
  readonly errors: readonly ErrorCode[];
  readonly examples: readonly Example<PathParameters<Path>, Query, Body>[];
}

/** A declared example, in which the default ids may be omitted. */
export type ExampleDeclaration<Parameters, Query, Body> = Omit<
  Example<Parameters, Query, Body>,
  'parameters'
> & {
  readonly parameters?: Partial<Parameters>;
};

interface Declaration<Path extends string, Query, Body, Result> {
  readonly number?: number | null;
  readonly summary: string;
  readonly scope?: Scope;
  /** Given only if the endpoint differs from the others of its group. */
  readonly needsKey?: boolean;
  readonly isUrgent?: Endpoint['isUrgent'];
  /** `false` for an endpoint that stores readings, or that changes nothing; `true` for a `GET` that changes something. */
  readonly isAudited?: boolean;
  readonly query?: Checker<Query>;
  readonly body?: BodyInput<Body>;
  readonly requestHeaders?: readonly RequestHeader[];
  readonly answers: Endpoint<Path, Query, Body, Result>['answers'];
  /** The specific error codes; the others follow from path, scope, method and group. */
  readonly errors?: readonly ErrorCode[];
  readonly examples: readonly ExampleDeclaration<PathParameters<Path>, NoInfer<Query>, NoInfer<Body>>[];
}

export const body = <Body>(
  check: Checker<Body>,
  noun: string,
  alternatives: readonly string[] = [],
): BodyInput<Body> => ({ check, noun, isOptional: false, alternatives });

export const optionalBody = <Body>(check: Checker<Body>, noun: string): BodyInput<Body> => ({
  ...body(check, noun),
  isOptional: true,
});

/** Declares endpoints of a slice whose paths have parameters that no other slice has. */
export const endpointsWith =
  (own: Parameters) =>
  <const Path extends string, Result, Query = undefined, Body = undefined>(
    group: GroupName,
    method: Method,
    path: Path,
    declared: Declaration<NoInfer<Path>, Query, Body, Result>,
  ): Endpoint<Path, Query, Body, Result> =>
    declaredEndpoint(group, method, path, parametersOf(path, group, own), declared);

export const endpoint = endpointsWith({});

function declaredEndpoint<Path extends string, Query, Body, Result>(
  group: GroupName,
  method: Method,
  path: Path,
  parameters: Parameters,
  declared: Declaration<Path, Query, Body, Result>,
): Endpoint<Path, Query, Body, Result> {
  const {
    number = null,
    summary,
    scope = null,
    isUrgent = false,
    query = null,
    body = null,
    answers,
  } = declared;
  const needsKey = declared.needsKey ?? groupNeedsKey(group);
  const usual = Object.fromEntries(Object.entries(parameters).map(([name, { example }]) => [name, example]));
  const idempotencyKey: readonly RequestHeader[] = method === 'POST' && needsKey ? ['idempotency-key'] : [];
  const isAudited = declared.isAudited ?? method !== 'GET';
  const actor: readonly RequestHeader[] = isAudited && method !== 'GET' ? ['x-actor'] : [];
  const isConfirmed = declared.errors?.includes('confirmation_required') ?? false;
  const confirmation: readonly RequestHeader[] = isConfirmed ? ['x-confirmation'] : [];
  return {
    group,
    method,
    path,
    parameters,
    number,
    summary,
    needsKey,
    scope,
    isUrgent,
    isAudited,
    query,
    body,
    answers,
    requestHeaders: [...(declared.requestHeaders ?? []), ...idempotencyKey, ...actor, ...confirmation],
    errors: errorsOf({ needsKey, method, parameters, scope, isUrgent }, declared.errors ?? []),
    examples: declared.examples.map((example) => ({
      ...example,
      parameters: { ...usual, ...example.parameters } as PathParameters<Path>,
    })),
  };
}

interface Request {
  readonly needsKey: boolean;
  readonly method: string;
  readonly parameters: Parameters;
  readonly scope: Scope | null;
  readonly isUrgent: Endpoint['isUrgent'];
}

/** The specific codes of an endpoint, and those that follow from its method, path and scope. */
function errorsOf(
  { needsKey, method, parameters, scope, isUrgent }: Request,
  own: readonly ErrorCode[],
): readonly ErrorCode[] {
  const notFound = Object.values(parameters).map((parameter) => parameter.notFound);
  // Neither a body nor an Idempotency-Key may refuse an urgent request.
  const isAlwaysUrgent = isUrgent === true;
  const codes = new Set<ErrorCode>([...OF_ALL, ...own]);
  const add = (isPossible: boolean, more: readonly ErrorCode[]): void => {
    if (isPossible) for (const code of more) codes.add(code);
  };
  add(needsKey, OF_KEYS);
  // Every request except a stop may have to wait, and too many are refused; a service that is ending serves only stops.
  add(!isAlwaysUrgent, ['rate_limited', 'service_stopping']);
  add(scope !== null, ['forbidden']);
  // At a shared terminal a person may do less than elsewhere.
  add(method !== 'GET' && needsKey, ['forbidden']);
  add(method !== 'GET', ['storage_full']);
  add(method !== 'GET' && !isAlwaysUrgent, OF_BODIES);
  add(method === 'POST' && needsKey && !isAlwaysUrgent, OF_IDEMPOTENCY_KEYS);
  // A segment of the path can be longer than any id, and then no route has it.
  add(notFound.length > 0, ['route_not_found', ...notFound]);
  add(method !== 'GET' && Object.hasOwn(parameters, 'device_id'), ['device_removed']);
  return ERROR_CODES.filter((code) => codes.has(code));
}
