import { Refusal } from '@granary/contract/errors';
import type { Capability } from '@granary/contract/profiles/profile';
import { refuseRemoved } from '@granary/core/devices/removal';
import { areFactsFor, type DeviceFacts, type FactsFor, unsupported } from '@granary/core/profiles/profile';
import { DUPLICATE_DOCUMENT } from '@granary/core/reception/duplicate';
import { RECEPTION_DOCUMENT } from '@granary/core/reception/reception';
import type { Sql } from '@granary/store/sql';
import { type AlertEvaluation, lockDevice } from '../alerts/evaluation-rows.ts';
import { COMMANDS } from '../commands/command-rows.ts';
import { currentMissionsIn } from '../missions/mission-rows.ts';
import { currentOperationsIn } from '../operations/operation-rows.ts';
import { together } from '../together.ts';
import type { OnUnreadable } from '../unreadable-row.ts';
import { findDevices, type StoredDevice } from './device-rows.ts';
import { parsedConfiguration, snapshotsOf } from './device-snapshots.ts';
import { readFactRows } from './fact-rows.ts';
import { readableOrNull } from './health-rows.ts';

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
  const [devices, rows] = await together([findDevices(sql, deviceNos), readFactRows(sql, deviceNos)]);
  const known = snapshotsOf(devices, rows);
  const operations = Map.groupBy(
    currentOperationsIn(rows.newestOperations, rows.unfinishedOperations, onUnreadable),
    ofDevice,
  );
  const missions = Map.groupBy(currentMissionsIn(rows.lastEndedMissions, rows.missionsUnderWay), ofDevice);
  const commands = Map.groupBy(COMMANDS.restored(rows.unfinishedCommands, onUnreadable), ofDevice);
  return known.flatMap(({ device, sensors, damagedSensors, latest, configuration }) => {
    const { deviceNo, profile, presence, capacityKg } = device;
    if (damagedSensors !== null && onUnreadable !== undefined) {
      onUnreadable(damagedSensors);
      return [];
    }
    const parsed = parsedConfiguration(device, configuration, onUnreadable);
    if (parsed === null) return [];
    const facts: DeviceFacts = {
      deviceNo,
      profile,
      presence,
      sensors,
      latest,
      reception: readableOrNull(RECEPTION_DOCUMENT, rows.receptions.get(deviceNo) ?? null),
      duplicate: readableOrNull(DUPLICATE_DOCUMENT, rows.duplicates.get(deviceNo) ?? null),
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
  const [evaluation, found] = await together([
    lockDevice(sql, deviceNo),
    readDeviceFor(sql, deviceNo, capability),
  ]);
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

const noSuchDevice = (): Refusal => new Refusal('device_not_found', 'the device does not exist any more');

const ofDevice = ({ deviceNo }: { readonly deviceNo: number }): number => deviceNo;
