import { Refusal } from '@granary/contract/errors';
import type { Capability } from '@granary/contract/profiles/profile';
import { refuseRemoved } from '@granary/core/devices/removal';
import { areFactsFor, hasCapability, unsupported } from '@granary/core/profiles/capabilities';
import type { DeviceFacts, FactsFor } from '@granary/core/profiles/profile';
import type { Sql } from '@granary/store/sql';
import { type AlertEvaluation, lockDevice } from '@granary/store/tables/alerts/alert-evaluations';
import { unfinishedCommands } from '@granary/store/tables/commands';
import type { StoredDevice } from '@granary/store/tables/devices';
import type { OnUnreadable } from '@granary/store/tables/unreadable-row';
import { COMMANDS } from '../commands/command-jobs.ts';
import { currentMissions } from '../missions/mission-jobs.ts';
import { currentOperations } from '../operations/operation-jobs.ts';
import { parsedConfiguration, readDeviceSnapshots } from './device-snapshots.ts';

export interface DeviceWithFacts<Facts = DeviceFacts> {
  readonly device: StoredDevice;
  readonly facts: Facts;
}

/**
 * Reads the facts for decisions about these devices, inside the transaction. With `onUnreadable`, devices with damaged rows
 * are left out. Without it, the sensors of the profile are enough.
 */
export async function readDeviceFacts(
  sql: Sql,
  deviceNos: readonly number[],
  onUnreadable?: OnUnreadable,
): Promise<DeviceWithFacts[]> {
  const known = await readDeviceSnapshots(sql, deviceNos);
  const devices = known.map(({ device }) => device);
  const [operations, missions, commands] = await Promise.all([
    jobsOf(devices, 'operations', (nos) => currentOperations(sql, nos, onUnreadable)),
    jobsOf(devices, 'missions', (nos) => currentMissions(sql, nos)),
    jobsOf(devices, 'commands', (nos) => unfinishedCommands(sql, COMMANDS, nos, onUnreadable)),
  ]);
  return known.flatMap(({ device, sensors, damagedSensors, latest, configuration }) => {
    const { deviceNo, profile, presence, capacityKg } = device;
    if (damagedSensors !== null && onUnreadable !== undefined) {
      onUnreadable(damagedSensors);
      return [];
    }
    const parsed = parsedConfiguration(device, configuration, onUnreadable);
    if (parsed === null) return [];
    const facts: DeviceFacts = {
      ...{ deviceNo, profile, presence, sensors, latest },
      ...(capacityKg === null ? {} : { capacityKg }),
      configuration: parsed,
      operations: operations.get(deviceNo) ?? [],
      missions: missions.get(deviceNo) ?? [],
      commands: commands.get(deviceNo) ?? [],
    };
    return [{ device, facts }];
  });
}

export type FactsOf<Wanted extends Capability> = DeviceFacts & FactsFor[Wanted];

export interface LockedDevice<Wanted extends Capability> extends DeviceWithFacts<FactsOf<Wanted>> {
  readonly evaluation: AlertEvaluation;
}

/** Locks a device until the end of the transaction, or refuses if its profile does not have the capability. */
export async function lockDeviceFor<Wanted extends Capability>(
  sql: Sql,
  deviceNo: number,
  capability: Wanted,
): Promise<LockedDevice<Wanted>> {
  const evaluation = await lockDevice(sql, deviceNo);
  const found = await readDeviceFor(sql, deviceNo, capability);
  if (evaluation === undefined) throw noSuchDevice();
  return { ...found, evaluation };
}

/** Reads the facts about a device without a lock, or refuses if its profile does not have the capability. */
export async function readDeviceFor<Wanted extends Capability>(
  sql: Sql,
  deviceNo: number,
  capability: Wanted,
): Promise<DeviceWithFacts<FactsOf<Wanted>>> {
  const [found] = await readDeviceFacts(sql, [deviceNo]);
  if (found === undefined) throw noSuchDevice();
  const { device, facts } = found;
  refuseRemoved(device);
  if (!areFactsFor(facts, capability)) throw unsupported(device.profile, capability);
  return { device, facts };
}

const noSuchDevice = (): Refusal => new Refusal('device_not_found', 'there is no such device');

/** The jobs by device; only devices with the capability are asked for. */
async function jobsOf<Job extends { readonly deviceNo: number }>(
  devices: readonly StoredDevice[],
  capability: Capability,
  read: (deviceNos: readonly number[]) => Promise<Job[]>,
): Promise<Map<number, Job[]>> {
  const able = devices.filter(({ profile }) => hasCapability(profile, capability));
  const jobs = able.length === 0 ? [] : await read(able.map(({ deviceNo }) => deviceNo));
  return Map.groupBy(jobs, ({ deviceNo }) => deviceNo);
}
