import { backoffMs } from '@granary/common/patience';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';

/** The limit of wrong codes of a second factor in a day: at each known place, and at all other places together. */
export const CODES_WRONG_MAX = 20;
/** The limit of wrong PINs of a person at one terminal; after these only the password is accepted there. */
const PIN_TRIES_MAX = 5;
/**
 * The limit of wrong PINs of a person at all terminals at which the person never gave the password; then only the password
 * is accepted there.
 */
const PIN_TRIES_ELSEWHERE_MAX = 20;
/**
 * The limit of wrong PINs of a person at one terminal in a day, even with right ones in between; then only the password is
 * accepted there.
 */
const PINS_WRONG_IN_A_DAY_MAX = 10;
/** The limit for one person; a further place replaces the one that was used longest ago. */
export const KNOWN_PLACES_MAX = 100;
const PIN_WAITS = { firstMs: SECOND_MS, longestMs: MINUTE_MS };

/** The number of passwords for a name without a wait, from each network of a known place, and from each network elsewhere. */
const PASSWORDS_FREE = 5;
/** The wait of a network after these passwords. Each network waits for itself, however often others try. */
const PASSWORD_WAITS = { firstMs: SECOND_MS, longestMs: MINUTE_MS };
/**
 * The limit of wrong passwords for a name at each known place, and at all other places together. Networks with none, one or
 * two wrong passwords have a higher limit than the others, which leaves room for a person who has not tried yet.
 */
export const PASSWORDS_WRONG_MAX = { byFailures: [100, 60, 40], others: 20 } as const;
/** After each such time a place has room for one more password. */
export const PASSWORD_ROOM_MS = 10 * SECOND_MS;

/** The wrong passwords for a name from one network in a day. */
export interface NetworkTries {
  readonly count: number;
  readonly lastAtMs: number;
}

/** The wrong passwords for a name from all networks of a place, without those for which there is room again. */
export interface PlaceTries {
  readonly count: number;
  /** The time up to which the room is counted. */
  readonly atMs: number;
}

export interface PasswordTries {
  readonly network: NetworkTries;
  readonly place: PlaceTries;
}

/** A password is only checked if `waitMs` is 0; `tries` then include it. */
export interface PasswordTry {
  readonly waitMs: number;
  readonly tries: PasswordTries;
}

export const noPasswordTries = (nowMs: number): PasswordTries => ({
  network: { count: 0, lastAtMs: nowMs },
  place: { count: 0, atMs: nowMs },
});

export function passwordTry(before: PasswordTries, nowMs: number): PasswordTry {
  const network = ofThisDay(before.network, nowMs);
  const place = withRoom(before.place, nowMs);
  const longestMs = backoffMs(network.count - PASSWORDS_FREE, PASSWORD_WAITS);
  const { byFailures, others } = PASSWORDS_WRONG_MAX;
  const beyond = place.count - (byFailures[network.count] ?? others);
  const waitMs = Math.max(
    0,
    Math.min(longestMs, network.lastAtMs + longestMs - nowMs),
    beyond < 0 ? 0 : (beyond + 1) * PASSWORD_ROOM_MS - (nowMs - place.atMs),
  );
  if (waitMs > 0) return { waitMs, tries: { network, place } };
  return {
    waitMs,
    tries: {
      network: { count: network.count + 1, lastAtMs: nowMs },
      place: { ...place, count: place.count + 1 },
    },
  };
}

/** A clock that was set back makes the tries forgotten, too. */
const ofThisDay = (tries: NetworkTries, nowMs: number): NetworkTries =>
  Math.abs(nowMs - tries.lastAtMs) >= DAY_MS ? { count: 0, lastAtMs: nowMs } : tries;

function withRoom({ count, atMs }: PlaceTries, nowMs: number): PlaceTries {
  const rooms = Math.floor((nowMs - atMs) / PASSWORD_ROOM_MS);
  if (rooms < 0) return { count, atMs: nowMs };
  return count <= rooms
    ? { count: 0, atMs: nowMs }
    : { count: count - rooms, atMs: atMs + rooms * PASSWORD_ROOM_MS };
}

/** The tries without the right password, so that it is not counted and the next password need not wait for it. */
export const withoutLastPassword = ({ network, place }: PasswordTries): PasswordTries => ({
  network: { count: Math.max(0, network.count - 1), lastAtMs: network.lastAtMs - PASSWORD_WAITS.longestMs },
  place: { ...place, count: Math.max(0, place.count - 1) },
});

/** The highest count that a place can have, computed from the stored tries of its networks; for a node that has counted none of them. */
export function restoredPlace(networks: readonly NetworkTries[], nowMs: number): PlaceTries {
  const [longest] = PASSWORDS_WRONG_MAX.byFailures;
  const recent = networks.filter(({ lastAtMs }) => Math.abs(nowMs - lastAtMs) < longest * PASSWORD_ROOM_MS);
  const sum = recent.reduce((total, { count }) => total + count, 0);
  // Room is counted from the last try on.
  const lastAtMs = Math.max(...recent.map((one) => one.lastAtMs));
  return { count: Math.min(longest, sum), atMs: recent.length === 0 ? nowMs : Math.min(nowMs, lastAtMs) };
}

export type SecretKind = 'password' | 'code' | 'pin';

/** Up to this number, wrong tries before a right one from the same place count as mistakes of the person. */
export const TYPED_WRONGLY_MAX = 5;
/** How long a person is told about wrong tries after the last of them. */
export const TOLD_FOR_MS = 30 * DAY_MS;
const MAILED_FROM = 10;
const MAILED_AGAIN_MS = DAY_MS;

/** Whether a person is told by mail: there are many wrong tries, of which the last ones are new, and at most one mail is sent in a day. */
export function isToldByMail(
  wrong: readonly NetworkTries[],
  mailedAtMs: number | null,
  nowMs: number,
): boolean {
  if (mailedAtMs !== null && Math.abs(nowMs - mailedAtMs) < MAILED_AGAIN_MS) return false;
  const recent = wrong.filter(({ lastAtMs }) => Math.abs(nowMs - lastAtMs) < MAILED_AGAIN_MS);
  return recent.reduce((sum, { count }) => sum + count, 0) >= MAILED_FROM;
}

/** The number of codes that were counted, and the start of the count. */
export interface CodeTries {
  readonly count: number;
  readonly sinceMs: number;
}

/** A code is only checked if `waitMs` is 0; `tries` then include it. */
export interface CodeTry {
  readonly waitMs: number;
  readonly tries: CodeTries;
}

/** The codes of a day are counted together; only time makes wrong codes forgotten. */
export const codeTry = (before: CodeTries | undefined, nowMs: number): CodeTry =>
  tryOfDay(before, nowMs, CODES_WRONG_MAX);

function tryOfDay(before: CodeTries | undefined, nowMs: number, wrongMax: number): CodeTry {
  // A clock that was set back must not make anybody wait longer than a day.
  const isOver = before === undefined || Math.abs(nowMs - before.sinceMs) >= DAY_MS;
  const { count, sinceMs } = isOver ? { count: 0, sinceMs: nowMs } : before;
  if (count < wrongMax) return { waitMs: 0, tries: { count: count + 1, sinceMs } };
  return { waitMs: Math.min(DAY_MS, sinceMs + DAY_MS - nowMs), tries: { count, sinceMs } };
}

/** The PINs of a person that were tried since the last right one. */
export interface PinTries {
  /** The tries at this terminal. */
  readonly count: number;
  readonly lastAtMs: number;
  /** The tries at all terminals at which the person never gave the password. */
  readonly elsewhere: number;
  /** Whether the person has given the password at this terminal. */
  readonly isKnown: boolean;
  /** The wrong PINs of a day at this terminal, even those before a right one; `null` if there are none. */
  readonly ofDay: CodeTries | null;
}

/** The wrong PINs of the day after one more. */
export const pinsOfDay = ({ ofDay }: PinTries, nowMs: number): CodeTry =>
  tryOfDay(ofDay ?? undefined, nowMs, PINS_WRONG_IN_A_DAY_MAX);

/** One more PIN is only checked if `waitMs` is 0; `password_required` means that no PIN is accepted any more. */
export type PinTry = { readonly waitMs: number } | 'password_required';

export function pinTry(tries: PinTries, nowMs: number): PinTry {
  const { count, lastAtMs, elsewhere, isKnown } = tries;
  if (count >= PIN_TRIES_MAX || pinsOfDay(tries, nowMs).waitMs > 0) return 'password_required';
  if (!isKnown && elsewhere >= PIN_TRIES_ELSEWHERE_MAX) return 'password_required';
  const longestMs = backoffMs(count, PIN_WAITS);
  // A clock that was set back must not make anybody wait longer.
  return { waitMs: Math.min(longestMs, Math.max(0, lastAtMs + longestMs - nowMs)) };
}
