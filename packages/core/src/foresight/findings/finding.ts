import type { FindingSentence } from '@granary/contract/sentences/foresight';

/** What a silo is examined for beside the grain in it. */
type ExaminedFor = 'no_flow' | 'unexplained_loss' | 'delivery_mismatch' | 'sensor_suspect';

/** What came out, with everything that a person needs to check it. The names of values end in their unit. */
export type Finding = FindingSentence & {
  readonly type: ExaminedFor;
  /** Of a `fail`. */
  readonly severity: 'warning' | 'critical' | null;
  /** The time that was looked at. */
  readonly fromMs: number;
  readonly toMs: number;
  /** What the first of the values was compared with, in its unit. */
  readonly limit: number | null;
};
