import type { Actor } from '@granary/contract/audit';
import type { Sql } from '../sql.ts';

export interface ConfigurationVersionRow {
  readonly version: number;
  readonly atMs: number;
  readonly actor: Actor | null;
  /** As in `configurations`. */
  readonly body: string;
}

/** The actor is that of the write. */
export async function insertVersion(
  sql: Sql,
  deviceNo: number,
  { version, atMs, body }: Omit<ConfigurationVersionRow, 'actor'>,
): Promise<void> {
  const actor = sql.actor === null ? null : JSON.stringify(sql.actor);
  await sql.run(
    'INSERT INTO configuration_versions (device_no, version, at_ms, actor, body) VALUES ($1, $2, $3, $4, $5)',
    [deviceNo, version, atMs, actor, body],
  );
}

export async function removeVersionsUpTo(sql: Sql, deviceNo: number, version: number): Promise<void> {
  await sql.run('DELETE FROM configuration_versions WHERE device_no = $1 AND version <= $2', [
    deviceNo,
    version,
  ]);
}

/** Newest first. */
export async function listVersions(
  sql: Sql,
  deviceNo: number,
  beforeVersion: number | null,
  limit: number,
): Promise<ConfigurationVersionRow[]> {
  const rows = await sql.query<[version: number, atMs: number, actor: string | null, body: string]>(
    `SELECT version, at_ms, actor, body FROM configuration_versions WHERE device_no = $1 AND version < $2
     ORDER BY version DESC LIMIT $3`,
    [deviceNo, beforeVersion ?? Number.MAX_SAFE_INTEGER, limit],
  );
  return rows.map(([version, atMs, actor, body]) => ({
    version,
    atMs,
    body,
    actor: actor === null ? null : JSON.parse(actor),
  }));
}
