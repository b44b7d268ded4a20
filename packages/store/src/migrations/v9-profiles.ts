import type { Migration } from './migration.ts';

/** Which profile a device was registered with (so far each group had one), and a channel for rain. */
export const PROFILES: Migration = [
  `ALTER TABLE devices ADD COLUMN profile TEXT NOT NULL DEFAULT 'rover'`,
  `UPDATE devices SET profile = 'silo_scale' WHERE kind = 'silo'`,
  'ALTER TABLE readings ADD COLUMN rainfall BIGINT',
];
