import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { documentKind } from '../documents.ts';

/** From this many takeovers in a minute on, two clients are assumed to log in as one device. */
export const DUPLICATE_TAKEOVERS_MIN = 5;
const DUPLICATE_WINDOW_MS = MINUTE_MS;
/** While the takeovers go on, the stored state is written this often. */
const STORED_EVERY_MS = 20 * SECOND_MS;
const ADDRESSES_MAX = 4;
/** Further takeovers in a minute are not counted. */
const TAKEOVERS_KEPT_MAX = 100;

/** A client logged in as a device while another connection of that device was open and its client still answered. */
export interface Takeover {
  readonly atMs: number;
  /** The addresses of the old and the new connection; empty if only an external broker knows them. */
  readonly addresses: readonly string[];
}

/** Two clients with the id of one device, as it is stored. */
export interface Duplicate {
  readonly sinceMs: number;
  readonly lastAtMs: number;
  /** The number of takeovers in the last minute. */
  readonly takeovers: number;
  readonly addresses: readonly string[];
}

export const DUPLICATE_DOCUMENT = documentKind<Duplicate>([]);

/** The takeovers of one device in the last minute, and what was stored about them. */
export interface Takeovers {
  readonly recent: readonly Takeover[];
  readonly stored: Duplicate | null;
}

export const NO_TAKEOVERS: Takeovers = { recent: [], stored: null };

/** `stored` is a new object if it has to be written. */
export function noteTakeover(before: Takeovers, takeover: Takeover): Takeovers {
  const { atMs } = takeover;
  const recent = [...before.recent, takeover]
    .filter((one) => atMs - one.atMs < DUPLICATE_WINDOW_MS)
    .slice(-TAKEOVERS_KEPT_MAX);
  const { stored } = before;
  if (recent.length < DUPLICATE_TAKEOVERS_MIN) return { recent, stored };
  const isGoingOn = stored !== null && atMs - stored.lastAtMs < DUPLICATE_WINDOW_MS;
  if (isGoingOn && atMs - stored.lastAtMs < STORED_EVERY_MS) return { recent, stored };
  const addresses = [...new Set(recent.flatMap((one) => one.addresses))].slice(-ADDRESSES_MAX);
  const sinceMs = isGoingOn ? stored.sinceMs : (recent[0]?.atMs ?? atMs);
  return { recent, stored: { sinceMs, lastAtMs: atMs, takeovers: recent.length, addresses } };
}

/** The time at which the alert clears unless there are more takeovers. */
export const duplicateUntilMs = ({ lastAtMs }: Duplicate): number => lastAtMs + DUPLICATE_WINDOW_MS;
