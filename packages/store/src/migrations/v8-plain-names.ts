import type { Migration } from './migration.ts';

/** Plain names for tables, columns and indexes. PostgreSQL changes only its catalogue, however large the tables are. */
export const PLAIN_NAMES: Migration = [
  `ALTER TABLE watches RENAME TO alarm_evaluations`,
  `ALTER TABLE alarm_evaluations RENAME COLUMN quiet_min_g TO no_change_min_g`,
  `ALTER TABLE alarm_evaluations RENAME COLUMN quiet_max_g TO no_change_max_g`,
  `ALTER TABLE alarm_evaluations RENAME COLUMN check_at_ms TO next_evaluation_at_ms`,
  `ALTER TABLE alarm_evaluations RENAME COLUMN told_status TO last_published_status`,
  `ALTER TABLE operations RENAME COLUMN is_settled TO is_finished`,
  `ALTER TABLE operations RENAME COLUMN ticked_at_ms TO advanced_at_ms`,
  `ALTER TABLE commands RENAME COLUMN is_settled TO is_finished`,
  `ALTER TABLE commands RENAME COLUMN ticked_at_ms TO advanced_at_ms`,
  `ALTER TABLE missions RENAME COLUMN is_settled TO is_finished`,
  `ALTER TABLE missions RENAME COLUMN ticked_at_ms TO advanced_at_ms`,
  `ALTER TABLE idempotency RENAME COLUMN sealed TO encrypted_secret`,
  `ALTER TABLE latest RENAME TO open_buckets`,
  `ALTER TABLE open_buckets RENAME COLUMN part TO sensor_group`,
  `ALTER TABLE buckets RENAME COLUMN part TO sensor_group`,
  `ALTER TABLE buckets RENAME COLUMN block TO time_chunk`,
  `ALTER TABLE tracks RENAME COLUMN block TO time_chunk`,
  {
    // SQLite cannot rename an index. These are small: they hold the devices and the unfinished jobs.
    sqlite: [
      `DROP INDEX watches_due`,
      `CREATE INDEX alarm_evaluations_due ON alarm_evaluations (next_evaluation_at_ms)`,
      `DROP INDEX operations_unsettled`,
      `CREATE INDEX operations_unfinished ON operations (device_no) WHERE is_finished = 0`,
      `DROP INDEX commands_unsettled`,
      `CREATE INDEX commands_unfinished ON commands (device_no) WHERE is_finished = 0`,
      `DROP INDEX missions_unsettled`,
      `CREATE INDEX missions_unfinished ON missions (due_at_ms, device_no) WHERE is_finished = 0`,
    ],
    postgres: [
      `ALTER INDEX watches_due RENAME TO alarm_evaluations_due`,
      `ALTER INDEX operations_unsettled RENAME TO operations_unfinished`,
      `ALTER INDEX commands_unsettled RENAME TO commands_unfinished`,
      `ALTER INDEX missions_unsettled RENAME TO missions_unfinished`,
      `ALTER INDEX watches_pkey RENAME TO alarm_evaluations_pkey`,
      `ALTER INDEX latest_pkey RENAME TO open_buckets_pkey`,
      `ALTER TABLE alarm_evaluations
         RENAME CONSTRAINT watches_device_no_fkey TO alarm_evaluations_device_no_fkey`,
    ],
  },
];
