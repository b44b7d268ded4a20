import { hash } from 'node:crypto';
import { type CheckedSecret, wrongSecret } from '@granary/app/session/checked-secret';
import type { NewConfirmation } from '@granary/contract/confirmations';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { toIso } from '@granary/contract/time';
import {
  CONFIRMATION_MS,
  type ConfirmedRequest,
  confirmedText,
  fits,
  howToConfirm,
  isConfirmed,
} from '@granary/core/confirmations';
import type { Place, StoredKey } from '@granary/core/keys';
import type { FastifyInstance } from 'fastify';
import { hashSecret, newConfirmationId } from '../process/keys/secrets.ts';
import { refuseOutside } from './access/credentials.ts';
import { attempting, resourceOf } from './audit/attempt.ts';
import { deviceNotFound } from './devices/find-device.ts';
import type { Exchange } from './exchange.ts';
import { success } from './protocol/answers.ts';
import { registerComparing } from './register.ts';
import type { Parts } from './route-dependencies.ts';
import { TerminalPeople } from './terminals.ts';

const HEADER = 'x-confirmation';

const digestOf = (request: ConfirmedRequest): string => hash('sha256', confirmedText(request), 'hex');

/**
 * Refuses a change by a person when the facility requires a confirmation and the request has no fitting one; programs need none.
 * Returns the exchange with the confirmation, which the write then uses up.
 */
export async function requireConfirmed<X extends Exchange>(
  exchange: X,
  { deviceId, facility }: Place,
  { reads }: Parts<'reads'>,
): Promise<X> {
  const { request, attempt } = exchange;
  const { caller, body, headers } = request;
  if (caller.kind !== 'person' || attempt === null || !isConfirmed({ action: attempt.action, body })) {
    return exchange;
  }
  const how = howToConfirm((await reads(request).signOn.policy()).reconfirm, facility);
  if (how === 'none') return exchange;
  const required = (): Refusal =>
    new Refusal(
      'confirmation_required',
      sentence(how === 'pin' ? 'confirmation_by_oneself' : 'confirmation_by_another'),
    );
  const given = headers[HEADER];
  if (typeof given !== 'string') throw required();
  const { action, actor } = attempt;
  const used = {
    hash: hashSecret(given),
    keyId: caller.keyId,
    digest: digestOf({ action, deviceId, resourceId: resourceOf(request), body }),
  };
  // A confirmation that was used is no longer stored; the Idempotency-Key tells whether this is a repetition of the request that used it.
  const found = await reads(request).confirmations.find(used.hash);
  if (found !== undefined && !fits(found, used, how)) throw required();
  const by = found === undefined || actor === null ? actor : { ...actor, confirmed_by: found.confirmedBy };
  return attempting(exchange, { actor: by, confirmation: used });
}

export function confirmationRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'changes' | 'directory' | 'idempotency' | 'now' | 'checks'>,
): void {
  const { reads, directory, idempotency, now, checks } = parts;
  const { passwords } = checks;
  const atTerminals = new TerminalPeople(parts);

  registerComparing(routes, endpoints.confirmations.create, async (exchange) => {
    const { request, read } = exchange;
    const { caller } = request;
    const given = read.body(request);
    const { action, device_id: deviceId, resource_id: resourceId = null, body } = given;
    if (caller.kind !== 'person') {
      throw new Refusal('forbidden', 'only people confirm; programs are not asked for it');
    }
    const device = await directory.findBy(reads(request), deviceId);
    refuseOutside(request, device, () => deviceNotFound(deviceId));
    const how = howToConfirm((await reads(request).signOn.policy()).reconfirm, device.facility);
    const login = given.login ?? (await reads(request).people.find(caller.keyId))?.login ?? '';
    const { person: by, checked } = await identify(given, login, exchange);
    if (how === 'second_person') refuseOneself(by, caller.keyId);
    const confirmedBy = { key_id: by.keyId, name: by.name };
    const actor = exchange.attempt?.actor ?? null;
    // The entry of the confirmation in the audit log names both people: who sent the request, and who confirmed it.
    const named = attempting(exchange, { actor: actor && { ...actor, confirmed_by: confirmedBy } });
    const id = newConfirmationId();
    const stored = {
      hash: hashSecret(id),
      keyId: caller.keyId,
      digest: digestOf({ action, deviceId, resourceId, body }),
      confirmedBy,
      expiresAtMs: now() + CONFIRMATION_MS,
    };
    const { result, secret } = await idempotency.onceWithSecret(named, id, (slices) =>
      slices.confirmations.create(stored, device, checked, now()),
    );
    return success({
      confirmation_id: secret,
      confirmed_by: result.confirmedBy,
      expires_at: toIso(result.expiresAtMs),
    });
  });

  async function identify(
    given: NewConfirmation,
    login: string,
    exchange: Exchange,
  ): Promise<{ readonly person: StoredKey; readonly checked: CheckedSecret }> {
    const { terminal } = exchange.request.caller;
    const secret =
      'pin' in given ? { pin: given.pin } : { password: given.password, second_factor: given.second_factor };
    if (terminal !== null) {
      return await atTerminals.identify({ login, ...secret }, terminal.keyId, exchange);
    }
    if ('pin' in secret) {
      throw new Refusal('password_required', 'a PIN counts at shared terminals only; send the password');
    }
    // A person who confirms in the own session gave the second factor when the session began.
    if (given.login === undefined) {
      const { person, password: stored } = await passwords.require(login, secret.password, exchange);
      return { person, checked: { kind: 'password', stored, factor: null } };
    }
    const proven = await passwords.prove({ login, ...secret }, exchange);
    if (proven === null) throw wrongSecret('password');
    return proven;
  }
}

/** Refuses a confirmation by the person who sent the request, because a second person is required. */
function refuseOneself(by: StoredKey, callerId: string): void {
  if (by.keyId !== callerId) return;
  throw new Refusal('invalid_input', 'the confirmation is not valid', [
    issueOf('/login', sentence('is_required')),
  ]);
}
