import { Refusal } from '@granary/contract/errors';
import type { FieldConfiguration } from '@granary/contract/field-configuration';
import type { FieldFacts } from '@granary/core/field-alert-rules';
import { unsettledCommands } from './command-rows.ts';
import type { StoredDevice } from './devices.ts';
import { type KnownDevice, parsedConfiguration, readKnownDevices } from './known-devices.ts';
import { currentMissions } from './mission-rows.ts';
import type { OnUnreadable } from './set-aside.ts';
import type { Sql } from './sql.ts';
import { holdDevice, type Watch } from './watches.ts';

export interface FieldDevice {
  readonly device: StoredDevice;
  readonly facts: FieldFacts;
}

/** Everything that decisions about these field devices rest on, as it stands inside the transaction. */
export async function readFieldDevices(
  sql: Sql,
  deviceNos: readonly number[],
  onUnreadable?: OnUnreadable,
): Promise<FieldDevice[]> {
  return await fieldDevicesAmong(sql, await readKnownDevices(sql, deviceNos), onUnreadable);
}

export async function fieldDevicesAmong(
  sql: Sql,
  known: readonly KnownDevice[],
  onUnreadable?: OnUnreadable,
): Promise<FieldDevice[]> {
  const devices = known.filter(({ device }) => device.kind === 'field');
  if (devices.length === 0) return [];
  const deviceNos = devices.map(({ device }) => device.deviceNo);
  const missions = Map.groupBy(await currentMissions(sql, deviceNos), ({ deviceNo }) => deviceNo);
  const unsettled = await unsettledCommands(sql, deviceNos, onUnreadable);
  const commands = Map.groupBy(unsettled, ({ deviceNo }) => deviceNo);
  return devices.flatMap(({ device, latest, configuration }) => {
    const { deviceNo, presence } = device;
    const parsed = parsedConfiguration<FieldConfiguration>(device, configuration, onUnreadable);
    if (parsed === null) return [];
    const facts: FieldFacts = {
      ...{ deviceNo, presence, latest },
      configuration: parsed,
      missions: missions.get(deviceNo) ?? [],
      commands: commands.get(deviceNo) ?? [],
    };
    return [{ device, facts }];
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
