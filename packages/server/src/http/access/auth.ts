import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import { Refusal } from '@granary/contract/errors';
import type { Scope } from '@granary/contract/keys';
import { SECOND_MS } from '@granary/contract/time';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isWellFormedKey, KEY_PREFIX } from '../../keys/key-format.ts';
import type { Caller, Keyring } from '../../keys/keyring.ts';
import { lateIfFailing } from '../../urgent/storage-faults.ts';
import { deadlineOf, UrgentDeadline } from '../../urgent/urgent-deadline.ts';
import { LATE, within } from '../../urgent/within.ts';
import type { FailedLogins } from './failed-logins.ts';
import type { RateLimiter } from './rate-limit.ts';
import { callerAddress } from './remote-address.ts';
import { type Done, onceBodyTells } from './urgency.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** The look-up of the key, while it is still running; the caller is then only the last known one. */
    pendingIdentity: Promise<Caller | null> | null;
    /** `null` for a request that is not urgent. */
    deadline: UrgentDeadline | null;
  }
}

const BEARER = /^bearer +(\S+)$/i;

const bearer = ({ headers }: FastifyRequest): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1];

/** The key of an authenticated request. */
export function bearerOf(request: FastifyRequest): string {
  const key = bearer(request);
  if (key === undefined) throw new Error('a request without a key passed the access check');
  return key;
}

export interface AccessChecks {
  readonly keyring: Keyring;
  readonly limiter: RateLimiter | null;
  readonly failedLogins: FailedLogins;
}

/** Authenticates the caller before a route runs, or refuses. */
export function checkAccess(app: FastifyInstance, { keyring, limiter, failedLogins }: AccessChecks): void {
  app.decorateRequest('caller');
  app.decorateRequest('pendingIdentity', null);
  app.decorateRequest('deadline', null);
  app.addHook('onRequest', (request, reply, done) => {
    const key = bearer(request);
    if (key === undefined) return done(new Refusal('unauthorized', 'send Authorization: Bearer <API key>'));
    // Read once, because a request computes its options again at each access.
    const { endpoint } = request.routeOptions.config;
    const isUrgent = (endpoint?.isUrgent ?? false) !== false;
    if (isUrgent) request.deadline = new UrgentDeadline();
    const cached = keyring.cached(key);
    if (cached !== null) return admit(cached, endpoint, request, reply, done);
    // A known key is not refused because of wrong keys from the same address, and a stop is never refused without a check.
    const mayBeGood = isUrgent || keyring.lastKnown(key) !== null;
    const waitMs = mayBeGood ? 0 : failedLogins.waitMs(addressOf(request));
    if (waitMs > 0) return done(tooManyFailures(waitMs, reply));
    const identified = isUrgent ? identifyUrgently(keyring, key, request) : keyring.identify(key);
    identified.then((caller) => admitKnown(caller, key, request, reply, done), done);
  });
  onceBodyTells(app, (isUrgent, request, reply, done) => {
    if (isUrgent) return done();
    const limit = () => attempt(done, () => limiter?.take(request.caller.keyId, reply));
    if (request.pendingIdentity === null) return limit();
    // The request turned out not to be urgent, so the key must be checked and not only last known.
    const key = bearerOf(request);
    const finish: Done = (error) => (error === undefined ? limit() : done(error));
    request.pendingIdentity.then((caller) => admitKnown(caller, key, request, reply, finish), done);
  });

  function admitKnown(
    caller: Caller | null,
    key: string,
    request: FastifyRequest,
    reply: FastifyReply,
    done: Done,
  ): void {
    if (caller !== null) {
      admit(caller, request.routeOptions.config.endpoint, request, reply, done);
      return;
    }
    const address = addressOf(request);
    const waitMs = failedLogins.waitMs(address);
    failedLogins.record(address);
    done(waitMs > 0 ? tooManyFailures(waitMs, reply) : unknownKey(key));
  }

  function admit(
    caller: Caller,
    endpoint: Endpoint | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    done: Done,
  ): void {
    // Also for a request that is refused, because the audit log names its caller.
    request.caller = caller;
    attempt(done, () => {
      if ((endpoint?.isUrgent ?? false) === false) limiter?.take(caller.keyId, reply);
      requireScope(caller, endpoint?.scope ?? null);
    });
  }
}

function unknownKey(key: string): Refusal {
  const isMistyped = key.startsWith(KEY_PREFIX) && !isWellFormedKey(key);
  return new Refusal(
    'unauthorized',
    isMistyped ? 'this API key is not valid: it looks mistyped or cut off' : 'this API key is not valid',
  );
}

/** The caller, or the last known one if the storage does not answer in time; refused if the key was not used here before. */
async function identifyUrgently(
  keyring: Keyring,
  key: string,
  request: FastifyRequest,
): Promise<Caller | null> {
  const deadline = deadlineOf(request);
  const identifying = keyring.identify(key, true);
  const identified = await lateIfFailing(within(deadline.left('lookUpMs'), identifying));
  if (identified !== LATE) return identified;
  const lastKnown = keyring.lastKnown(key);
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

function attempt(done: Done, check: () => void): void {
  try {
    check();
    done();
  } catch (error) {
    done(error as Refusal);
  }
}

function tooManyFailures(waitMs: number, reply: FastifyReply): Refusal {
  reply.header('retry-after', Math.ceil(waitMs / SECOND_MS));
  return new Refusal('too_many_failed_logins', 'too many API keys from this address were not valid');
}

const addressOf = ({ socket }: FastifyRequest): string => callerAddress(socket.remoteAddress);

function requireScope(caller: Caller, scope: Scope | null): void {
  if (scope === null || caller.scopes.includes(scope)) return;
  throw new Refusal('forbidden', `this API key lacks the scope "${scope}"`);
}
