import { ERROR_CODES, type ErrorCode } from '../../errors.ts';
import type { Scope } from '../../keys.ts';
import { PATH_PARAMETERS, parameterNames } from './parameters.ts';

/** The error codes of every endpoint: the request is malformed, a limit is reached, or the service fails. */
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

interface Request {
  readonly needsKey: boolean;
  readonly method: string;
  readonly path: string;
  readonly scope: Scope | null;
  readonly isUrgent: boolean | ((body: unknown) => boolean);
}

/** The specific codes of an endpoint, and those that follow from its method, path and scope. */
export function errorsOf(
  { needsKey, method, path, scope, isUrgent }: Request,
  own: readonly ErrorCode[],
): readonly ErrorCode[] {
  const names = parameterNames(path);
  // Neither a body nor an Idempotency-Key may refuse an urgent request.
  const isAlwaysUrgent = isUrgent === true;
  const codes = new Set<ErrorCode>([...OF_ALL, ...own]);
  const add = (isPossible: boolean, more: readonly ErrorCode[]): void => {
    if (isPossible) for (const code of more) codes.add(code);
  };
  add(needsKey, OF_KEYS);
  // Every request but a stop may have to wait, and too many cannot; a service that ends serves stops only.
  add(!isAlwaysUrgent, ['rate_limited', 'service_stopping']);
  add(scope !== null, ['forbidden']);
  add(method !== 'GET', ['storage_full']);
  add(method !== 'GET' && !isAlwaysUrgent, OF_BODIES);
  add(method === 'POST' && needsKey && !isAlwaysUrgent, OF_IDEMPOTENCY_KEYS);
  // A segment of the path can be longer than any id.
  add(names.length > 0, ['route_not_found']);
  for (const name of names) codes.add(PATH_PARAMETERS[name].notFound);
  add(method !== 'GET' && names.includes('device_id'), ['device_removed']);
  return ERROR_CODES.filter((code) => codes.has(code));
}
