import type { Migration } from './migration.ts';

/** Since when a node has reached the external broker. */
export const BROKER_SINCE: Migration = [
  { sqlite: [], postgres: ['ALTER TABLE nodes ADD COLUMN broker_since_ms BIGINT'] },
];
