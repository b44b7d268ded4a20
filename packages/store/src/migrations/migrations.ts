import { StoreOpenError } from '../errors.ts';
import type { Sql } from '../sql.ts';
import type { Dialect } from './dialect.ts';
import { type Migration, renderMigration } from './migration.ts';
import { FOUNDATION } from './v1-foundation.ts';
import { CONTROL } from './v2-control.ts';
import { FIELD } from './v3-field.ts';
import { REPORTING } from './v4-reporting.ts';
import { BAD_READINGS } from './v5-bad-readings.ts';
import { RETENTION } from './v6-retention.ts';
import { OBSERVATION } from './v7-observation.ts';
import { PLAIN_NAMES } from './v8-plain-names.ts';
import { PROFILES } from './v9-profiles.ts';
import { SENSORS } from './v10-sensors.ts';
import { THRESHOLD_RULES } from './v11-threshold-rules.ts';
import { FLEET } from './v12-fleet.ts';
import { NOTIFICATIONS } from './v13-notifications.ts';
import { WEBHOOKS } from './v14-webhooks.ts';
import { DEVICE_VERSION } from './v15-device-version.ts';
import { AUDIT } from './v16-audit.ts';
import { DEVICE_LIFE_CYCLE } from './v17-device-life-cycle.ts';
import { CONFIGURATION_VERSIONS } from './v18-configuration-versions.ts';
import { DEVICE_PURGE } from './v19-device-purge.ts';
import { SESSIONS } from './v20-sessions.ts';
import { READING_CHUNKS } from './v21-reading-chunks.ts';
import { UNNUMBERED_EVENTS } from './v22-unnumbered-events.ts';
import { OPEN_BUCKET_BYTES } from './v23-open-bucket-bytes.ts';
import { NODES } from './v24-nodes.ts';
import { DEVICE_HEALTH } from './v25-device-health.ts';
import { BROKER_SINCE } from './v26-broker-since.ts';
import { RESTORED_DEVICES } from './v27-restored-devices.ts';

/**
 * One entry per schema version, in order. Each is frozen text that imports nothing: constants of today's code would change
 * what a database of yesterday becomes. A released entry is never edited; the test holds a checksum of each.
 */
export const MIGRATIONS: readonly Migration[] = [
  FOUNDATION,
  CONTROL,
  FIELD,
  REPORTING,
  BAD_READINGS,
  RETENTION,
  OBSERVATION,
  PLAIN_NAMES,
  PROFILES,
  SENSORS,
  THRESHOLD_RULES,
  FLEET,
  NOTIFICATIONS,
  WEBHOOKS,
  DEVICE_VERSION,
  AUDIT,
  DEVICE_LIFE_CYCLE,
  CONFIGURATION_VERSIONS,
  DEVICE_PURGE,
  SESSIONS,
  READING_CHUNKS,
  UNNUMBERED_EVENTS,
  OPEN_BUCKET_BYTES,
  NODES,
  DEVICE_HEALTH,
  BROKER_SINCE,
  RESTORED_DEVICES,
];

/** Called before the tables of an existing database are changed, which may take long. */
export type OnUpgrade = (fromVersion: number, toVersion: number) => void;

/** Brings the tables to the newest version. The caller's transaction makes it all or nothing. */
export async function migrate(
  sql: Sql,
  dialect: Dialect,
  nowMs: number,
  onUpgrade?: OnUpgrade,
): Promise<void> {
  await sql.run('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)');
  const [row] = await sql.query<[version: number]>('SELECT version FROM schema_version');
  const version = row?.[0] ?? 0;
  if (version > MIGRATIONS.length) {
    throw new StoreOpenError(
      `the database was written by a newer version (schema ${version}, this one knows up to ${MIGRATIONS.length})`,
    );
  }
  if (version === MIGRATIONS.length) return;
  if (version > 0) onUpgrade?.(version, MIGRATIONS.length);
  for (const migration of MIGRATIONS.slice(version)) {
    for (const statement of renderMigration(migration, dialect, nowMs)) await sql.run(statement);
  }
  await sql.run('DELETE FROM schema_version');
  await sql.run('INSERT INTO schema_version (version) VALUES ($1)', [MIGRATIONS.length]);
}
