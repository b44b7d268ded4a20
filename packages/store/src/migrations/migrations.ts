import { StoreOpenError } from '../errors.ts';
import type { Sql } from '../sql.ts';
import { badReadings } from './bad-readings.ts';
import { control } from './control-tables.ts';
import type { Dialect } from './dialect.ts';
import { field } from './field-tables.ts';
import { observation } from './observation.ts';
import { reporting } from './reporting.ts';
import { retention } from './retention.ts';

/** One entry per version, in order. An entry that was ever released is never edited. */
const MIGRATIONS: readonly ((dialect: Dialect, nowMs: number) => readonly string[])[] = [
  foundation,
  control,
  field,
  reporting,
  badReadings,
  retention,
  observation,
];

export async function migrate(sql: Sql, dialect: Dialect, nowMs: number): Promise<void> {
  await sql.run('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)');
  const [row] = await sql.query<[version: number]>('SELECT version FROM schema_version');
  const version = row?.[0] ?? 0;
  if (version > MIGRATIONS.length) {
    throw new StoreOpenError(
      `the database was written by a newer version (schema ${version}, this one knows up to ${MIGRATIONS.length})`,
    );
  }
  if (version === MIGRATIONS.length) return;
  for (const migration of MIGRATIONS.slice(version)) {
    for (const statement of migration(dialect, nowMs)) await sql.run(statement);
  }
  await sql.run('DELETE FROM schema_version');
  await sql.run('INSERT INTO schema_version (version) VALUES ($1)', [MIGRATIONS.length]);
}

function foundation(dialect: Dialect): string[] {
  return [
    `CREATE TABLE devices (
      device_no ${dialect.generatedKey},
      device_id ${dialect.idText} NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      model TEXT NOT NULL,
      firmware_version TEXT NOT NULL,
      facility TEXT NOT NULL,
      zone TEXT NOT NULL,
      capacity_kg DOUBLE PRECISION,
      secret_hash TEXT NOT NULL,
      registered_at_ms BIGINT NOT NULL
    )`,
    // Apart from devices because it changes with every message.
    `CREATE TABLE presence (
      device_no BIGINT PRIMARY KEY REFERENCES devices,
      last_seen_at_ms BIGINT,
      link_down_at_ms BIGINT,
      reported_state TEXT,
      rejected_count BIGINT NOT NULL DEFAULT 0
    ) ${dialect.oftenUpdated}`,
    `CREATE TABLE configurations (
      device_no BIGINT PRIMARY KEY REFERENCES devices,
      version BIGINT NOT NULL,
      body TEXT NOT NULL
    )`,
    `CREATE TABLE rejections (
      rejection_no ${dialect.generatedKey},
      device_no BIGINT NOT NULL REFERENCES devices,
      received_at_ms BIGINT NOT NULL,
      topic TEXT NOT NULL,
      reason TEXT NOT NULL,
      payload TEXT NOT NULL
    )`,
    'CREATE INDEX rejections_of_device ON rejections (device_no, rejection_no)',
    `CREATE TABLE keys (
      key_id ${dialect.idText} PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      scopes TEXT NOT NULL,
      facilities TEXT,
      device_ids TEXT,
      created_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT,
      last_used_at_ms BIGINT,
      revoked_at_ms BIGINT
    )`,
    // Time comes first in the key: readings arrive in order of time, so they are written side by side.
    `CREATE TABLE readings (
      ts_ms BIGINT NOT NULL,
      device_no BIGINT NOT NULL,
      weight BIGINT,
      temperature BIGINT,
      humidity BIGINT,
      latitude BIGINT,
      longitude BIGINT,
      altitude BIGINT,
      battery_level BIGINT,
      signal_strength BIGINT,
      soil_moisture BIGINT,
      light_intensity BIGINT,
      wind_speed BIGINT,
      atmospheric_pressure BIGINT,
      PRIMARY KEY (ts_ms, device_no)
    ) ${dialect.partitionedByTime}`,
    // Why there are blocks: see buckets.ts. Why there are parts and slots: see channels.ts.
    `CREATE TABLE buckets (
      size_ms BIGINT NOT NULL,
      block BIGINT NOT NULL,
      device_no BIGINT NOT NULL,
      part BIGINT NOT NULL,
      start_ms BIGINT NOT NULL,
      ${slotDefinitions(['sum', 'count'], ['min', 'max', 'last', 'last_ts_ms'])},
      PRIMARY KEY (size_ms, block, device_no, part, start_ms)
    ) ${dialect.clustered} ${dialect.oftenUpdated}`,
    `CREATE TABLE latest (
      device_no BIGINT NOT NULL,
      part BIGINT NOT NULL,
      ${slotDefinitions([], ['value', 'ts_ms', 'sum', 'count', 'min', 'max'])},
      PRIMARY KEY (device_no, part)
    ) ${dialect.clustered} ${dialect.oftenUpdated}`,
  ];
}

function slotDefinitions(always: readonly string[], whenFilled: readonly string[]): string {
  return ['a', 'b', 'c']
    .flatMap((slot) => [
      ...always.map((field) => `${slot}_${field} BIGINT NOT NULL`),
      ...whenFilled.map((field) => `${slot}_${field} BIGINT`),
    ])
    .join(',\n      ');
}
