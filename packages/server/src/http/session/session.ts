import type { UsedChallenge } from '@granary/app/session/used-once';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { SESSION_COOKIE, type SessionRecord, type SignIn } from '@granary/contract/session';
import { DAY_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { isValidAt, secretHolderOf } from '@granary/core/keys';
import type { UsedFactor } from '@granary/core/people';
import { CODE_MS_USUAL, isShared, listedSession, sessionIdOf, sessionRecord } from '@granary/core/session';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Caller, callerOf } from '../../process/keys/callers.ts';
import { newChallenge, usableChallenge } from '../../process/keys/challenges.ts';
import { checkedPasskey, isSignedBy } from '../../process/keys/passkeys.ts';
import { hashSecret, isInviteCode, newSessionSecret, newSignInCode } from '../../process/keys/secrets.ts';
import { faultOfKey, refusalOfUnknown } from '../access/auth.ts';
import { knownNetwork } from '../access/caller-address.ts';
import { bearer, sessionSecret } from '../access/credentials.ts';
import { isEncrypted, isPasskeyOrigin, refusalOfForeignSignIn } from '../access/own-page.ts';
import { RATE_LIMIT_HEADERS } from '../access/rate-limit.ts';
import { actingAs } from '../audit/attempt.ts';
import type { Exchange } from '../exchange.ts';
import { success } from '../protocol/answers.ts';
import { register, registerComparing } from '../register.ts';
import { sharedRead } from '../request-limit.ts';
import type { Parts } from '../route-dependencies.ts';
import { challengeKeyFor } from './challenge-key.ts';

const BROWSER_CHARS_MAX = 300;

/** The address of the browser, and the name that it gives itself. */
export const browserOf = ({ address, headers }: FastifyRequest) => ({
  address,
  browser: (headers['user-agent'] ?? '').slice(0, BROWSER_CHARS_MAX),
});

/** The longest time of a session; the service ends it earlier when it is not used. */
const LASTS_S = (30 * DAY_MS) / SECOND_MS;
/** The longest time for which browsers keep a cookie. */
const SHARED_LASTS_S = (400 * DAY_MS) / SECOND_MS;

interface Identified {
  readonly caller: Caller;
  readonly factor?: UsedFactor;
  /** The stored form with which the password was compared. */
  readonly checkedPassword?: string | null;
  /** The challenge that the passkey has signed. */
  readonly challenge?: UsedChallenge;
}

/** The routes of sign-in; the credential is in the body of the request. */
export function signInRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'changes' | 'keyring' | 'now' | 'checks'>,
): void {
  const { reads, changes, keyring, settings, now } = parts;
  const { failedLogins, limiter, passwords } = parts.checks;
  const challengeKey = challengeKeyFor(parts);

  register(routes, endpoints.session.challenge, async (exchange) => {
    const { request } = exchange;
    const foreign = refusalOfForeignSignIn(request, settings.publicUrl);
    if (foreign !== null) throw foreign;
    const { challenge, expiresAtMs } = newChallenge(await challengeKey(exchange), now());
    return success({ challenge, expires_at: toIso(expiresAtMs) });
  });

  registerComparing(routes, endpoints.session.create, async (exchange) => {
    const { request, reply, read } = exchange;
    const foreign = refusalOfForeignSignIn(request, settings.publicUrl);
    if (foreign !== null) throw foreign;
    const given = read.body(request);
    const { caller, ...proof } = await identify(given, exchange);
    limiter?.take(caller.keyId, reply);
    const secret = newSessionSecret();
    const former = sessionSecret(request);
    const created = await changes(actingAs(exchange, caller)).session.create({
      keyId: secretHolderOf(caller),
      hash: hashSecret(secret),
      nowMs: now(),
      formerHash: former === undefined ? null : hashSecret(former),
      codeHash: codeHashOf(given),
      from: browserOf(request),
      place: knownNetwork(request.address),
      ...proof,
      ...('invite' in given ? { password: await hashChosen(request, caller, given.password) } : {}),
    });
    if (created === undefined) {
      // Another browser has used the code meanwhile. The refusal is that of a caller without a key, whose answer shows no limits of a key.
      for (const header of RATE_LIMIT_HEADERS) reply.removeHeader(header);
      throw refusalOf(given, exchange);
    }
    const signedIn = callerOf(created.key, created.session);
    reply.header('set-cookie', sessionCookie(secret, isEncrypted(request), signedIn));
    return success(callerRecord(signedIn));
  });

  async function identify(given: SignIn, exchange: Exchange): Promise<Identified> {
    if ('login' in given) return await identifyPerson(given, exchange);
    if ('passkey' in given) return await identifyByPasskey(given, exchange);
    const identified = 'api_key' in given ? keyring.identify(given.api_key) : identifyByCode(given);
    const caller = await sharedRead(exchange.request, identified);
    if (caller === null) throw refusalOf(given, exchange);
    return { caller };
  }

  /** An invitation does not count as a sign-in code: it is used up only when a password is chosen. */
  async function identifyByCode(given: SignIn): Promise<Caller | null> {
    const code = codeOf(given);
    return code === null || isInviteCode(code) !== 'invite' in given ? null : await keyring.keyOfCode(code);
  }

  async function identifyPerson(
    given: Extract<SignIn, { login: string }>,
    exchange: Exchange,
  ): Promise<Identified> {
    const wrongCode = () => new Refusal('unauthorized', 'the code is not right, or was used before');
    const proven = await passwords.prove(given, exchange, wrongCode);
    if (proven === null) throw refusalOf(given, exchange);
    const caller = callerOf({ ...proven.person, personalKeyId: null });
    const { stored: checkedPassword, factor } = proven.checked;
    return factor === null ? { caller, checkedPassword } : { caller, checkedPassword, factor };
  }

  /** The passkey tells who the person is, so nobody has to type a name. */
  async function identifyByPasskey(
    given: Extract<SignIn, { passkey: object }>,
    exchange: Exchange,
  ): Promise<Identified> {
    const { passkey } = given;
    const { request } = exchange;
    const isOwn = (origin: string) => isPasskeyOrigin(request.headers, origin, settings.publicUrl);
    const checked = checkedPasskey(passkey, { type: 'webauthn.get', isOwn });
    const key = await challengeKey(exchange);
    const challenge = checked === null ? null : usableChallenge(checked.challenge, key, now());
    const stored =
      challenge === null ? undefined : await reads(request).people.findPasskey(passkey.credential_id);
    const isIts = stored?.rpId === checked?.rpId;
    const person =
      stored === undefined || !isIts || !isSignedBy(stored.publicKey, passkey)
        ? undefined
        : await reads(request).people.find(stored.keyId);
    if (checked === null || challenge === null || person === undefined || !isValidAt(person, now())) {
      throw refusalOf(given, exchange);
    }
    return {
      caller: callerOf({ ...person, personalKeyId: null }),
      factor: { credentialId: passkey.credential_id, signCount: checked.signCount },
      challenge,
    };
  }

  /** The stored form of the password that an invited person has chosen. A password that is refused does not use up the code. */
  async function hashChosen(request: FastifyRequest, { keyId }: Caller, password: string): Promise<string> {
    const person = await reads(request).people.find(keyId);
    if (person === undefined) throw new Error('an invitation without a person');
    return await passwords.hashNew(password, person, request);
  }

  function refusalOf(given: SignIn, { request, reply }: Exchange): Refusal {
    if ('passkey' in given) {
      return refusalOfUnknown(
        failedLogins,
        'this passkey is not known here, or was used wrongly',
        request,
        reply,
      );
    }
    if ('invite' in given) {
      const fault = 'this invitation was used before or has ended; ask for a new one';
      return refusalOfUnknown(failedLogins, fault, request, reply);
    }
    if ('login' in given) return new Refusal('unauthorized', 'the name or the password is not right');
    const fault =
      'api_key' in given
        ? faultOfKey(given.api_key)
        : 'this sign-in link was used before or has ended; "granary console" prints a new one';
    return refusalOfUnknown(failedLogins, fault, request, reply);
  }
}

const codeHashOf = (given: SignIn): string | null => {
  const code = codeOf(given);
  return code === null ? null : hashSecret(code);
};

/** The sign-in code or invitation of the request; `null` without one. */
function codeOf(given: SignIn): string | null {
  if ('code' in given) return given.code;
  return 'invite' in given ? given.invite : null;
}

/** The routes of the session of a caller who is known by cookie or by key. */
export function sessionRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'changes' | 'idempotency' | 'now'>,
): void {
  const { reads, changes, idempotency, now } = parts;

  register(routes, endpoints.session.get, async ({ request, reply }) => {
    const { caller } = request;
    const secret = bearer(request) === undefined ? sessionSecret(request) : undefined;
    // The cookie is sent again, because browsers keep a cookie for a limited time and a terminal is never signed in again.
    if (secret !== undefined && isShared(ownerKind(caller))) {
      reply.header('set-cookie', sessionCookie(secret, isEncrypted(request), caller));
    }
    return success(callerRecord(caller));
  });

  register(routes, endpoints.session.list, async ({ request }) =>
    success(
      (await reads(request).session.list(secretHolderOf(request.caller), now())).map((one) =>
        listedSession(one, request.caller.session),
      ),
    ),
  );

  register(routes, endpoints.session.endOthers, async (exchange) => {
    const { request } = exchange;
    const { session } = request.caller;
    const keyId = secretHolderOf(request.caller);
    await changes(exchange).session.endOthers(keyId, session?.hash ?? null);
    return success(
      (await reads(request).session.list(keyId, now())).map((one) => listedSession(one, session)),
    );
  });

  register(routes, endpoints.session.endOne, async (exchange) => {
    const { request } = exchange;
    const { caller, params } = request;
    const all = await reads(request).session.list(secretHolderOf(caller), now());
    const session = all.find((one) => sessionIdOf(one) === params.session_id);
    if (session === undefined) {
      throw new Refusal('session_not_found', `there is no session ${quoted(params.session_id)}`);
    }
    await changes(exchange).session.end(session.hash);
    return success(listedSession(session, caller.session));
  });

  register(routes, endpoints.session.end, async (exchange) => {
    const { request, reply } = exchange;
    const { caller } = request;
    await changes(exchange).session.end(caller.session?.hash ?? null);
    reply.header('set-cookie', removedCookie(isEncrypted(request)));
    return success(callerRecord({ ...caller, session: null }));
  });

  register(routes, endpoints.session.createCode, async (exchange) => {
    const { request, read } = exchange;
    const { valid_seconds: validS } = read.body(request);
    const createdAtMs = now();
    const code = newSignInCode();
    const stored = {
      hash: hashSecret(code),
      keyId: secretHolderOf(request.caller),
      sessionHash: request.caller.session?.hash ?? null,
      createdAtMs,
      expiresAtMs: createdAtMs + (validS === undefined ? CODE_MS_USUAL : validS * SECOND_MS),
    };
    const { result, secret } = await idempotency.onceWithSecret(exchange, code, (slices) =>
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

export const sessionCookie = (secret: string, isEncrypted: boolean, caller?: Caller): string =>
  cookie(secret, caller !== undefined && isShared(ownerKind(caller)) ? SHARED_LASTS_S : LASTS_S, isEncrypted);

/** The kind of the key that the session belongs to, whoever has signed in over the session. */
const ownerKind = ({ kind, terminal }: Caller): Caller['kind'] => (terminal === null ? kind : 'terminal');

/** What a caller is told about itself. */
export const callerRecord = (caller: Caller): SessionRecord => {
  const { session, terminal } = caller;
  return sessionRecord(caller, session, terminal && { key_id: terminal.keyId, name: terminal.name });
};

const removedCookie = (isEncrypted: boolean): string => cookie('', 0, isEncrypted);
