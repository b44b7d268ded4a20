import type { Scope } from '@granary/contract/keys';
import type { Terminal } from '@granary/contract/terminals';
import { DAY_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import {
  type Access,
  type Grant,
  grantOf,
  hasScope,
  isValidAt,
  type Limits,
  limitsWith,
  type StoredCaller,
  type StoredKey,
} from './keys.ts';

/** Shorter than an invitation, because the link needs no password. */
export const TERMINAL_LINK_MS = DAY_MS;
/** Terminals and displays that have not ended. */
export const TERMINALS_MAX = 1_000;

export type TerminalKind = Terminal['kind'];

/** Everybody who stands in front of a locked terminal can read everything there, and stop. */
const SCOPES_OF: Readonly<Record<TerminalKind, readonly Scope[]>> = {
  terminal: ['read', 'stop'],
  display: ['read'],
};

/** A PIN does not give scopes that concern people, keys and devices themselves. */
const SCOPES_BY_PIN: readonly Scope[] = ['operate', 'configure'];

export const terminalGrant = (kind: TerminalKind, facilities: readonly string[]): Grant =>
  grantOf(SCOPES_OF[kind], facilities);

const facilitiesOf = ({ grants }: Access): readonly string[] => grants[0]?.facilities ?? [];

export const isTerminalKind = (kind: StoredKey['kind']): kind is TerminalKind =>
  kind === 'terminal' || kind === 'display';

/** The record that callers see. */
export const terminalRecord = (key: StoredKey): Terminal => ({
  terminal_id: key.keyId,
  kind: key.kind === 'display' ? 'display' : 'terminal',
  name: key.name,
  facilities: [...facilitiesOf(key)],
  created_at: toIso(key.createdAtMs),
  last_used_at: toIsoOrNull(key.lastUsedAtMs),
  ended_at: toIsoOrNull(key.revokedAtMs),
});

/**
 * The grants of a person at a terminal: all grants of the locked terminal, so that its view stays the same when people come
 * and go, and those of the person's own scopes for which a PIN is enough, at the places of the terminal.
 */
export function grantsAt(terminal: Access, person: Access): Grant[] {
  const here = facilitiesOf(terminal);
  const own = person.grants.flatMap(({ scopes, facilities, deviceIds }) => {
    const allowed = scopes.filter((scope) => SCOPES_BY_PIN.includes(scope));
    const places = facilities === null ? here : facilities.filter((facility) => here.includes(facility));
    return allowed.length === 0 || places.length === 0 ? [] : [grantOf(allowed, places, deviceIds)];
  });
  return [...terminal.grants, ...own];
}

/** A session as it was found; at a terminal, with the person who has signed in there. */
export interface FoundSession {
  readonly key: StoredCaller;
  readonly person: { readonly key: StoredKey; readonly untilMs: number } | null;
}

/**
 * The person at the terminal, or the terminal itself if it is locked again; it is locked again as soon as the person is
 * removed or disabled.
 */
export function callerAtTerminal({ key, person }: FoundSession, nowMs: number): StoredCaller {
  if (person === null || nowMs >= person.untilMs || !isValidAt(person.key, nowMs)) return key;
  return personAtTerminal(key, person.key);
}

export const personAtTerminal = (terminal: Access, person: StoredKey): StoredCaller => ({
  ...person,
  personalKeyId: null,
  grants: grantsAt(terminal, person),
});

/** Only a person who may operate at a terminal can sign in there. */
export const maySignInAt = (terminal: Access, person: Access): boolean =>
  hasScope({ grants: grantsAt(terminal, person) }, 'operate');

/** Whether the caller administers all these facilities; a terminal gives no more rights than to read and stop. */
export const mayEnrolAt = (administered: Limits, facilities: readonly string[]): boolean =>
  facilities.every((facility) =>
    administered.some(
      (area) => area.deviceIds === null && (area.facilities === null || area.facilities.includes(facility)),
    ),
  );

/** Whether the caller may enrol and end this terminal. */
export const mayAdminister = (caller: Access, terminal: Access): boolean =>
  mayEnrolAt(limitsWith(caller, 'admin'), facilitiesOf(terminal));

/** Whether the PIN is one repeated digit, a row such as 1234 or 9876, or a repeated pair. */
export function isEasyPin(pin: string): boolean {
  const digits = Array.from(pin, Number);
  const steps = new Set(digits.slice(1).map((digit, index) => (digit - (digits[index] ?? 0) + 10) % 10));
  const [step = 0] = steps;
  const isRow = steps.size === 1 && [0, 1, 9].includes(step);
  return isRow || /^(\d\d)\1+$/.test(pin);
}
