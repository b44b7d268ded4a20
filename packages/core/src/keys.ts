import { type KeyRecord, type PrincipalKind, type Role, SCOPES, type Scope } from '@granary/contract/keys';
import { toIso, toIsoOrNull } from '@granary/contract/time';

/** A preset key must be long enough that it cannot be guessed. */
export const PRESET_KEY_LENGTH_MIN = 32;

/** Facilities and devices; `null` means no limit. If both are given, a place must match both. */
export interface Area {
  readonly facilities: readonly string[] | null;
  readonly deviceIds: readonly string[] | null;
}

/** What a caller may do, and where. */
export interface Grant extends Area {
  /** `null` if the scopes were given one by one. */
  readonly role: Role | null;
  readonly scopes: readonly Scope[];
  /** `oidc` means that the grant comes from the groups of the identity provider; without a source it was given here. */
  readonly source?: 'oidc';
}

export const grantOf = (
  scopes: readonly Scope[],
  facilities: readonly string[] | null = null,
  deviceIds: readonly string[] | null = null,
): Grant => ({ role: null, scopes, facilities, deviceIds });

/** A caller may do what any of its grants allows. */
export interface Access {
  readonly grants: readonly Grant[];
}

export interface Place {
  readonly deviceId: string;
  readonly facility: string;
}

/** The areas in which something is allowed; a place must be in at least one of them. */
export type Limits = readonly Area[];

export const UNLIMITED: Limits = [{ facilities: null, deviceIds: null }];

/** A grant with `operate` also includes `stop` and `propose`. */
const includes = ({ scopes }: Grant, scope: Scope): boolean =>
  scopes.includes(scope) || ((scope === 'stop' || scope === 'propose') && scopes.includes('operate'));

export const hasScope = ({ grants }: Access, scope: Scope): boolean =>
  grants.some((grant) => includes(grant, scope));

/**
 * The areas in which the caller has the scope. Areas that name only facilities are joined into one, and so are areas that
 * name only devices, so that the cost of a list does not depend on the number of grants.
 */
export function limitsWith({ grants }: Access, scope: Scope): Limits {
  const areas = grants.filter((grant) => includes(grant, scope));
  if (areas.some(isEverywhere)) return UNLIMITED;
  const [only] = areas;
  if (only !== undefined && areas.length === 1) {
    return [{ facilities: only.facilities, deviceIds: only.deviceIds }];
  }
  const facilities = new Set(
    areas.flatMap((area) => (area.deviceIds === null ? (area.facilities ?? []) : [])),
  );
  const deviceIds = new Set(
    areas.flatMap((area) => (area.facilities === null ? (area.deviceIds ?? []) : [])),
  );
  return [
    ...(facilities.size === 0 ? [] : [{ facilities: [...facilities], deviceIds: null }]),
    ...(deviceIds.size === 0 ? [] : [{ facilities: null, deviceIds: [...deviceIds] }]),
    ...areas
      .filter((area) => area.facilities !== null && area.deviceIds !== null)
      .map((area) => ({ facilities: area.facilities, deviceIds: area.deviceIds })),
  ];
}

export const canAccess = (limits: Limits, place: Place): boolean =>
  limits.some(
    ({ facilities, deviceIds }) =>
      (facilities === null || facilities.includes(place.facility)) &&
      (deviceIds === null || deviceIds.includes(place.deviceId)),
  );

/** Whether the limits contain the whole facility, and not only devices in it. */
export const hasFacility = (limits: Limits, facility: string): boolean =>
  limits.some(
    (area) => area.deviceIds === null && (area.facilities === null || area.facilities.includes(facility)),
  );

/**
 * Whether the caller may put the device into the facility or take it out of it, which changes who sees the device. An area
 * of single devices that names no facility gives this right in no facility.
 */
export const mayPlace = (limits: Limits, place: Place): boolean =>
  canAccess(
    limits.filter((area) => isEverywhere(area) || area.facilities !== null),
    place,
  );

export const isUnlimited = (limits: Limits): boolean => limits.some(isEverywhere);

/** The part of the limits for these devices; `null` means all devices. */
export function limitsAmong(limits: Limits, deviceIds: readonly string[] | null): Limits {
  if (deviceIds === null) return limits;
  return limits.map((area) => ({
    facilities: area.facilities,
    deviceIds: deviceIds.filter((id) => area.deviceIds?.includes(id) ?? true),
  }));
}

const isEverywhere = ({ facilities, deviceIds }: Area): boolean => facilities === null && deviceIds === null;

interface Lifetime {
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

export const isValidAt = ({ expiresAtMs, revokedAtMs }: Lifetime, nowMs: number): boolean =>
  (expiresAtMs === null || nowMs < expiresAtMs) && (revokedAtMs === null || nowMs < revokedAtMs);

/** An API key as it is stored, without its hash. */
export interface StoredKey extends Access {
  readonly keyId: string;
  readonly kind: PrincipalKind;
  readonly name: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The person who owns the key; `null` for the key of a program, and for a person. */
  readonly ownerId: string | null;
}

/** A caller as it is stored. A caller with a personal key is its owner, with only the rights that both the owner and the key have. */
export interface StoredCaller extends StoredKey {
  /** The personal key with which the person calls; `null` for every other caller. */
  readonly personalKeyId: string | null;
  readonly personalKeyName?: string;
}

/** The id of the holder of sessions and sign-in codes. Those of a personal key belong to the key, so they have no more rights than it. */
export const secretHolderOf = ({ personalKeyId, keyId }: StoredCaller): string => personalKeyId ?? keyId;

/** A personal key as a caller, with what its owner is and may do at this moment. */
export const callerWithin = (
  owner: Omit<StoredKey, 'createdAtMs' | 'lastUsedAtMs'>,
  key: StoredKey,
): StoredCaller => ({
  ...key,
  keyId: owner.keyId,
  kind: owner.kind,
  name: owner.name,
  grants: grantsWithin(owner, key),
  expiresAtMs: earlier(owner.expiresAtMs, key.expiresAtMs),
  revokedAtMs: earlier(owner.revokedAtMs, key.revokedAtMs),
  ownerId: null,
  personalKeyId: key.keyId,
  personalKeyName: key.name,
});

const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** The scopes that both allow, at the places where both allow them. */
export const grantsWithin = (owner: Access, key: Access): Grant[] =>
  owner.grants
    .flatMap((grant) => key.grants.map((own) => commonOf(grant, own)))
    .filter(
      ({ scopes, facilities, deviceIds }) =>
        scopes.length > 0 && facilities?.length !== 0 && deviceIds?.length !== 0,
    );

const commonOf = (one: Grant, other: Grant): Grant => ({
  role: null,
  scopes: SCOPES.filter((scope) => includes(one, scope) && includes(other, scope)),
  facilities: inBoth(one.facilities, other.facilities),
  deviceIds: inBoth(one.deviceIds, other.deviceIds),
});

function inBoth(one: readonly string[] | null, other: readonly string[] | null): readonly string[] | null {
  if (one === null || other === null) return one ?? other;
  const names = new Set(other);
  return one.filter((name) => names.has(name));
}

/** All grants as one: every scope and every place that any grant names. */
export function reachOf({ grants }: Access): Pick<KeyRecord, 'scopes' | 'facilities' | 'device_ids'> {
  const named = (places: readonly (readonly string[] | null)[]): string[] | null => {
    const all = new Set(places.flatMap((names) => names ?? []));
    return all.size === 0 || isUnlimited(grants) ? null : [...all];
  };
  return {
    scopes: [...new Set(grants.flatMap(({ scopes }) => scopes))],
    facilities: named(grants.map(({ facilities }) => facilities)),
    device_ids: named(grants.map(({ deviceIds }) => deviceIds)),
  };
}

/** The record of an API key for callers and for the event log, without the key and its hash. */
export const keyRecord = (key: StoredKey): KeyRecord => ({
  key_id: key.keyId,
  name: key.name,
  person_id: key.ownerId,
  ...reachOf(key),
  created_at: toIso(key.createdAtMs),
  expires_at: toIsoOrNull(key.expiresAtMs),
  last_used_at: toIsoOrNull(key.lastUsedAtMs),
  revoked_at: toIsoOrNull(key.revokedAtMs),
});
