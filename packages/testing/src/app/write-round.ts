import type { App } from '@granary/app/app';
import type { Attempt } from '@granary/app/audit/audit-rows';
import type { SLICES, SliceName } from '@granary/app/use-cases';
import { SECOND_MS } from '@granary/contract/time';
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

/** The type requires an entry for every write of every slice. */
export type EveryWrite = {
  readonly [Slice in SliceName]: {
    readonly [Write in keyof (typeof SLICES)[Slice]['writes']]: Writes;
  };
};

export const LIMIT = 100;
export const atMs = ({ round }: WriteRound): number => NOW_MS + round * SECOND_MS;

export const ofEach = (deviceNos: readonly number[], write: (deviceNo: number) => Promise<unknown>) =>
  deviceNos.map(write);

/** The attempt of a write. Its id is the same on every node, as when a write is repeated after an unknown outcome. */
export const attemptOf = (name: string, round: WriteRound): Attempt =>
  testAttempt({ attemptId: `au_${name}_${round.round}`, atMs: atMs(round) });
