import type { TerminalName } from '@granary/contract/audit';
import type { PrincipalKind } from '@granary/contract/keys';
import type { SessionListed, SessionRecord } from '@granary/contract/session';
import { DAY_MS, MINUTE_MS, toIso } from '@granary/contract/time';
import { keyRecord, type StoredCaller, type StoredKey } from './keys.ts';
import { grantRecord } from './people.ts';

const SESSION_MS_MAX = 30 * DAY_MS;
const SESSION_UNUSED_MS_MAX = 7 * DAY_MS;
const SHARED_UNUSED_MS_MAX = 90 * DAY_MS;
/** The limit for one key; a further session ends the one that was used longest ago. */
export const SESSIONS_PER_KEY_MAX = 100;
/** The limit for one key; a further code ends the oldest one. */
export const CODES_PER_KEY_MAX = 100;
export const CHALLENGE_MS = 5 * MINUTE_MS;
export const CODE_MS_USUAL = 10 * MINUTE_MS;

/** A browser that has signed in with a key; only the hash of its cookie is stored. */
export interface StoredSession {
  readonly hash: string;
  readonly keyId: string;
  /** The address of the browser when it signed in. */
  readonly address: string;
  readonly browser: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
  readonly expiresAtMs: number;
  /** The latest end of this session, even if it is used; `null` if the limit for all sessions applies. */
  readonly endsAtMs: number | null;
  /** The name of the session at the identity provider, empty if it has none; `null` for a session that began without the provider. */
  readonly providerSid: string | null;
}

/** A terminal or a display is used by everybody who stands in front of it. */
export const isShared = (kind: PrincipalKind): boolean => kind === 'terminal' || kind === 'display';

/** When a session ends if it is not used again; the session of a terminal or a display has no other limit. */
export const sessionEndMs = (
  kind: PrincipalKind,
  createdAtMs: number,
  lastUsedAtMs: number,
  endsAtMs: number | null = null,
): number =>
  isShared(kind)
    ? lastUsedAtMs + SHARED_UNUSED_MS_MAX
    : Math.min(
        createdAtMs + SESSION_MS_MAX,
        lastUsedAtMs + SESSION_UNUSED_MS_MAX,
        endsAtMs ?? Number.POSITIVE_INFINITY,
      );

export const newSession = (
  hash: string,
  { keyId, kind }: Pick<StoredKey, 'keyId' | 'kind'>,
  nowMs: number,
  { address, browser }: Pick<StoredSession, 'address' | 'browser'> = { address: '', browser: '' },
  { endsAtMs, providerSid }: Pick<StoredSession, 'endsAtMs' | 'providerSid'> = BEGUN_HERE,
): StoredSession => ({
  hash,
  keyId,
  address,
  browser,
  createdAtMs: nowMs,
  lastUsedAtMs: nowMs,
  expiresAtMs: sessionEndMs(kind, nowMs, nowMs, endsAtMs),
  endsAtMs,
  providerSid,
});

/** The limits of a session that begins with a code of this session: it cannot last longer, and the provider ends both. */
export const limitsOfCode = ({
  createdAtMs,
  endsAtMs,
  providerSid,
}: StoredSession): Pick<StoredSession, 'endsAtMs' | 'providerSid'> => ({
  endsAtMs: Math.min(createdAtMs + SESSION_MS_MAX, endsAtMs ?? Number.POSITIVE_INFINITY),
  providerSid,
});

const BEGUN_HERE = { endsAtMs: null, providerSid: null };

/** What a caller is told about itself. */
export function sessionRecord(
  key: StoredCaller,
  session: StoredSession | null,
  terminal: TerminalName | null = null,
): SessionRecord {
  const { key_id, name, scopes, facilities, device_ids, expires_at } = keyRecord(key);
  return {
    key_id,
    kind: key.kind,
    personal_key_id: key.personalKeyId,
    name,
    grants: key.grants.map(grantRecord),
    scopes,
    facilities,
    device_ids,
    terminal,
    expires_at,
    session:
      session === null
        ? null
        : { created_at: toIso(session.createdAtMs), expires_at: toIso(session.expiresAtMs) },
  };
}

const SESSION_ID_CHARS = 24;

/** The id names a session without its secret. */
export const sessionIdOf = ({ hash }: StoredSession): string => hash.slice(0, SESSION_ID_CHARS);

export const listedSession = (session: StoredSession, current: StoredSession | null): SessionListed => ({
  session_id: sessionIdOf(session),
  is_current: session.hash === current?.hash,
  browser: session.browser,
  address: session.address,
  created_at: toIso(session.createdAtMs),
  last_used_at: toIso(session.lastUsedAtMs),
  expires_at: toIso(session.expiresAtMs),
});
