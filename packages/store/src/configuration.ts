import type { SiloConfiguration, SiloConfigurationPatch } from '@granary/contract/configuration';
import { Refusal } from '@granary/contract/errors';
import { applyPatch } from '@granary/core/configuration';
import type { Sql } from './sql.ts';

export interface StoredConfiguration {
  readonly configuration: SiloConfiguration;
  /** Grows by one with every change. */
  readonly version: number;
}

export const reads = {
  async get(sql: Sql, deviceNo: number): Promise<StoredConfiguration | undefined> {
    return await find(sql, deviceNo, '');
  },
};

export const writes = {
  /** Lays a patch over the stored configuration. With `ifVersion` only if nobody changed it since. */
  async change(
    sql: Sql,
    deviceNo: number,
    patch: SiloConfigurationPatch,
    ifVersion?: number,
  ): Promise<StoredConfiguration> {
    const current = await find(sql, deviceNo, sql.forUpdate);
    if (current === undefined) throw new Refusal('device_not_found', 'the device has no configuration');
    if (ifVersion !== undefined && ifVersion !== current.version) {
      throw new Refusal(
        'stale_version',
        `the configuration is at version ${current.version}, not ${ifVersion}`,
      );
    }
    const configuration = applyPatch(current.configuration, patch);
    const version = current.version + 1;
    await sql.run('UPDATE configurations SET version = $2, body = $3 WHERE device_no = $1', [
      deviceNo,
      version,
      JSON.stringify(configuration),
    ]);
    return { configuration, version };
  },
};

async function find(sql: Sql, deviceNo: number, suffix: string): Promise<StoredConfiguration | undefined> {
  const [row] = await sql.query<[version: number, body: string]>(
    `SELECT version, body FROM configurations WHERE device_no = $1 ${suffix}`,
    [deviceNo],
  );
  return row && { configuration: JSON.parse(row[1]), version: row[0] };
}

export async function insertConfiguration(
  sql: Sql,
  deviceNo: number,
  configuration: SiloConfiguration,
): Promise<void> {
  await sql.run('INSERT INTO configurations (device_no, version, body) VALUES ($1, 1, $2)', [
    deviceNo,
    JSON.stringify(configuration),
  ]);
}
