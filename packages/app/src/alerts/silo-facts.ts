import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import type { SiloFacts } from '@granary/core/alerts/silo-rules';
import type { Sql } from '@granary/store/sql';
import type { StoredDevice } from '@granary/store/tables/devices';
import type { OnUnreadable } from '@granary/store/tables/unreadable-row';
import {
  type DeviceSnapshot,
  parsedConfiguration,
  readDeviceSnapshots,
} from '../devices/device-snapshots.ts';
import { currentOperations } from '../operations/operation-jobs.ts';

export interface Silo {
  readonly device: StoredDevice;
  readonly facts: SiloFacts;
}

/** Everything that decisions about these silos rest on, as it stands inside the transaction. */
export async function readSilos(sql: Sql, deviceNos: readonly number[]): Promise<Silo[]> {
  return await silosAmong(sql, await readDeviceSnapshots(sql, deviceNos));
}

export async function silosAmong(
  sql: Sql,
  known: readonly DeviceSnapshot[],
  onUnreadable?: OnUnreadable,
): Promise<Silo[]> {
  const silos = known.filter(({ device }) => device.kind === 'silo');
  if (silos.length === 0) return [];
  const deviceNos = silos.map(({ device }) => device.deviceNo);
  const operations = Map.groupBy(
    await currentOperations(sql, deviceNos, onUnreadable),
    ({ deviceNo }) => deviceNo,
  );
  return silos.flatMap(({ device, latest, configuration }) => {
    const { deviceNo, presence, capacityKg } = device;
    const parsed = parsedConfiguration<SiloConfiguration>(device, configuration, onUnreadable);
    if (capacityKg === null || parsed === null) return [];
    const facts: SiloFacts = {
      ...{ deviceNo, presence, capacityKg, latest },
      configuration: parsed,
      operations: operations.get(deviceNo) ?? [],
    };
    return [{ device, facts }];
  });
}
