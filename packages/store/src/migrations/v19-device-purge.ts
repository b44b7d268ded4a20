import type { Migration } from './migration.ts';

/** How far the removal of all rows of a device has come; the row of the device itself stays, because events refer to it. */
export const DEVICE_PURGE: Migration = [
  `ALTER TABLE devices ADD COLUMN purge_started_at_ms BIGINT`,
  `ALTER TABLE devices ADD COLUMN purge_stage BIGINT`,
  `ALTER TABLE devices ADD COLUMN purge_position BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE devices ADD COLUMN purge_rows BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE devices ADD COLUMN purged_device_id TEXT`,
  `CREATE INDEX devices_being_purged ON devices (device_no) WHERE purge_stage IS NOT NULL`,
];
