import type { Migration } from './migration.ts';

/** What is not as it should be with the messages (`reception`) and the connections (`duplicate`) of a device. */
export const DEVICE_HEALTH: Migration = [
  `CREATE TABLE device_health (
     device_no BIGINT NOT NULL PRIMARY KEY REFERENCES devices,
     reception TEXT,
     duplicate TEXT
   )`,
];
