import type { PersonInSession } from '@granary/app/people/people';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import type { Me } from '@granary/contract/me';
import type { Passkey } from '@granary/contract/passkeys';
import { sentence } from '@granary/contract/sentences/codes';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import { keyRecord } from '@granary/core/keys';
import {
  personRecord,
  type StoredPasskey,
  type StoredPerson,
  type StoredSecondFactor,
} from '@granary/core/people';
import { isEasyPin } from '@granary/core/terminals';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { usableChallenge } from '../process/keys/challenges.ts';
import { draftKey, issuedKey } from '../process/keys/keyring.ts';
import { checkedPasskey, passkeyPublicKey } from '../process/keys/passkeys.ts';
import { firstStep, newRecoveryCodes, recoveryHashOf } from '../process/keys/second-factor.ts';
import { hashSecret } from '../process/keys/secrets.ts';
import { isPasskeyOrigin } from './access/own-page.ts';
import { refuseShort } from './access/password-checks.ts';
import { creating } from './audit/attempt.ts';
import type { Exchange } from './exchange.ts';
import { success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';
import { challengeKeyFor } from './session/challenge-key.ts';

/** The number of networks with wrong secrets that a person is shown; further ones would tell nothing more. */
const WRONG_SECRETS_SHOWN_MAX = 50;

interface PersonWithSession extends StoredPerson {
  readonly inSession: PersonInSession;
}

/** The person of a request, for the routes with which people see and change themselves. */
class OwnAccount {
  readonly #parts: Parts<'reads' | 'checks' | 'now'>;

  constructor(parts: Parts<'reads' | 'checks' | 'now'>) {
    this.#parts = parts;
  }

  async requirePerson(request: FastifyRequest): Promise<StoredPerson> {
    const { caller } = request;
    const person =
      caller.kind === 'person' ? await this.#parts.reads(request).people.find(caller.keyId) : undefined;
    if (person !== undefined) return person;
    throw new Refusal('forbidden', 'this is for people who have signed in, and not for API keys');
  }

  /** Refuses personal keys: a key must not give itself more than it has. */
  async requireSession(request: FastifyRequest): Promise<PersonWithSession> {
    const { session, personalKeyId } = request.caller;
    if (session !== null && personalKeyId === null) {
      const person = await this.requirePerson(request);
      return { ...person, inSession: { personId: person.keyId, sessionHash: session.hash } };
    }
    throw new Refusal('forbidden', 'this is for people who have signed in themselves, and not for API keys');
  }

  async requirePassword(person: StoredPerson, password: string, exchange: Exchange): Promise<void> {
    const { passwords } = this.#parts.checks;
    if ((await passwords.identify(person.login, password, exchange)) === null) {
      throw new Refusal('wrong_password', 'the present password is not right');
    }
  }

  async record(request: FastifyRequest, personId: string): Promise<Me> {
    const { reads, now } = this.#parts;
    const person = await reads(request).people.find(personId);
    if (person === undefined) throw new Error('a person who has signed in is missing');
    return {
      person: personRecord(person),
      has_password: person.hasPassword,
      passkeys: (await reads(request).people.passkeys(personId)).map(passkeyRecord),
      wrong_secrets: (await reads(request).guesses.wrongSecrets(personId, now()))
        .slice(0, WRONG_SECRETS_SHOWN_MAX)
        .map(({ kind, place, count, firstAtMs, lastAtMs }) => ({
          kind,
          from: place,
          count,
          first_at: toIso(firstAtMs),
          last_at: toIso(lastAtMs),
        })),
      has_pin: (await reads(request).terminals.pinOf(personId)) !== null,
      recovery_codes_left: person.recoveryCodesLeft,
    };
  }
}

/** What people see and change of themselves. */
export function meRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'changes' | 'idempotency' | 'now' | 'checks'>,
): void {
  const account = new OwnAccount(parts);
  accountRoutes(routes, parts, account);
  ownPasskeyRoutes(routes, parts, account);
  ownKeyRoutes(routes, parts, account);
}

function accountRoutes(
  routes: FastifyInstance,
  { changes, now, checks: { passwords } }: Parts<'changes' | 'now' | 'checks'>,
  account: OwnAccount,
): void {
  register(routes, endpoints.me.get, async ({ request }) => {
    const { keyId } = await account.requirePerson(request);
    return success(await account.record(request, keyId));
  });

  register(routes, endpoints.me.changePassword, async (exchange) => {
    const { request, read } = exchange;
    const person = await account.requireSession(request);
    const { current_password: current, password } = read.body(request);
    await account.requirePassword(person, current, exchange);
    const stored = await passwords.hashNew(password, person, request);
    const { keyId, inSession } = person;
    const change = { keyId, keptHash: inSession.sessionHash, password: stored };
    if ((await changes(exchange).session.changePassword(change)) === undefined) throw sessionEnded();
    return success(await account.record(request, keyId));
  });

  register(routes, endpoints.me.changeSecondFactor, async (exchange) => {
    const { request, read } = exchange;
    const person = await account.requireSession(request);
    const wanted = read.body(request);
    await account.requirePassword(person, wanted.current_password, exchange);
    const codes = wanted.secret === null ? [] : newRecoveryCodes();
    // A person who goes back to the password alone needs a long password.
    if (wanted.secret === null) refuseShort(wanted.current_password, false);
    const factor = wanted.secret === null ? null : newFactor(wanted.secret, wanted.code, codes, now());
    const changed = await changes(exchange).people.changeSecondFactor(person.inSession, factor);
    if (changed === undefined) throw sessionEnded();
    return success({ recovery_codes: codes });
  });

  register(routes, endpoints.me.setPin, async (exchange) => {
    const { request, read } = exchange;
    const person = await account.requireSession(request);
    const { current_password: current, pin } = read.body(request);
    if (isEasyPin(pin)) {
      throw new Refusal('invalid_input', 'the PIN is not valid', [issueOf('/pin', sentence('is_too_easy'))]);
    }
    await account.requirePassword(person, current, exchange);
    const hashed = await passwords.hashPin(pin, request);
    if ((await changes(exchange).terminals.setPin(person.inSession, hashed)) === undefined)
      throw sessionEnded();
    return success(await account.record(request, person.keyId));
  });

  register(routes, endpoints.me.unlink, async (exchange) => {
    const { request, read } = exchange;
    const person = await account.requireSession(request);
    const { keyId, inSession } = person;
    const { current_password: password } = read.body(request);
    // A person without a password is told below that there is no other way to sign in.
    if (person.hasPassword) await account.requirePassword(person, password, exchange);
    if ((await changes(exchange).people.unlinkOwn(inSession)) === undefined) throw sessionEnded();
    return success(await account.record(request, keyId));
  });
}

function newFactor(
  secret: string,
  code: string,
  codes: readonly string[],
  nowMs: number,
): StoredSecondFactor {
  const lastStep = firstStep(secret, code, nowMs);
  if (lastStep === null)
    throw new Refusal('wrong_code', 'the code does not belong to this secret at this time');
  return { secret, lastStep, recoveryHashes: codes.map(recoveryHashOf) };
}

function ownPasskeyRoutes(
  routes: FastifyInstance,
  { reads, changes, settings, now }: Parts<'settings' | 'reads' | 'changes' | 'now'>,
  account: OwnAccount,
): void {
  const challengeKey = challengeKeyFor({ reads, changes });

  register(routes, endpoints.me.addPasskey, async (exchange) => {
    const { request, read } = exchange;
    const person = await account.requireSession(request);
    const { current_password: password, ...given } = read.body(request);
    if (!person.hasPassword) {
      throw new Refusal('passkey_needs_password', 'whoever has no password cannot add a passkey');
    }
    await account.requirePassword(person, password, exchange);
    const isOwn = (origin: string) => isPasskeyOrigin(request.headers, origin, settings.publicUrl);
    const checked = checkedPasskey(given, { type: 'webauthn.create', isOwn });
    const key = await challengeKey(exchange);
    const challenge = checked === null ? null : usableChallenge(checked.challenge, key, now());
    const isUsable =
      checked?.credentialId === given.credential_id && passkeyPublicKey(given.public_key) !== null;
    const added =
      checked === null || challenge === null || !isUsable
        ? undefined
        : await changes(exchange).people.addPasskey(
            {
              credentialId: given.credential_id,
              keyId: person.keyId,
              name: given.name,
              rpId: checked.rpId,
              publicKey: given.public_key,
              signCount: checked.signCount,
              createdAtMs: now(),
              lastUsedAtMs: null,
            },
            { challenge, sessionHash: person.inSession.sessionHash },
          );
    if (added === undefined) {
      throw new Refusal('passkey_refused', 'this passkey was not made here and now, or is known already');
    }
    return success(await account.record(request, person.keyId));
  });

  register(routes, endpoints.me.removePasskey, async (exchange) => {
    const { request, read } = exchange;
    const person = await account.requireSession(request);
    const { keyId, inSession } = person;
    await account.requirePassword(person, read.body(request).current_password, exchange);
    const { passkey_id: wanted } = request.params;
    const all = await reads(request).people.passkeys(keyId);
    const passkey = all.find((one) => passkeyIdOf(one) === wanted);
    if (passkey === undefined)
      throw new Refusal('passkey_not_found', `you have no passkey ${quoted(wanted)}`);
    const removed = await changes(exchange).people.removePasskey(inSession, passkey.credentialId);
    if (removed === undefined) throw sessionEnded();
    return success(await account.record(request, keyId));
  });
}

function ownKeyRoutes(
  routes: FastifyInstance,
  { reads, changes, idempotency, now }: Parts<'reads' | 'changes' | 'idempotency' | 'now'>,
  account: OwnAccount,
): void {
  register(routes, endpoints.me.keys, async ({ request }) => {
    const { keyId } = await account.requirePerson(request);
    return success((await reads(request).keys.listPersonal(keyId, now())).map(keyRecord));
  });

  register(routes, endpoints.me.createKey, async (exchange) => {
    const { request, read } = exchange;
    const { keyId: ownerId } = await account.requireSession(request);
    const { key, stored } = draftKey(read.body(request), now());
    const { result, secret } = await idempotency.onceWithSecret(
      creating(exchange, stored.keyId),
      key,
      (slices) => slices.keys.createPersonal({ ...stored, ownerId }),
    );
    return success(issuedKey(result, secret));
  });

  register(routes, endpoints.me.revokeKey, async (exchange) => {
    const { request } = exchange;
    const { key_id: keyId } = request.params;
    const isItself = request.caller.personalKeyId === keyId;
    const person = await (isItself ? account.requirePerson(request) : account.requireSession(request));
    const own = await reads(request).keys.listPersonal(person.keyId, now());
    if (!own.some((key) => key.keyId === keyId)) {
      throw new Refusal('key_not_found', `you have no key ${quoted(keyId)}`);
    }
    return success(keyRecord(await changes(exchange).keys.revoke(keyId, now())));
  });
}

const sessionEnded = (): Refusal => new Refusal('unauthorized', 'this session has ended; sign in again');

const PASSKEY_ID_CHARS = 24;

const passkeyIdOf = ({ credentialId }: StoredPasskey): string =>
  hashSecret(credentialId).slice(0, PASSKEY_ID_CHARS);

const passkeyRecord = (passkey: StoredPasskey): Passkey => ({
  passkey_id: passkeyIdOf(passkey),
  name: passkey.name,
  created_at: toIso(passkey.createdAtMs),
  last_used_at: toIsoOrNull(passkey.lastUsedAtMs),
});
