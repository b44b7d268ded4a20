import { REQUEST_MS_MAX } from '@granary/common/request-time';
import { LATE, within } from '@granary/common/within';
import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { Scope } from '@granary/contract/keys';
import { SECOND_MS } from '@granary/contract/time';
import { hasScope } from '@granary/core/keys';
import { isShared } from '@granary/core/session';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { deadlineOf, lateIfFailing, UrgentDeadline } from '../../devices/sending/urgent-deadline.ts';
import type { Caller } from '../../process/keys/callers.ts';
import type { Keyring } from '../../process/keys/keyring.ts';
import {
  type Credential,
  isOfSession,
  isWellFormedKey,
  KEY_PREFIX,
  sessionCredential,
} from '../../process/keys/secrets.ts';
import type { Settings } from '../../process/settings.ts';
import type { Reads } from '../request-limit.ts';
import { callerNetwork } from './caller-address.ts';
import { bearer, credentialOf, namesBearer, sessionSecret } from './credentials.ts';
import { requireFactor } from './factor-of-administrators.ts';
import type { FailedLogins } from './failed-logins.ts';
import { refusalOfForeignPage } from './own-page.ts';
import type { RateLimiter } from './rate-limit.ts';
import { type Done, onceBodyTells, scopeOf } from './urgency.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** The look-up of the key, while it is still running; the caller is then only the last known one. */
    pendingIdentity: Promise<Caller | null> | null;
    /** `null` for a request that is not urgent. */
    deadline: UrgentDeadline | null;
  }
}

export interface AccessChecks {
  readonly keyring: Keyring;
  readonly limiter: RateLimiter | null;
  readonly failedLogins: FailedLogins;
  readonly settings: Pick<Settings, 'console' | 'publicUrl'>;
  readonly reads: Reads;
}

/** Authenticates the caller before a route runs, or refuses. */
export function checkAccess(app: FastifyInstance, checks: AccessChecks): void {
  const { keyring, limiter, failedLogins, settings } = checks;
  app.decorateRequest('caller');
  app.decorateRequest('pendingIdentity', null);
  app.decorateRequest('deadline', null);
  app.addHook('onRequest', (request, reply, done) => {
    const key = bearer(request);
    if (key === undefined) admitSession(request, reply, done);
    else admitBy(key, request, reply, done);
  });
  onceBodyTells(app, (isUrgent, request, reply, done) => {
    if (isUrgent) return done();
    const limit = () =>
      attempt(done, () => {
        limiter?.take(request.caller.keyId, reply);
        requireScope(request.caller, request.routeOptions.config.endpoint?.scope ?? null);
      });
    if (request.pendingIdentity === null) return limit();
    // The request turned out not to be urgent, so the key must be checked and not only last known.
    const credential = credentialOf(request);
    const finish: Done = (error) => (error === undefined ? limit() : done(error));
    awaitIdentity(request, request.pendingIdentity).then(
      (caller) => admitKnown(caller, credential, request, reply, finish),
      done,
    );
  });

  // The check is added to these routes only, because each hook costs time on every request.
  app.addHook('onRoute', (route) => {
    if (route.config?.endpoint?.scope !== 'admin') return;
    const check = (request: FastifyRequest): Promise<void> =>
      requireFactor(request.caller, checks.reads(request));
    route.preHandler = [route.preHandler ?? [], check].flat();
  });

  /** The cookie of a browser counts where no key is sent. */
  function admitSession(request: FastifyRequest, reply: FastifyReply, done: Done): void {
    const secret = settings.console && !namesBearer(request) ? sessionSecret(request) : undefined;
    if (secret === undefined) {
      done(new Refusal('unauthorized', 'send Authorization: Bearer <API key>'));
      return;
    }
    const foreign = refusalOfForeignPage(request, settings.publicUrl);
    if (foreign === null) admitBy(sessionCredential(secret), request, reply, done);
    else done(foreign);
  }

  function admitBy(credential: Credential, request: FastifyRequest, reply: FastifyReply, done: Done): void {
    // The options are read once, because a request computes them again at each access.
    const { endpoint } = request.routeOptions.config;
    const isUrgent = (endpoint?.isUrgent ?? false) !== false;
    if (isUrgent) request.deadline = new UrgentDeadline();
    const cached = keyring.cached(credential);
    if (cached !== null) {
      admit(cached, endpoint, request, reply, done);
      return;
    }
    const identified = isUrgent
      ? identifyUrgently(keyring, credential, request)
      : keyring.identify(credential);
    awaitIdentity(request, identified).then(
      (caller) => admitKnown(caller, credential, request, reply, done),
      done,
    );
  }

  function admitKnown(
    caller: Caller | null,
    credential: Credential,
    request: FastifyRequest,
    reply: FastifyReply,
    done: Done,
  ): void {
    if (caller !== null) {
      admit(caller, request.routeOptions.config.endpoint, request, reply, done);
      return;
    }
    // A cookie cannot be guessed, and a browser sends that of an ended session until its user signs in again.
    const refusal = isOfSession(credential)
      ? new Refusal('unauthorized', 'this session has ended; sign in again')
      : refusalOfUnknown(failedLogins, faultOfKey(credential), request, reply);
    done(refusal);
  }

  function admit(
    caller: Caller,
    endpoint: Endpoint | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    done: Done,
  ): void {
    // This is also done for a request that is refused, because the audit log names its caller.
    request.caller = caller;
    attempt(done, () => {
      if ((endpoint?.isUrgent ?? false) === false) limiter?.take(caller.keyId, reply);
      if (endpoint === undefined) return;
      requireScope(caller, scopeOf(endpoint, undefined));
      refuseAtTerminal(caller, endpoint);
    });
  }
}

/**
 * Counts the failure. After many of them the answer asks the caller to wait. Nothing enforces the wait: other callers at the same
 * address must not wait for these failures, and a key cannot be guessed.
 */
export function refusalOfUnknown(
  failedLogins: FailedLogins,
  fault: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Refusal {
  const waitMs = failedLogins.record(callerNetwork(request.address));
  if (waitMs === 0) return new Refusal('unauthorized', fault);
  reply.header('retry-after', Math.ceil(waitMs / SECOND_MS));
  return new Refusal('too_many_failed_logins', `${fault} (and many others from this address were not)`);
}

export function faultOfKey(key: string): string {
  const isMistyped = key.startsWith(KEY_PREFIX) && !isWellFormedKey(key);
  return isMistyped ? 'this API key is not valid: it looks mistyped or cut off' : 'this API key is not valid';
}

/** The caller, or the last known one if the storage does not answer in time; refused if the key was not used here before. */
async function identifyUrgently(
  keyring: Keyring,
  credential: Credential,
  request: FastifyRequest,
): Promise<Caller | null> {
  const deadline = deadlineOf(request);
  const identifying = keyring.identify(credential, true);
  const identified = await lateIfFailing(within(deadline.left('lookUpMs'), identifying));
  if (identified !== LATE) return identified;
  const lastKnown = keyring.lastKnown(credential);
  if (lastKnown !== null) {
    request.pendingIdentity = identifying;
    return lastKnown;
  }
  const identifiedLater = await lateIfFailing(within(deadline.left('answerMs'), identifying));
  if (identifiedLater !== LATE) return identifiedLater;
  throw new Refusal(
    'storage_unavailable',
    'the storage does not answer and this key was not used here in the last day, so nothing was sent; use the stop at the device itself',
  );
}

/** The time limit is needed because a look-up that begins while others run waits for one of them, which may take longer than a request may. */
async function awaitIdentity(
  request: FastifyRequest,
  identified: Promise<Caller | null>,
): Promise<Caller | null> {
  const begunAtMs = performance.now();
  try {
    const caller = await within(REQUEST_MS_MAX, identified);
    if (caller !== LATE) return caller;
    throw new Refusal('storage_unavailable', 'the storage does not answer');
  } finally {
    request.identifyingMs += performance.now() - begunAtMs;
  }
}

function attempt(done: Done, check: () => void): void {
  try {
    check();
    done();
  } catch (error) {
    done(error as Refusal);
  }
}

/** The endpoints that a shared terminal may use although they concern its own session. */
const OF_TERMINALS: ReadonlySet<Endpoint> = new Set<Endpoint>([
  endpoints.terminals.signIn,
  endpoints.terminals.stay,
  endpoints.terminals.lock,
  endpoints.confirmations.create,
]);

/**
 * At a shared terminal nobody may change what belongs to a caller, such as sessions and passwords, because a PIN is enough to sign
 * in there. While nobody has signed in, only a stop may change anything.
 */
function refuseAtTerminal({ kind, terminal }: Caller, endpoint: Endpoint): void {
  const isLocked = isShared(kind);
  if ((!isLocked && terminal === null) || endpoint.method === 'GET' || OF_TERMINALS.has(endpoint)) return;
  const { scope, isAudited } = endpoint;
  const isStop = scopeOf(endpoint, undefined) === 'stop';
  if (scope !== null && (isStop || !isLocked || !isAudited)) return;
  throw new Refusal('forbidden', 'this cannot be done at a shared terminal or display');
}

function requireScope(caller: Caller, scope: Scope | null): void {
  if (scope === null || hasScope(caller, scope)) return;
  throw new Refusal('forbidden', `this API key lacks the scope "${scope}"`);
}
