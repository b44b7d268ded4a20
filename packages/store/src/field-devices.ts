import { Refusal } from '@granary/contract/errors';
import { storedConfiguration } from '@granary/core/configuration';
import type { FieldFacts } from '@granary/core/field-alert-rules';
import { unsettledCommands } from './command-rows.ts';
import type { StoredDevice } from './devices.ts';
import { type KnownDevice, readKnownDevices } from './known-devices.ts';
import { currentMissions } from './mission-rows.ts';
import type { Sql } from './sql.ts';
import { holdDevice, type Watch } from './watches.ts';

export interface FieldDevice {
  readonly device: StoredDevice;
  readonly facts: FieldFacts;
}

/** Everything that decisions about these field devices rest on, as it stands inside the transaction. */
export async function readFieldDevices(sql: Sql, deviceNos: readonly number[]): Promise<FieldDevice[]> {
  return await fieldDevicesAmong(sql, await readKnownDevices(sql, deviceNos));
}

export async function fieldDevicesAmong(sql: Sql, known: readonly KnownDevice[]): Promise<FieldDevice[]> {
  const devices = known.filter(({ device }) => device.kind === 'field');
  if (devices.length === 0) return [];
  const deviceNos = devices.map(({ device }) => device.deviceNo);
  const missions = Map.groupBy(await currentMissions(sql, deviceNos), ({ deviceNo }) => deviceNo);
  const commands = Map.groupBy(await unsettledCommands(sql, deviceNos), ({ deviceNo }) => deviceNo);
  return devices.map(({ device, latest, configuration }) => {
    const { deviceNo, presence } = device;
    const facts: FieldFacts = {
      ...{ deviceNo, presence, latest },
      configuration: storedConfiguration(configuration),
      missions: missions.get(deviceNo) ?? [],
      commands: commands.get(deviceNo) ?? [],
    };
    return { device, facts };
  });
}

export interface HeldFieldDevice extends FieldDevice {
  readonly watch: Watch;
}

/** A field device that nobody else decides about until the transaction ends, or a refusal. */
export async function holdFieldDevice(sql: Sql, deviceNo: number): Promise<HeldFieldDevice> {
  const watch = await holdDevice(sql, deviceNo);
  const [found] = await readFieldDevices(sql, [deviceNo]);
  if (watch === undefined || found === undefined) {
    throw new Refusal('device_not_found', 'there is no such field device');
  }
  return { ...found, watch };
}
