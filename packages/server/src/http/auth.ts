import { Refusal } from '@granary/contract/errors';
import type { Scope } from '@granary/contract/keys';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Keyring } from '../keys.ts';
import type { RateLimiter } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** Why it may only go on if it turns out to be urgent. */
    doubt: Error | null;
  }
  interface FastifyContextConfig {
    /** What the key must be allowed to do. Every route under /v1 names one. */
    scope?: Scope;
    /**
     * Never limited, and while the storage cannot be asked open to every key that was good when it last could. For
     * what must not wait. A function tells by the body.
     */
    isUrgent?: boolean | ((body: unknown) => boolean);
  }
}

const BEARER = /^bearer +(\S+)$/i;

const bearer = ({ headers }: FastifyRequest): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1];

/** The key of a request that was let in with it. */
export function bearerOf(request: FastifyRequest): string {
  const key = bearer(request);
  if (key === undefined) throw new Error('a request without a key got past the guard');
  return key;
}

/** Knows the caller before a route runs, or refuses. */
export function guard(app: FastifyInstance, keyring: Keyring, limiter: RateLimiter | null): void {
  app.decorateRequest('caller');
  app.decorateRequest('doubt', null);
  app.addHook('onRequest', (request, reply, done) => {
    const key = bearer(request);
    if (key === undefined) return done(new Refusal('unauthorized', 'send Authorization: Bearer <API key>'));
    const recalled = keyring.recall(key);
    if (recalled !== null) return admit(recalled, request, reply, done);
    keyring.identify(key).then(
      (caller) => {
        if (caller === null) done(new Refusal('unauthorized', 'this API key is not valid'));
        else admit(caller, request, reply, done);
      },
      (error: Error) => {
        const remembered = urgencyOf(request) === false ? null : keyring.lastKnown(key);
        if (remembered === null) return done(error);
        request.doubt = error;
        admit(remembered, request, reply, done);
      },
    );
  });
  app.addHook('preHandler', (request, reply, done) => {
    const isUrgent = urgencyOf(request);
    if (typeof isUrgent === 'boolean' || isUrgent(request.body)) return done();
    if (request.doubt !== null) return done(request.doubt);
    attempt(done, () => limiter?.take(request.caller.keyId, reply));
  });

  function admit(
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void {
    attempt(done, () => {
      if (urgencyOf(request) === false) limiter?.take(caller.keyId, reply);
      requireScope(caller, request.routeOptions.config.scope);
      request.caller = caller;
    });
  }
}

const urgencyOf = ({ routeOptions }: FastifyRequest) => routeOptions.config.isUrgent ?? false;

function attempt(done: (error?: Error) => void, check: () => void): void {
  try {
    check();
    done();
  } catch (error) {
    done(error as Refusal);
  }
}

function requireScope(caller: Caller, scope: Scope | undefined): void {
  if (scope === undefined || caller.scopes.includes(scope)) return;
  throw new Refusal('forbidden', `this API key lacks the scope "${scope}"`);
}
