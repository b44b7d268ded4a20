import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { ROLES } from '@granary/contract/keys';
import type { GrantRecord, NewGrant, Person } from '@granary/contract/people';
import { sentence } from '@granary/contract/sentences/codes';
import { DAY_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import { type Access, type Area, type Grant, isUnlimited, limitsWith, type StoredKey } from './keys.ts';
import { isTerminalKind, mayAdminister } from './terminals.ts';

export const INVITE_MS = 7 * DAY_MS;

/** A person is a principal without a secret of their own: a person has sessions, as a key has. */
export interface StoredPerson extends StoredKey {
  readonly login: string;
  readonly email: string | null;
  readonly hasPassword: boolean;
  /** Whether the person is known to the identity provider. */
  readonly hasIdentity: boolean;
  /** `null` if the person has no second factor. */
  readonly recoveryCodesLeft: number | null;
}

export interface StoredPasskey {
  readonly credentialId: string;
  /** The person who owns the passkey. */
  readonly keyId: string;
  readonly name: string;
  /** The host name for which the passkey was made; it is valid for no other host. */
  readonly rpId: string;
  /** The SPKI form in base64url. */
  readonly publicKey: string;
  readonly signCount: number;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
}

/** The limit for one person. */
export const PASSKEYS_MAX = 20;

/** The second factor of a person beside the password. */
export interface StoredSecondFactor {
  /** The secret in base 32. */
  readonly secret: string;
  /** The time step of the last code that was used; this code and earlier ones are not accepted again. */
  readonly lastStep: number;
  readonly recoveryHashes: readonly string[];
}

/** The part of a second factor that a sign-in uses up. */
export type UsedFactor =
  | { readonly step: number; readonly countedAt: string }
  | { readonly recoveryHash: string }
  | { readonly credentialId: string; readonly signCount: number };

export const grantRecord = ({ role, scopes, facilities, deviceIds, source }: Grant): GrantRecord => ({
  role,
  scopes: [...scopes],
  facilities: facilities === null ? null : [...facilities],
  device_ids: deviceIds === null ? null : [...deviceIds],
  source: source ?? 'local',
});

function stateOf({ revokedAtMs, hasPassword, hasIdentity }: StoredPerson): Person['state'] {
  if (revokedAtMs !== null) return 'disabled';
  return hasPassword || hasIdentity ? 'active' : 'invited';
}

export const personRecord = (person: StoredPerson): Person => ({
  person_id: person.keyId,
  login: person.login,
  name: person.name,
  email: person.email,
  state: stateOf(person),
  has_single_sign_on: person.hasIdentity,
  has_second_factor: person.recoveryCodesLeft !== null,
  grants: person.grants.map(grantRecord),
  created_at: toIso(person.createdAtMs),
  last_used_at: toIsoOrNull(person.lastUsedAtMs),
});

/** The role of a site administrator needs facilities; the administrator of all facilities has the role `administrator`. */
export function grantsOf(wanted: readonly NewGrant[], list = 'grants'): Grant[] {
  return wanted.map(({ role, facilities = null, device_ids: deviceIds = null }, index) => {
    if (role === 'site_administrator' && facilities === null) {
      throw new Refusal('invalid_input', `one of the ${list} is not valid`, [
        issueOf(`/${list}/${index}/facilities`, sentence('is_required')),
      ]);
    }
    return { role, scopes: ROLES[role], facilities, deviceIds };
  });
}

const holds = (outer: readonly string[] | null, inner: readonly string[] | null): boolean =>
  outer === null || (inner?.every((name) => outer.includes(name)) ?? false);

const contains = (outer: Area, inner: Area): boolean =>
  holds(outer.facilities, inner.facilities) && holds(outer.deviceIds, inner.deviceIds);

/**
 * An administrator of all facilities manages everybody. Others manage only people whose rights they have themselves, at each
 * place. The grants of the identity provider may change at the next sign-in, so nobody else manages people who have such
 * grants, or none.
 */
export function mayManage(manager: Access, grants: readonly Grant[]): boolean {
  if (isUnlimited(limitsWith(manager, 'admin'))) return true;
  if (grants.length === 0 || grants.some(({ source }) => source === 'oidc')) return false;
  return isWithin(
    manager,
    grants.map((grant) => ({ ...grant, scopes: [...grant.scopes, 'admin'] })),
  );
}

/** Whether the caller may make a link with which this person, or a browser as this terminal, gets in. */
export const mayMakeLinkFor = (caller: Access, whom: StoredKey): boolean =>
  isTerminalKind(whom.kind) ? mayAdminister(caller, whom) : mayManage(caller, whom.grants);

/**
 * Whether the caller may have the secret of a key with these rights. An administrator may register devices, and so may also
 * let a program report for them; no role has the scope `ingest`.
 */
export const mayHoldKeyWith = (caller: Access, grants: readonly Grant[]): boolean =>
  isWithin(
    caller,
    grants.map((grant) => ({
      ...grant,
      scopes: grant.scopes.map((scope) => (scope === 'ingest' ? 'admin' : scope)),
    })),
  );

/** Whether the holder has all rights of these grants. */
export const isWithin = (holder: Access, grants: readonly Grant[]): boolean =>
  grants.every((grant) =>
    grant.scopes.every((scope) => limitsWith(holder, scope).some((area) => contains(area, grant))),
  );
