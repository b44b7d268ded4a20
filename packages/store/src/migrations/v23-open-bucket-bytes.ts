import type { Migration } from './migration.ts';

const SLOTS = ['a', 'b', 'c'];
const columns = (fields: readonly string[]): string[] =>
  SLOTS.flatMap((slot) => fields.map((field) => `${slot}_${field}`));
const NUMBERS = [
  ...columns(['value', 'ts_ms', 'sum', 'count', 'min', 'max']),
  ...columns(['bad_value', 'bad_ts_ms', 'bad_count']),
];
const TIMES = columns(['ts_ms', 'bad_ts_ms']);

/** The smallest and the greatest number of 64 bits. */
const LEAST = '(-9223372036854775807 - 1)';
const GREATEST = '9223372036854775807';
const timesOr = (other: string): string => TIMES.map((time) => `COALESCE(${time}, ${other})`).join(', ');

/**
 * The numbers of open buckets in one column, eight bytes each, because every message changes most of them; the smallest number
 * stands for none. The oldest and the newest time of a row have columns of their own.
 */
export const OPEN_BUCKET_BYTES: Migration = [
  {
    sqlite: [
      `CREATE TABLE open_buckets_in_bytes (
         device_no    BIGINT NOT NULL,
         sensor_group BIGINT NOT NULL,
         oldest_ms    BIGINT,
         newest_ms    BIGINT,
         body         BLOB,
         PRIMARY KEY (device_no, sensor_group)
       ) WITHOUT ROWID`,
      `INSERT INTO open_buckets_in_bytes (device_no, sensor_group, oldest_ms, newest_ms, body)
         SELECT device_no, sensor_group,
           NULLIF(MIN(${timesOr(GREATEST)}), ${GREATEST}), NULLIF(MAX(${timesOr(LEAST)}), ${LEAST}),
           unhex(${NUMBERS.map((number) => `printf('%016x', COALESCE(${number}, ${LEAST}))`).join(' || ')})
         FROM open_buckets`,
    ],
    postgres: [
      `CREATE TABLE open_buckets_in_bytes (
         device_no    BIGINT NOT NULL,
         sensor_group BIGINT NOT NULL,
         oldest_ms    BIGINT,
         newest_ms    BIGINT,
         body         BYTEA,
         PRIMARY KEY (device_no, sensor_group)
       ) WITH (fillfactor = 70)`,
      `INSERT INTO open_buckets_in_bytes (device_no, sensor_group, oldest_ms, newest_ms, body)
         SELECT device_no, sensor_group, LEAST(${TIMES.join(', ')}), GREATEST(${TIMES.join(', ')}),
           ${NUMBERS.map((number) => `int8send(COALESCE(${number}, ${LEAST}))`).join(' || ')}
         FROM open_buckets`,
    ],
  },
  `DROP TABLE open_buckets`,
  `ALTER TABLE open_buckets_in_bytes RENAME TO open_buckets`,
  { sqlite: [], postgres: [`ALTER INDEX open_buckets_in_bytes_pkey RENAME TO open_buckets_pkey`] },
];
