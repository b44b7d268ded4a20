import type { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import { Refusal } from '@granary/contract/errors';
import type { FieldFacts } from '@granary/core/alerts/field-rules';
import type { Sql } from '@granary/store/sql';
import { type AlarmEvaluation, lockDevice } from '@granary/store/tables/alarm-evaluation';
import type { StoredDevice } from '@granary/store/tables/devices';
import type { OnUnreadable } from '@granary/store/tables/unreadable-row';
import { unfinishedCommands } from '../commands/command-jobs.ts';
import {
  type DeviceSnapshot,
  parsedConfiguration,
  readDeviceSnapshots,
} from '../devices/device-snapshots.ts';
import { currentMissions } from '../missions/mission-jobs.ts';

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
  return await fieldDevicesAmong(sql, await readDeviceSnapshots(sql, deviceNos), onUnreadable);
}

export async function fieldDevicesAmong(
  sql: Sql,
  known: readonly DeviceSnapshot[],
  onUnreadable?: OnUnreadable,
): Promise<FieldDevice[]> {
  const devices = known.filter(({ device }) => device.kind === 'field');
  if (devices.length === 0) return [];
  const deviceNos = devices.map(({ device }) => device.deviceNo);
  const missions = Map.groupBy(await currentMissions(sql, deviceNos), ({ deviceNo }) => deviceNo);
  const unfinished = await unfinishedCommands(sql, deviceNos, onUnreadable);
  const commands = Map.groupBy(unfinished, ({ deviceNo }) => deviceNo);
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
  readonly watch: AlarmEvaluation;
}

/** A field device that nobody else decides about until the transaction ends, or a refusal. */
export async function lockFieldDevice(sql: Sql, deviceNo: number): Promise<HeldFieldDevice> {
  const watch = await lockDevice(sql, deviceNo);
  const [found] = await readFieldDevices(sql, [deviceNo]);
  if (watch === undefined || found === undefined) {
    throw new Refusal('device_not_found', 'there is no such field device');
  }
  return { ...found, watch };
}
