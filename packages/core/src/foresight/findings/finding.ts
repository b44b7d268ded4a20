import type { FindingSentence } from '@granary/contract/sentences/foresight';

/** The types of finding about a silo, without those about the grain in it. */
type ExaminedFor = 'no_flow' | 'unexplained_loss' | 'delivery_mismatch' | 'sensor_suspect';

/** The result of an examination, with all values that a person needs to check it. The names of values end in their unit. */
export type Finding = FindingSentence & {
  readonly type: ExaminedFor;
  /** The severity of a `fail`; `null` for other results. */
  readonly severity: 'warning' | 'critical' | null;
  /** The period that was examined. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The limit for the first of the values, in the unit of this value. */
  readonly limit: number | null;
};
