import { COMMON_FAULTS, JOB_FAULTS } from '../faults.ts';

export const FIELD_FAULTS = {
  ...COMMON_FAULTS,
  ...JOB_FAULTS,
  'skip-waypoint': 'every second waypoint of a mission is skipped',
  'die-half-way': 'the power fails half-way through a mission, for half a minute',
} as const;

export type FieldFault = keyof typeof FIELD_FAULTS;
