import type { KeyRecord, NewKey } from '@granary/contract/keys';
import { SCOPES } from '@granary/contract/outline';

/** The contents of the form of a new key. */
export interface KeyDraft {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly facilities: readonly string[];
  readonly deviceIds: readonly string[];
  /** The end as a minute of UTC; empty: the key does not expire. */
  readonly expiresAt: string;
}

/** The request for the key, which leaves out everything that is not limited. */
export function newKeyOf({ name, scopes, facilities, deviceIds, expiresAt }: KeyDraft): NewKey {
  return {
    name: name.trim(),
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    ...(facilities.length === 0 ? {} : { facilities: [...facilities] }),
    ...(deviceIds.length === 0 ? {} : { device_ids: [...deviceIds] }),
    ...(expiresAt === '' ? {} : { expires_at: new Date(expiresAt).toISOString() }),
  };
}

export type KeyState = 'usable' | 'expired' | 'revoked';

export function keyStateOf(
  { revoked_at, expires_at }: Pick<KeyRecord, 'revoked_at' | 'expires_at'>,
  nowMs: number,
): KeyState {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= nowMs ? 'expired' : 'usable';
}
