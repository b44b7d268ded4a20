import type { Migration } from './migration.ts';

/** Buckets of the past in compressed chunks, each of one sensor and one span of time. */
export const COMPRESSED_HISTORY: Migration = [
  // Not stored by its key in SQLite: in such a table the last page of a long body is not shared with others.
  `CREATE TABLE bucket_chunks (
     size_ms BIGINT NOT NULL,
     span_no BIGINT NOT NULL,
     device_no BIGINT NOT NULL,
     sensor_group BIGINT NOT NULL,
     slot BIGINT NOT NULL,
     body {{bytes}} NOT NULL,
     PRIMARY KEY (size_ms, span_no, device_no, sensor_group, slot)
   )`,
  { sqlite: [], postgres: [`ALTER TABLE bucket_chunks ALTER COLUMN body SET STORAGE EXTERNAL`] },
];
