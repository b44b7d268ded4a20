import type { Migration } from './migration.ts';

/** Alerts of threshold rules, several of them open at a time, and the ranges of values that cannot change them. */
export const THRESHOLD_RULES: Migration = [
  `ALTER TABLE alerts ADD COLUMN rule {{idText}} NOT NULL DEFAULT ''`,
  `DROP INDEX alerts_open`,
  `CREATE UNIQUE INDEX alerts_open ON alerts (device_no, type, rule) WHERE status <> 'resolved'`,
  `ALTER TABLE alert_evaluations ADD COLUMN no_change_ranges TEXT`,
];
