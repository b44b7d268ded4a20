import { ALERTS } from './alerts.ts';
import { EXPECTED, FIELD_FAULTS, LINK_FAULTS } from './faults.ts';
import { FINDINGS, FORECAST_REASONS, GRAIN_REASONS } from './foresight.ts';
import { ATTENTION, COMMAND_DETAILS, MISSION_DETAILS, OPERATION_DETAILS, TRACE } from './jobs.ts';
import { PARTS } from './parts.ts';
import { REFUSALS } from './refusals.ts';
import type { Sentence, ValuesOf } from './sentence.ts';

/** The kinds of the values of every code. */
export const SENTENCES = {
  ...ALERTS,
  ...OPERATION_DETAILS,
  ...TRACE,
  ...ATTENTION,
  ...COMMAND_DETAILS,
  ...MISSION_DETAILS,
  ...FORECAST_REASONS,
  ...GRAIN_REASONS,
  ...FINDINGS,
  ...REFUSALS,
  ...FIELD_FAULTS,
  ...EXPECTED,
  ...LINK_FAULTS,
  ...PARTS,
} as const;

export type SentenceCode = keyof typeof SENTENCES;

/** A sentence whose values are those of its code. */
export const sentence = <Code extends SentenceCode>(
  code: Code,
  ...values: keyof ValuesOf<(typeof SENTENCES)[Code]> extends never
    ? []
    : [ValuesOf<(typeof SENTENCES)[Code]>]
): Sentence<Code> => ({ code, values: values[0] ?? {} });
