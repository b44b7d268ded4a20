import type { DatabaseSync } from 'node:sqlite';
import { BackupError } from '../../errors.ts';
import { MIGRATIONS } from '../../migrations/migrations.ts';
import { foreignObjectIn } from '../database.ts';
import { readArrays } from '../read-arrays.ts';

/** Figures about a database that can be read fast. They serve to compare a copy with its source and to describe it to a person. */
export interface Contents {
  readonly schemaVersion: number;
  readonly devices: number;
  readonly keys: number;
  /** The time of the newest reading; `null` if there are no readings. */
  readonly newestReadingMs: number | null;
}

const GRANARY_TABLES = ['granary_schema', 'devices', 'keys', 'readings'];

const NEWEST_READING = `SELECT MAX(newest_ms) FROM (
  SELECT MAX(ts_ms) AS newest_ms FROM readings
  UNION ALL SELECT MAX(last_ms) FROM (SELECT last_ms FROM reading_chunks ORDER BY first_ms DESC LIMIT 1))`;

/** Refuses a file that is not a database of this service, or one that this version cannot open. */
export function readContents(database: DatabaseSync, file: string): Contents {
  const names = GRANARY_TABLES.map((name) => `'${name}'`).join(', ');
  const tables = numberOf(
    database,
    `SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name IN (${names})`,
  );
  if (tables !== GRANARY_TABLES.length) throw new BackupError(`${file} is not a Granary database`);
  const foreign = foreignObjectIn(database);
  if (foreign !== null) {
    throw new BackupError(
      `${file} has the ${foreign}, which is not of this service and could change its data`,
    );
  }
  const schemaVersion = numberOf(database, 'SELECT version FROM granary_schema') ?? 0;
  if (schemaVersion > MIGRATIONS.length) {
    throw new BackupError(
      `${file} was written by a newer version (schema ${schemaVersion}, this one knows up to ${MIGRATIONS.length})`,
    );
  }
  return {
    schemaVersion,
    devices: numberOf(database, 'SELECT COUNT(*) FROM devices') ?? 0,
    keys: numberOf(database, 'SELECT COUNT(*) FROM keys') ?? 0,
    newestReadingMs: numberOf(database, NEWEST_READING),
  };
}

/** Returns the first problem that SQLite finds in any page or index, or `null`. */
export function faultIn(database: DatabaseSync): string | null {
  const [[result] = []] = readArrays(database, 'PRAGMA integrity_check(1)');
  return result === 'ok' ? null : String(result).split('\n')[0] || 'unknown fault';
}

function numberOf(database: DatabaseSync, text: string): number | null {
  const [[value] = []] = readArrays(database, text);
  return typeof value === 'number' ? value : null;
}
