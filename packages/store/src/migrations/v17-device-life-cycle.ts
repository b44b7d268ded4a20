import type { Migration } from './migration.ts';

/** Maintenance that a person has declared, and removed devices. */
export const DEVICE_LIFE_CYCLE: Migration = [
  `ALTER TABLE devices ADD COLUMN maintenance_since_ms BIGINT`,
  `ALTER TABLE devices ADD COLUMN maintenance_until_ms BIGINT`,
  `ALTER TABLE devices ADD COLUMN maintenance_reason TEXT`,
  `ALTER TABLE devices ADD COLUMN maintenance_by TEXT`,
  `ALTER TABLE devices ADD COLUMN removed_at_ms BIGINT`,
];
