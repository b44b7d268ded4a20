import type { SiloConfiguration, SiloConfigurationPatch } from '@granary/contract/configuration';
import { Refusal } from '@granary/contract/errors';
import { applyPatch } from '@granary/core/configuration';
import { evaluateSilos } from './evaluation.ts';
import { logEvents } from './events.ts';
import type { Sql } from './sql.ts';
import { holdSilos } from './watches.ts';

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
  /**
   * Lays a patch over the stored configuration, with `ifVersion` only if nobody changed it since. The alerts follow at
   * once.
   */
  async change(
    sql: Sql,
    deviceNo: number,
    patch: SiloConfigurationPatch,
    nowMs: number,
    ifVersion?: number,
  ): Promise<StoredConfiguration> {
    const held = await holdSilos(sql, [deviceNo]);
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
    const { events } = await evaluateSilos(sql, held, nowMs);
    const changed = { type: 'configuration.changed', deviceNo, atMs: nowMs, data: configuration } as const;
    await logEvents(sql, [changed, ...events]);
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
