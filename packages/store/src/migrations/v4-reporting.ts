/** How often each device reports and how long it may be offline, beside its last contact. */
export const REPORTING: readonly string[] = [
  `ALTER TABLE presence ADD COLUMN reporting_interval_ms BIGINT NOT NULL DEFAULT 10000`,
  `ALTER TABLE presence ADD COLUMN offline_delay_ms BIGINT NOT NULL DEFAULT 30000`,
];
