import type { SiloFacts } from '@granary/core/alert-rules';
import type { OperationState } from '@granary/core/operation-state';
import { findDevices, type StoredDevice } from './devices.ts';
import { currentOperations } from './operation-rows.ts';
import type { Sql } from './sql.ts';
import { latestOfMany } from './telemetry.ts';

export interface Silo {
  readonly device: StoredDevice;
  readonly facts: SiloFacts;
}

/** Everything that decisions about these silos rest on, as it stands inside the transaction. */
export async function readSilos(sql: Sql, deviceNos: readonly number[]): Promise<Silo[]> {
  const devices = await findDevices(sql, deviceNos);
  const latest = await latestOfMany(sql, deviceNos);
  const configurations = await sql.query<[deviceNo: number, body: string]>(
    `SELECT device_no, body FROM configurations WHERE ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos)],
  );
  const configurationOf = new Map(configurations);
  const operations = Map.groupBy(await currentOperations(sql, deviceNos), ({ deviceNo }) => deviceNo);
  return devices.flatMap((device) => {
    const { deviceNo, presence, capacityKg } = device;
    const configuration = configurationOf.get(deviceNo);
    if (configuration === undefined || capacityKg === null) return [];
    const facts: SiloFacts = {
      ...{ deviceNo, presence, capacityKg },
      latest: latest.get(deviceNo) ?? {},
      configuration: JSON.parse(configuration),
      operations: operations.get(deviceNo) ?? NO_OPERATIONS,
    };
    return [{ device, facts }];
  });
}

const NO_OPERATIONS: readonly OperationState[] = [];
