import type { Migration } from './migration.ts';

/** The versions of each configuration, beginning with the present one, whose caller is not known any more. */
export const CONFIGURATION_VERSIONS: Migration = [
  `CREATE TABLE configuration_versions (
      device_no BIGINT NOT NULL REFERENCES devices,
      version BIGINT NOT NULL,
      at_ms BIGINT NOT NULL,
      actor TEXT,
      body TEXT NOT NULL,
      PRIMARY KEY (device_no, version)
    )`,
  `INSERT INTO configuration_versions (device_no, version, at_ms, actor, body)
   SELECT device_no, version, {{nowMs}}, NULL, body FROM configurations`,
];
