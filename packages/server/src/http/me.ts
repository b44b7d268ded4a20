import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { Me } from '@granary/contract/me';
import { keyRecord } from '@granary/core/keys';
import { personRecord, type StoredPerson, type StoredSecondFactor } from '@granary/core/people';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { draftKey, issuedKey } from '../process/keys/keyring.ts';
import { firstStep, newRecoveryCodes, recoveryHashOf } from '../process/keys/second-factor.ts';
import { type PasswordChecks, refuseShort } from './access/password-checks.ts';
import { creates } from './audit/attempt.ts';
import { success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { RouteDependencies } from './route-dependencies.ts';

/** What people see and change of themselves. */
export function meRoutes(
  routes: FastifyInstance,
  { app, changes, idempotency, now }: RouteDependencies,
  passwords: PasswordChecks,
): void {
  async function requirePerson({ caller }: FastifyRequest): Promise<StoredPerson> {
    const person = caller.kind === 'person' ? await app.people.find(caller.keyId) : undefined;
    if (person !== undefined) return person;
    throw new Refusal('forbidden', 'this is for people who have signed in, and not for API keys');
  }

  /** A key must not give itself more than it has. */
  async function requireOwnSession(request: FastifyRequest): Promise<StoredPerson> {
    const { session, personalKeyId } = request.caller;
    if (session !== null && personalKeyId === null) return await requirePerson(request);
    throw new Refusal('forbidden', 'this is for people who have signed in themselves, and not for API keys');
  }

  const meOf = async (personId: string): Promise<Me> => {
    const person = await app.people.find(personId);
    if (person === undefined) throw new Error('a person who has signed in is missing');
    return {
      person: personRecord(person),
      has_password: person.hasPassword,
      recovery_codes_left: person.recoveryCodesLeft,
    };
  };

  register(routes, endpoints.me.get, async (request) => {
    const { keyId } = await requirePerson(request);
    return success(await meOf(keyId));
  });

  register(routes, endpoints.me.changePassword, async (request, reply, read) => {
    const person = await requireOwnSession(request);
    const { current_password: current, password } = read.body(request);
    await requireCurrent(person, current, request, reply);
    const stored = await passwords.hashNew(password, person);
    const { keyId } = person;
    const change = { keyId, keptHash: request.caller.session?.hash ?? '', password: stored, nowMs: now() };
    const changed = await changes(request).session.changePassword(change);
    if (changed === undefined) throw new Refusal('unauthorized', 'this session has ended; sign in again');
    return success(await meOf(keyId));
  });

  register(routes, endpoints.me.changeSecondFactor, async (request, reply, read) => {
    const person = await requireOwnSession(request);
    const wanted = read.body(request);
    await requireCurrent(person, wanted.current_password, request, reply);
    const codes = wanted.secret === null ? [] : newRecoveryCodes();
    // Whoever goes back to the password alone needs a long one.
    if (wanted.secret === null) refuseShort(wanted.current_password, false);
    const factor = wanted.secret === null ? null : newFactor(wanted.secret, wanted.code, codes);
    const changed = await changes(request).people.changeSecondFactor(person.keyId, factor);
    if (changed === undefined) throw new Refusal('unauthorized', 'this session has ended; sign in again');
    return success({ recovery_codes: codes });
  });

  function newFactor(secret: string, code: string, codes: readonly string[]): StoredSecondFactor {
    const lastStep = firstStep(secret, code, now());
    if (lastStep === null)
      throw new Refusal('wrong_code', 'the code does not belong to this secret at this time');
    return { secret, lastStep, recoveryHashes: codes.map(recoveryHashOf) };
  }

  register(routes, endpoints.me.keys, async (request) => {
    const { keyId } = await requirePerson(request);
    return success((await app.keys.listPersonal(keyId, now())).map(keyRecord));
  });

  register(routes, endpoints.me.createKey, async (request, reply, read) => {
    const { keyId: ownerId } = await requireOwnSession(request);
    const { key, stored } = draftKey(read.body(request), now());
    creates(request, stored.keyId);
    const { result, secret } = await idempotency.onceWithSecret(request, reply, key, (slices) =>
      slices.keys.createPersonal({ ...stored, ownerId }),
    );
    return success(issuedKey(result, secret));
  });

  register(routes, endpoints.me.revokeKey, async (request) => {
    const { key_id: keyId } = request.params;
    const isItself = request.caller.personalKeyId === keyId;
    const person = await (isItself ? requirePerson(request) : requireOwnSession(request));
    const own = await app.keys.listPersonal(person.keyId, now());
    if (!own.some((key) => key.keyId === keyId)) {
      throw new Refusal('key_not_found', `you have no key ${quoted(keyId)}`);
    }
    return success(keyRecord(await changes(request).keys.revoke(keyId, now())));
  });

  async function requireCurrent(
    person: StoredPerson,
    password: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if ((await passwords.identify(person.login, password, request, reply)) === null) {
      throw new Refusal('wrong_password', 'the present password is not right');
    }
    passwords.succeeded(person, request);
  }
}
