import type { ReadSlices } from '@granary/app/app';
import { Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/codes';
import { type Access, hasScope } from '@granary/core/keys';
import type { Caller } from '../../process/keys/callers.ts';

type FactorReads = Pick<ReadSlices, 'signOn' | 'people'>;

/** Where the policy requires a second factor of administrators, refuses a person who has signed in with a password only. */
export async function requireFactor(caller: Caller, app: FactorReads): Promise<void> {
  if (await lacksFactor(caller, app)) throw new Refusal('forbidden', sentence('administrators_need_factor'));
}

/** The access with which the caller reads an endpoint that others may call, too: without the required factor it has no rights of administration. */
export async function shownAccess(caller: Caller, app: FactorReads): Promise<Access> {
  if (!hasScope(caller, 'admin') || !(await lacksFactor(caller, app))) return caller;
  const withoutAdmin = caller.grants.map((grant) => ({
    ...grant,
    scopes: grant.scopes.filter((scope) => scope !== 'admin'),
  }));
  return { grants: withoutAdmin };
}

async function lacksFactor({ kind, keyId, session }: Caller, app: FactorReads): Promise<boolean> {
  const isOfProvider = session !== null && session.endsAtMs !== null;
  if (kind !== 'person' || isOfProvider) return false;
  if ((await app.signOn.policy()).second_factor_for === 'nobody') return false;
  const person = await app.people.find(keyId);
  if (person !== undefined && person.recoveryCodesLeft !== null) return false;
  return (await app.people.passkeys(keyId)).length === 0;
}
