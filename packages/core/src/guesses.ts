import { backoffMs } from '@granary/common/patience';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';

/** Wrong codes of a second factor in a day: at each known place, and everywhere else together. */
export const CODES_WRONG_MAX = 20;
/** Wrong PINs of a person at one terminal; after these only the password counts there. */
const PIN_TRIES_MAX = 5;
/** Wrong PINs of a person at all terminals where the person never gave the password; after these only the password counts there. */
const PIN_TRIES_ELSEWHERE_MAX = 20;
/** Wrong PINs of a person at one terminal in a day, whatever right ones come between; after these only the password counts there. */
const PINS_WRONG_IN_A_DAY_MAX = 10;
/** Of one person; a further place takes that of the one that was used longest ago. */
export const KNOWN_PLACES_MAX = 100;
const PIN_WAITS = { firstMs: SECOND_MS, longestMs: MINUTE_MS };

/** Passwords of a name without a wait, from each network of a known place, and from each network elsewhere. */
const PASSWORDS_FREE = 5;
/** The wait after these, for the network alone: as often as others ask, each network has a turn of its own. */
const PASSWORD_WAITS = { firstMs: SECOND_MS, longestMs: MINUTE_MS };
/**
 * Wrong passwords of a name at each known place, and everywhere else together. Networks with none, one or two wrong ones go further than
 * the others, which leaves room for whoever has not tried yet.
 */
export const PASSWORDS_WRONG_MAX = { byFailures: [100, 60, 40], others: 20 } as const;
/** After this time there is room for one more. */
export const PASSWORD_ROOM_MS = 10 * SECOND_MS;

/** Wrong passwords of a name from one network, of a day. */
export interface NetworkTries {
  readonly count: number;
  readonly lastAtMs: number;
}

/** Wrong passwords of a name from all networks of a place, less those for which there is room again since. */
export interface PlaceTries {
  readonly count: number;
  /** When there was room again for the last time. */
  readonly atMs: number;
}

export interface PasswordTries {
  readonly network: NetworkTries;
  readonly place: PlaceTries;
}

/** `tries` are the ones with this password, which is looked at where nobody waits. */
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

/** A clock that was set back forgets, too. */
const ofThisDay = (tries: NetworkTries, nowMs: number): NetworkTries =>
  Math.abs(nowMs - tries.lastAtMs) >= DAY_MS ? { count: 0, lastAtMs: nowMs } : tries;

function withRoom({ count, atMs }: PlaceTries, nowMs: number): PlaceTries {
  const rooms = Math.floor((nowMs - atMs) / PASSWORD_ROOM_MS);
  if (rooms < 0) return { count, atMs: nowMs };
  return count <= rooms
    ? { count: 0, atMs: nowMs }
    : { count: count - rooms, atMs: atMs + rooms * PASSWORD_ROOM_MS };
}

/** The password was right, so it is not counted, and the next one need not wait for it. */
export const withoutLastPassword = ({ network, place }: PasswordTries): PasswordTries => ({
  network: { count: Math.max(0, network.count - 1), lastAtMs: network.lastAtMs - PASSWORD_WAITS.longestMs },
  place: { ...place, count: Math.max(0, place.count - 1) },
});

/** The fullest that a place can be, from what is stored of its networks: for a node that has counted none of it. */
export function restoredPlace(networks: readonly NetworkTries[], nowMs: number): PlaceTries {
  const [longest] = PASSWORDS_WRONG_MAX.byFailures;
  const recent = networks.filter(({ lastAtMs }) => Math.abs(nowMs - lastAtMs) < longest * PASSWORD_ROOM_MS);
  const sum = recent.reduce((total, { count }) => total + count, 0);
  // From the last one on there was room again.
  const lastAtMs = Math.max(...recent.map((one) => one.lastAtMs));
  return { count: Math.min(longest, sum), atMs: recent.length === 0 ? nowMs : Math.min(nowMs, lastAtMs) };
}

export type SecretKind = 'password' | 'code' | 'pin';

/** So many wrong ones before a right one from the same place are mistakes of the person. */
export const TYPED_WRONGLY_MAX = 5;
/** How long a person is told of wrong ones after the last. */
export const TOLD_FOR_MS = 30 * DAY_MS;
const MAILED_FROM = 10;
const MAILED_AGAIN_MS = DAY_MS;

/** Many, of which the last ones are new, and not more than one mail a day. */
export function isToldByMail(
  wrong: readonly NetworkTries[],
  mailedAtMs: number | null,
  nowMs: number,
): boolean {
  if (mailedAtMs !== null && Math.abs(nowMs - mailedAtMs) < MAILED_AGAIN_MS) return false;
  const recent = wrong.filter(({ lastAtMs }) => Math.abs(nowMs - lastAtMs) < MAILED_AGAIN_MS);
  return recent.reduce((sum, { count }) => sum + count, 0) >= MAILED_FROM;
}

/** The codes that were counted, and since when. */
export interface CodeTries {
  readonly count: number;
  readonly sinceMs: number;
}

/** `tries` are the ones with this code, which is looked at where nobody waits. */
export interface CodeTry {
  readonly waitMs: number;
  readonly tries: CodeTries;
}

/** The codes of a day are counted together; nothing but time makes wrong ones forgotten. */
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
  /** At this terminal. */
  readonly count: number;
  readonly lastAtMs: number;
  /** At all terminals where the person never gave the password. */
  readonly elsewhere: number;
  /** Whether the person has given the password at this terminal. */
  readonly isKnown: boolean;
  /** Those of a day at this terminal that were wrong, also before a right one. */
  readonly ofDay: CodeTries | null;
}

/** The wrong ones of the day with a further one. */
export const pinsOfDay = ({ ofDay }: PinTries, nowMs: number): CodeTry =>
  tryOfDay(ofDay ?? undefined, nowMs, PINS_WRONG_IN_A_DAY_MAX);

/** What becomes of a further PIN: it is looked at, comes too early, or does not count any more. */
export type PinTry = { readonly waitMs: number } | 'password_required';

export function pinTry(tries: PinTries, nowMs: number): PinTry {
  const { count, lastAtMs, elsewhere, isKnown } = tries;
  if (count >= PIN_TRIES_MAX || pinsOfDay(tries, nowMs).waitMs > 0) return 'password_required';
  if (!isKnown && elsewhere >= PIN_TRIES_ELSEWHERE_MAX) return 'password_required';
  const longestMs = backoffMs(count, PIN_WAITS);
  // A clock that was set back must not make anybody wait longer.
  return { waitMs: Math.min(longestMs, Math.max(0, lastAtMs + longestMs - nowMs)) };
}
