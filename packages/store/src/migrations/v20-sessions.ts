import type { Migration } from './migration.ts';

/** Browsers that have signed in with a key, and codes with which one can sign in once. Only hashes are stored. */
export const SESSIONS: Migration = [
  `CREATE TABLE sessions (
    hash             TEXT   NOT NULL PRIMARY KEY,
    key_id           {{idText}} NOT NULL,
    created_at_ms    BIGINT NOT NULL,
    last_used_at_ms  BIGINT NOT NULL,
    expires_at_ms    BIGINT NOT NULL
  )`,
  `CREATE INDEX sessions_of_key ON sessions (key_id, last_used_at_ms)`,
  `CREATE INDEX sessions_by_end ON sessions (expires_at_ms)`,
  `CREATE TABLE sign_in_codes (
    hash             TEXT   NOT NULL PRIMARY KEY,
    key_id           {{idText}} NOT NULL,
    created_at_ms    BIGINT NOT NULL,
    expires_at_ms    BIGINT NOT NULL
  )`,
  `CREATE INDEX sign_in_codes_of_key ON sign_in_codes (key_id, created_at_ms)`,
  `CREATE INDEX sign_in_codes_by_end ON sign_in_codes (expires_at_ms)`,
];
