import type { SiloConfiguration } from '@granary/contract/configuration';
import type { SiloFacts } from '@granary/core/alert-rules';
import type { StoredDevice } from './devices.ts';
import { type KnownDevice, parsedConfiguration, readKnownDevices } from './known-devices.ts';
import { currentOperations } from './operation-rows.ts';
import type { OnUnreadable } from './set-aside.ts';
import type { Sql } from './sql.ts';

export interface Silo {
  readonly device: StoredDevice;
  readonly facts: SiloFacts;
}

/** Everything that decisions about these silos rest on, as it stands inside the transaction. */
export async function readSilos(sql: Sql, deviceNos: readonly number[]): Promise<Silo[]> {
  return await silosAmong(sql, await readKnownDevices(sql, deviceNos));
}

export async function silosAmong(
  sql: Sql,
  known: readonly KnownDevice[],
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
