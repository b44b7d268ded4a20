/** When operations, commands and alerts ended, so that old ones can be found and removed. */
export const RETENTION: readonly string[] = [
  `ALTER TABLE operations ADD COLUMN ended_at_ms BIGINT`,
  `ALTER TABLE commands ADD COLUMN ended_at_ms BIGINT`,
  `ALTER TABLE alerts ADD COLUMN resolved_at_ms BIGINT`,
  // The end of older records is not known: counted from this migration they are kept longer than asked, never shorter.
  `UPDATE operations SET ended_at_ms = {{nowMs}} WHERE is_settled = 1`,
  `UPDATE commands SET ended_at_ms = {{nowMs}} WHERE is_settled = 1`,
  `UPDATE alerts SET resolved_at_ms = {{nowMs}} WHERE status = 'resolved'`,
  `CREATE INDEX operations_by_end ON operations (ended_at_ms) WHERE ended_at_ms IS NOT NULL`,
  `CREATE INDEX commands_by_end ON commands (ended_at_ms) WHERE ended_at_ms IS NOT NULL`,
  `CREATE INDEX missions_by_end ON missions (ended_at_ms) WHERE ended_at_ms IS NOT NULL`,
  `CREATE INDEX alerts_by_resolution ON alerts (resolved_at_ms) WHERE resolved_at_ms IS NOT NULL`,
];
