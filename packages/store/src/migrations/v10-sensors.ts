import type { Migration } from './migration.ts';

/**
 * Raw readings in groups of three values, so that a device can have any number of sensors; the declared sensors of a device;
 * and two names. The columns of a reading become the lanes that their buckets already have.
 */
export const SENSORS: Migration = [
  `ALTER TABLE devices RENAME COLUMN kind TO device_group`,
  `ALTER TABLE devices ADD COLUMN sensors TEXT`,
  `ALTER TABLE alarm_evaluations RENAME TO alert_evaluations`,
  {
    sqlite: [
      `DROP INDEX alarm_evaluations_due`,
      `CREATE INDEX alert_evaluations_due ON alert_evaluations (next_evaluation_at_ms)`,
    ],
    postgres: [
      `ALTER INDEX alarm_evaluations_due RENAME TO alert_evaluations_due`,
      `ALTER INDEX alarm_evaluations_pkey RENAME TO alert_evaluations_pkey`,
      `ALTER TABLE alert_evaluations
         RENAME CONSTRAINT alarm_evaluations_device_no_fkey TO alert_evaluations_device_no_fkey`,
    ],
  },
  {
    sqlite: [
      `CREATE TABLE readings_in_groups (
         ts_ms BIGINT NOT NULL,
         device_no BIGINT NOT NULL,
         sensor_group BIGINT NOT NULL,
         a BIGINT,
         b BIGINT,
         c BIGINT,
         bad_mask BIGINT,
         PRIMARY KEY (ts_ms, device_no, sensor_group)
       ) WITHOUT ROWID`,
      // In the order of the key, so that the new table is written from its beginning to its end.
      `INSERT INTO readings_in_groups (ts_ms, device_no, sensor_group, a, b, c, bad_mask)
         SELECT ts_ms, device_no, sensor_group, a, b, c, NULLIF(mask, 0) FROM (
           SELECT ts_ms, device_no, sensor_group,
             CASE sensor_group WHEN 1 THEN weight WHEN 2 THEN latitude WHEN 3 THEN battery_level
               WHEN 4 THEN light_intensity ELSE rainfall END AS a,
             CASE sensor_group WHEN 1 THEN temperature WHEN 2 THEN longitude WHEN 3 THEN signal_strength
               WHEN 4 THEN wind_speed END AS b,
             CASE sensor_group WHEN 1 THEN humidity WHEN 2 THEN altitude WHEN 3 THEN soil_moisture
               WHEN 4 THEN atmospheric_pressure END AS c,
             (COALESCE(bad_mask, 0) >> (3 * (sensor_group - 1))) & 7 AS mask
           FROM readings CROSS JOIN (
             SELECT 1 AS sensor_group UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5
           )
         ) WHERE a IS NOT NULL OR b IS NOT NULL OR c IS NOT NULL`,
      `DROP TABLE readings`,
      `ALTER TABLE readings_in_groups RENAME TO readings`,
    ],
    postgres: [
      `ALTER TABLE readings RENAME TO readings_in_columns`,
      `ALTER INDEX IF EXISTS readings_pkey RENAME TO readings_in_columns_pkey`,
      `CREATE TABLE readings (
         ts_ms BIGINT NOT NULL,
         device_no BIGINT NOT NULL,
         sensor_group BIGINT NOT NULL,
         a BIGINT,
         b BIGINT,
         c BIGINT,
         bad_mask BIGINT,
         PRIMARY KEY (ts_ms, device_no, sensor_group)
       ) PARTITION BY RANGE (ts_ms)`,
      // Each day is copied from its partition to a new one with the same name, and the old one is dropped at once.
      `DO $$
       DECLARE
         old RECORD;
       BEGIN
         FOR old IN
           SELECT relname AS name, pg_get_expr(relpartbound, pg_class.oid) AS bounds
           FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
           WHERE inhparent = 'readings_in_columns'::regclass ORDER BY relname
         LOOP
           EXECUTE format('ALTER TABLE readings_in_columns DETACH PARTITION %I', old.name);
           EXECUTE format('ALTER TABLE %I RENAME TO readings_of_one_day', old.name);
           EXECUTE format('ALTER INDEX IF EXISTS %I RENAME TO readings_of_one_day_pkey', old.name || '_pkey');
           EXECUTE format('CREATE TABLE %I PARTITION OF readings %s', old.name, old.bounds);
           INSERT INTO readings (ts_ms, device_no, sensor_group, a, b, c, bad_mask)
             SELECT ts_ms, device_no, sensor_group, a, b, c,
               NULLIF((COALESCE(bad_mask, 0) >> (3 * (sensor_group - 1))) & 7, 0)
             FROM readings_of_one_day CROSS JOIN LATERAL (VALUES
               (1, weight, temperature, humidity),
               (2, latitude, longitude, altitude),
               (3, battery_level, signal_strength, soil_moisture),
               (4, light_intensity, wind_speed, atmospheric_pressure),
               (5, rainfall, NULL, NULL)
             ) AS lanes (sensor_group, a, b, c)
             WHERE a IS NOT NULL OR b IS NOT NULL OR c IS NOT NULL;
           DROP TABLE readings_of_one_day;
         END LOOP;
       END $$`,
      `DROP TABLE readings_in_columns`,
    ],
  },
];
