import type { Migration } from './migration.ts';

/** Raw readings of the past in compressed chunks, and how far the compression has come, which is also the lock of the chunks. */
export const READING_CHUNKS: Migration = [
  {
    sqlite: [
      `CREATE TABLE reading_chunks (
         first_ms INTEGER PRIMARY KEY,
         last_ms  BIGINT NOT NULL,
         readings BIGINT NOT NULL,
         chunk_no BIGINT NOT NULL,
         body     BLOB   NOT NULL
       )`,
    ],
    postgres: [
      `CREATE TABLE reading_chunks (
         first_ms BIGINT NOT NULL PRIMARY KEY,
         last_ms  BIGINT NOT NULL,
         readings BIGINT NOT NULL,
         chunk_no BIGINT NOT NULL,
         body     BYTEA  NOT NULL
       )`,
      // It is compressed already.
      `ALTER TABLE reading_chunks ALTER COLUMN body SET STORAGE EXTERNAL`,
    ],
  },
  `CREATE TABLE reading_compression (
    chunked_until_ms BIGINT NOT NULL,
    last_chunk_no    BIGINT NOT NULL
  )`,
  `INSERT INTO reading_compression (chunked_until_ms, last_chunk_no) VALUES (-1, 0)`,
];
