import type { KeyRecord, Scope } from '@granary/contract/keys';
import { toIso, toIsoOrNull } from '@granary/contract/time';

/** A preset key must be long enough that it cannot be guessed. */
export const PRESET_KEY_LENGTH_MIN = 32;

/** The facilities and devices that a key is limited to; `null` means no limit. */
export interface Limits {
  readonly facilities: readonly string[] | null;
  readonly deviceIds: readonly string[] | null;
}

export interface Access extends Limits {
  readonly scopes: readonly Scope[];
}

export interface Place {
  readonly deviceId: string;
  readonly facility: string;
}

export const canAccess = (access: Limits, place: Place): boolean =>
  (access.facilities === null || access.facilities.includes(place.facility)) &&
  (access.deviceIds === null || access.deviceIds.includes(place.deviceId));

/**
 * Whether a device may be put into the facility, or taken out of it, which changes who sees it. A key that is limited to
 * single devices and names no facility has no right in any.
 */
export const hasFacility = (access: Limits, facility: string): boolean =>
  access.facilities === null ? access.deviceIds === null : access.facilities.includes(facility);

export const isUnlimited = (access: Limits): boolean =>
  access.facilities === null && access.deviceIds === null;

interface Lifetime {
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

export const isValidAt = ({ expiresAtMs, revokedAtMs }: Lifetime, nowMs: number): boolean =>
  (expiresAtMs === null || nowMs < expiresAtMs) && (revokedAtMs === null || nowMs < revokedAtMs);

/** An API key as it is stored, without its hash. */
export interface StoredKey extends Access {
  readonly keyId: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** The record of a key for callers and for the event log, without the key and its hash. */
export const keyRecord = (key: StoredKey): KeyRecord => ({
  key_id: key.keyId,
  name: key.name,
  scopes: [...key.scopes],
  facilities: key.facilities === null ? null : [...key.facilities],
  device_ids: key.deviceIds === null ? null : [...key.deviceIds],
  created_at: toIso(key.createdAtMs),
  expires_at: toIsoOrNull(key.expiresAtMs),
  last_used_at: toIsoOrNull(key.lastUsedAtMs),
  revoked_at: toIsoOrNull(key.revokedAtMs),
});
