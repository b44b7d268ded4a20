import assert from 'node:assert/strict';
import { ErrorAnswer } from '../endpoints/declaration/answers.ts';
import type { Endpoint } from '../endpoints/declaration/endpoint.ts';
import { DEFAULT_ADDRESSES, groupRoots } from '../endpoints/declaration/groups.ts';
import { ALL_ENDPOINTS, type NamedEndpoint } from '../endpoints/endpoints.ts';
import { type ErrorCode, STATUS_OF } from '../errors.ts';
import { checker } from '../input/schema.ts';
import { PlantError } from '../plants.ts';

interface Addressed extends NamedEndpoint {
  readonly pattern: RegExp;
}

const ROOTS = groupRoots(DEFAULT_ADDRESSES);

const ADDRESSED: readonly Addressed[] = ALL_ENDPOINTS.map(({ name, endpoint }) => {
  const path = (ROOTS[endpoint.group] + endpoint.path).replace(/\{\w+\}/g, '[^/]*');
  return { name, endpoint, pattern: new RegExp(`^${endpoint.method} ${path}$`) };
});

const checkError = checker(ErrorAnswer);
const checkPlantError = checker(PlantError);

/** What no endpoint is there for may only be refused with one of these, or as something that cannot be read. */
const OF_NO_ENDPOINT: readonly ErrorCode[] = [
  'route_not_found',
  'method_not_allowed',
  'malformed_request',
  'invalid_input',
  'expectation_failed',
  'too_many_connections',
  'service_stopping',
];

const isInGroups = (path: string): boolean =>
  [`${ROOTS.silo}/`, `${ROOTS.field}/`, `${ROOTS.api}/keys`, `${ROOTS.sandbox}/`].some((root) =>
    path.startsWith(root),
  );

/** Every answer in JSON that a test gets has the shape, and every refusal one of the codes, that its endpoint declares. */
export function assertKeepsContract(method: string, path: string, status: number, body: unknown): void {
  const [address = ''] = path.split('?', 1);
  const request = `${method} ${address}`;
  const found = ADDRESSED.find(({ pattern }) => pattern.test(request))?.endpoint;
  if (found === undefined && !isInGroups(address)) return;
  const declared = found?.answers[status];
  if (declared !== undefined) {
    const faults = declared.check.faults(body);
    assert.deepEqual(faults, [], `the answer ${status} to ${request} is not as the contract says`);
    return;
  }
  assert.ok(status >= 400, `the contract has no answer ${status} for ${request}`);
  // Where a setting has moved the plant store away, its usual address is refused like any other.
  const isOfPlantStore = address.startsWith(`${ROOTS.sandbox}/`) && !isUnknownAddress(body);
  if (isOfPlantStore) assertPlantRefusal(request, status, body);
  else assertRefusal(request, found, status, body);
}

const isUnknownAddress = (body: unknown): boolean =>
  checkError.accepts(body) && body.error.code === 'route_not_found';

function assertRefusal(request: string, found: Endpoint | undefined, status: number, body: unknown): void {
  assert.deepEqual(checkError.faults(body), [], `the refusal ${status} of ${request} has another shape`);
  if (!checkError.accepts(body)) return;
  const { code } = body.error;
  assert.equal(STATUS_OF[code], status, `${request} was refused with ${code}`);
  const codes = code === 'route_not_found' ? OF_NO_ENDPOINT : (found?.errors ?? OF_NO_ENDPOINT);
  assert.ok(codes.includes(code), `${request} was refused with ${code}, which its endpoint does not declare`);
}

/** `error` is the status that the same fault has elsewhere; clients that err get 400 or 401. */
function assertPlantRefusal(request: string, status: number, body: unknown): void {
  assert.deepEqual(checkPlantError.faults(body), [], `the refusal ${status} of ${request} has another shape`);
  assert.ok(status >= 500 || status === 400 || status === 401, `${request} was refused with ${status}`);
}
