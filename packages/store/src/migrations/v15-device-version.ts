import type { Migration } from './migration.ts';

/** The version of what a caller can change of a device; it is the ETag of the device. */
export const DEVICE_VERSION: Migration = [`ALTER TABLE devices ADD COLUMN version BIGINT NOT NULL DEFAULT 1`];
