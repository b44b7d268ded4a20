/** Implausible values are marked in the raw readings and counted in the buckets. */
export const BAD_READINGS: readonly string[] = [
  // One bit for each channel; NULL when every value is good.
  `ALTER TABLE readings ADD COLUMN bad_mask BIGINT`,
  `ALTER TABLE buckets ADD COLUMN a_bad_count BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE buckets ADD COLUMN b_bad_count BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE buckets ADD COLUMN c_bad_count BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE latest ADD COLUMN a_bad_value BIGINT`,
  `ALTER TABLE latest ADD COLUMN a_bad_ts_ms BIGINT`,
  `ALTER TABLE latest ADD COLUMN a_bad_count BIGINT`,
  // Only implausible values could make the sum of five minutes exceed 2^53 - 1, and such a row could not be read any more.
  `UPDATE latest SET
         a_bad_value = a_value, a_bad_ts_ms = a_ts_ms, a_bad_count = a_count,
         a_value = NULL, a_ts_ms = NULL, a_sum = NULL, a_count = NULL,
         a_min = NULL, a_max = NULL
       WHERE a_sum > 9007199254740991 OR a_sum < -9007199254740991`,
  `ALTER TABLE latest ADD COLUMN b_bad_value BIGINT`,
  `ALTER TABLE latest ADD COLUMN b_bad_ts_ms BIGINT`,
  `ALTER TABLE latest ADD COLUMN b_bad_count BIGINT`,
  `UPDATE latest SET
         b_bad_value = b_value, b_bad_ts_ms = b_ts_ms, b_bad_count = b_count,
         b_value = NULL, b_ts_ms = NULL, b_sum = NULL, b_count = NULL,
         b_min = NULL, b_max = NULL
       WHERE b_sum > 9007199254740991 OR b_sum < -9007199254740991`,
  `ALTER TABLE latest ADD COLUMN c_bad_value BIGINT`,
  `ALTER TABLE latest ADD COLUMN c_bad_ts_ms BIGINT`,
  `ALTER TABLE latest ADD COLUMN c_bad_count BIGINT`,
  `UPDATE latest SET
         c_bad_value = c_value, c_bad_ts_ms = c_ts_ms, c_bad_count = c_count,
         c_value = NULL, c_ts_ms = NULL, c_sum = NULL, c_count = NULL,
         c_min = NULL, c_max = NULL
       WHERE c_sum > 9007199254740991 OR c_sum < -9007199254740991`,
];
