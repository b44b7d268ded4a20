import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { Refusal } from '@granary/contract/errors';
import { SESSION_COOKIE, type SignIn } from '@granary/contract/session';
import { DAY_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { CODE_MS_USUAL, sessionRecord } from '@granary/core/session';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../process/keys/keyring.ts';
import { hashSecret, newSessionSecret, newSignInCode } from '../../process/keys/secrets.ts';
import { type AccessChecks, faultOfKey, refusalOfUnknown } from '../access/auth.ts';
import { sessionSecret } from '../access/credentials.ts';
import { isEncrypted, refusalOfForeignSignIn } from '../access/own-page.ts';
import { RATE_LIMIT_HEADERS } from '../access/rate-limit.ts';
import { actsAs } from '../audit/attempt.ts';
import { success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** As long as a session lasts at most; the service ends it earlier where it is not used. */
const LASTS_S = (30 * DAY_MS) / SECOND_MS;

/** Sign-in, for which the body names the key. */
export function signInRoutes(routes: FastifyInstance, parts: RouteDependencies, checks: AccessChecks): void {
  const { changes, keyring, settings, now } = parts;
  const { failedLogins, limiter } = checks;

  register(routes, endpoints.session.create, async (request, reply, read) => {
    const foreign = refusalOfForeignSignIn(request, settings.publicUrl);
    if (foreign !== null) throw foreign;
    const given = read.body(request);
    const caller = await identify(given, request, reply);
    limiter?.take(caller.keyId, reply);
    actsAs(request, caller);
    const secret = newSessionSecret();
    const former = sessionSecret(request);
    const created = await changes(request).session.create({
      keyId: caller.keyId,
      hash: hashSecret(secret),
      nowMs: now(),
      formerHash: former === undefined ? null : hashSecret(former),
      codeHash: 'code' in given ? hashSecret(given.code) : null,
    });
    if (created === undefined) {
      // Another browser used the code meanwhile: refused like a caller without a key, whose answer shows no limits of one.
      for (const header of RATE_LIMIT_HEADERS) reply.removeHeader(header);
      throw refusalOf(given, request, reply);
    }
    reply.header('set-cookie', sessionCookie(secret, isEncrypted(request)));
    return success(sessionRecord(created.key, created.session));
  });

  async function identify(given: SignIn, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const caller = await ('api_key' in given
      ? keyring.identify(given.api_key)
      : keyring.keyOfCode(given.code));
    if (caller === null) throw refusalOf(given, request, reply);
    return caller;
  }

  function refusalOf(given: SignIn, request: FastifyRequest, reply: FastifyReply): Refusal {
    const fault =
      'api_key' in given
        ? faultOfKey(given.api_key)
        : 'this sign-in link was used before or has ended; "granary console" prints a new one';
    return refusalOfUnknown(failedLogins, fault, request, reply);
  }
}

/** The session of a caller who is known by cookie or by key. */
export function sessionRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { changes, idempotency, now } = parts;

  register(routes, endpoints.session.get, async ({ caller }) =>
    success(sessionRecord(caller, caller.session)),
  );

  register(routes, endpoints.session.end, async (request, reply) => {
    const { caller } = request;
    await changes(request).session.end(caller.session?.hash ?? null);
    reply.header('set-cookie', removedCookie(isEncrypted(request)));
    return success(sessionRecord(caller, null));
  });

  register(routes, endpoints.session.createCode, async (request, reply, read) => {
    const { valid_seconds: validS } = read.body(request);
    const createdAtMs = now();
    const code = newSignInCode();
    const stored = {
      hash: hashSecret(code),
      keyId: request.caller.keyId,
      createdAtMs,
      expiresAtMs: createdAtMs + (validS === undefined ? CODE_MS_USUAL : validS * SECOND_MS),
    };
    const { result, secret } = await idempotency.onceWithSecret(request, reply, code, (slices) =>
      slices.session.createCode(stored),
    );
    return success({ code: secret, expires_at: toIso(result.expiresAtMs) });
  });
}

const cookie = (value: string, lastsS: number, isEncrypted: boolean): string =>
  [
    `${SESSION_COOKIE}=${value}`,
    `Max-Age=${lastsS}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    ...(isEncrypted ? ['Secure'] : []),
  ].join('; ');

const sessionCookie = (secret: string, isEncrypted: boolean): string => cookie(secret, LASTS_S, isEncrypted);

const removedCookie = (isEncrypted: boolean): string => cookie('', 0, isEncrypted);
