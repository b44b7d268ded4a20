import type { Migration } from './migration.ts';

/** When a removed device was brought back: its silence before that is not its own. */
export const RESTORED_DEVICES: Migration = ['ALTER TABLE alert_evaluations ADD COLUMN restored_at_ms BIGINT'];
