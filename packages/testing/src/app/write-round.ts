import type { App } from '@granary/app/app';
import type { Attempt } from '@granary/app/audit/audit-rows';
import type { SLICES, SliceName } from '@granary/app/slices';
import { DAY_MS, SECOND_MS } from '@granary/contract/time';
import { testAttempt } from './attempts.ts';
import { NOW_MS } from './fixtures.ts';

/** One of many rounds in which every write of the store is done on the same few rows. */
export interface WriteRound {
  readonly app: App;
  /** The number of the app among those that write at the same time; the first one is 0. */
  readonly node: number;
  readonly round: number;
  readonly silos: readonly number[];
  readonly rovers: readonly number[];
  readonly alerts: readonly { readonly deviceNo: number; readonly alertId: string }[];
}

export type Writes = (round: WriteRound) => readonly Promise<unknown>[];

/**
 * Who may request a write:
 * - `rights`: a caller whose rights cover what the write is about, or to whom it belongs; checked in the transaction of the write;
 * - `part`: any caller, for the part of a list that its rights cover; the rest is answered as not found;
 * - `everybody`: a caller with the scope, for any place, whose key or session has not ended; checked in the transaction of the write;
 * - `proof`: a request that contains a secret, or that only takes something from its sender; there is no caller yet, or it does not matter;
 * - `stop`: a caller with a stop, which is not refused for such a reason;
 * - `nobody`: devices and the clock cause the write, and no route requests it.
 */
export type WhoMay = 'rights' | 'part' | 'everybody' | 'proof' | 'stop' | 'nobody';

/** The types require an entry for every write of a slice. */
export type WritesOf<Name extends SliceName> = Readonly<Record<WriteName<Name>, Writes>>;
export type WhoMayOf<Name extends SliceName> = Readonly<Record<WriteName<Name>, WhoMay>>;
type WriteName<Name extends SliceName> = keyof (typeof SLICES)[Name]['writes'];

export const LIMIT = 100;
export const atMs = ({ round }: WriteRound): number => NOW_MS + round * SECOND_MS;

export const ofEach = (deviceNos: readonly number[], write: (deviceNo: number) => Promise<unknown>) =>
  deviceNos.map(write);

/** The attempt of a write. Its id is the same on every node, as when a write is repeated after an unknown outcome. */
export const attemptOf = (name: string, round: WriteRound): Attempt =>
  testAttempt({ attemptId: `au_${name}_${round.round}`, atMs: atMs(round) });

/** A session of a person, which exists in every round. */
export const SESSION_OF_LASTING = 'session of lasting';
export const LASTING = { personId: 'per_lasting', sessionHash: SESSION_OF_LASTING };

/** The former and the new PIN of the person who gets another PIN in each round. */
export const checkedPins = ({ round }: WriteRound) =>
  [round - 1, round].map((number) => ({ kind: 'pin' as const, stored: `pin ${number}`, factor: null }));

export const inviteCode = (keyId: string, round: WriteRound) => ({
  hash: `invite ${keyId} ${round.round} ${round.node}`,
  keyId,
  createdAtMs: atMs(round),
  expiresAtMs: atMs(round) + DAY_MS,
});

/** What a person says who declares the end of a job. */
export const LOOKED = { reason: 'it stands still', looked_by: 'Ada' };
