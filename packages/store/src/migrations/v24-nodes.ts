import type { Migration } from './migration.ts';

/** The processes that share a PostgreSQL database, and until when at least one of them has evaluated alerts. */
export const NODES: Migration = [
  {
    sqlite: [],
    postgres: [
      `CREATE TABLE nodes (
         node_id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
         folder_id       TEXT NOT NULL,
         host            TEXT NOT NULL,
         broker          TEXT NOT NULL,
         version         TEXT NOT NULL,
         preset_hash     TEXT,
         started_at_ms   BIGINT NOT NULL,
         live_since_ms   BIGINT NOT NULL,
         last_seen_at_ms BIGINT NOT NULL
       ) WITH (fillfactor = 50)`,
    ],
  },
  `ALTER TABLE observation ADD COLUMN until_ms BIGINT NOT NULL DEFAULT 0`,
];
