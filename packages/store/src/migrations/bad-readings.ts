const LANES = ['a', 'b', 'c'];
/** Beyond this a sum can no longer be read as a JavaScript number. */
const SUM_MAX = 9_007_199_254_740_991;

/** Implausible values are marked in the raw readings and counted in the buckets. */
export function badReadings(): string[] {
  return [
    // One bit for each channel; NULL when every value is good.
    'ALTER TABLE readings ADD COLUMN bad_mask BIGINT',
    ...LANES.map((slot) => `ALTER TABLE buckets ADD COLUMN ${slot}_bad_count BIGINT NOT NULL DEFAULT 0`),
    ...LANES.flatMap((slot) => [
      `ALTER TABLE latest ADD COLUMN ${slot}_bad_value BIGINT`,
      `ALTER TABLE latest ADD COLUMN ${slot}_bad_ts_ms BIGINT`,
      `ALTER TABLE latest ADD COLUMN ${slot}_bad_count BIGINT`,
      // Only implausible values could make a sum of five minutes this large, and such a row could not be read any more.
      `UPDATE latest SET
         ${slot}_bad_value = ${slot}_value, ${slot}_bad_ts_ms = ${slot}_ts_ms, ${slot}_bad_count = ${slot}_count,
         ${slot}_value = NULL, ${slot}_ts_ms = NULL, ${slot}_sum = NULL, ${slot}_count = NULL,
         ${slot}_min = NULL, ${slot}_max = NULL
       WHERE ${slot}_sum > ${SUM_MAX} OR ${slot}_sum < -${SUM_MAX}`,
    ]),
  ];
}
