import type { SessionOfKey } from '@granary/app/session/session-rows';
import { isValidAt, type StoredCaller } from '@granary/core/keys';
import type { StoredSession } from '@granary/core/session';
import { personAtTerminal } from '@granary/core/terminals';

/** A caller is identified by its key, or by a session of its key. */
export interface Caller extends StoredCaller {
  /** `null` where the key itself was sent. */
  readonly session: StoredSession | null;
  /** The shared terminal of the session; while nobody has signed in, the caller is the terminal itself. */
  readonly terminal: { readonly keyId: string; readonly name: string } | null;
}

/** The caller that a credential identifies. */
export interface Found {
  readonly caller: Caller;
  /** The terminal itself and the time of its lock, when a person has signed in there. */
  readonly locked: { readonly caller: Caller; readonly fromMs: number } | null;
}

/** The caller that a key is when it is sent itself, or when one of its sessions is used. */
export const callerOf = (key: StoredCaller, session: StoredSession | null = null): Caller => ({
  ...key,
  session,
  terminal: key.kind === 'terminal' ? { keyId: key.keyId, name: key.name } : null,
});

export function foundBySession({ key, session, person }: SessionOfKey): Found {
  const own = callerOf(key, session);
  if (person === null) return { caller: own, locked: null };
  const caller = { ...personAtTerminal(key, person.key), session, terminal: own.terminal };
  return { caller, locked: { caller: own, fromMs: person.untilMs } };
}

/** The caller at this time: when the person at a terminal is gone or disabled, the caller is the locked terminal. */
export function callerAt({ caller, locked }: Found, nowMs: number): Caller {
  if (locked === null) return caller;
  return nowMs < locked.fromMs && isValidAt(caller, nowMs) ? caller : locked.caller;
}

/** A session ends with its key at the latest. */
export const isCallerValidAt = (caller: Caller, nowMs: number): boolean =>
  isValidAt(caller, nowMs) && (caller.session === null || nowMs < caller.session.expiresAtMs);
