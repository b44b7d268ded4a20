import { Refusal } from '@granary/contract/errors';
import type { Capability } from '@granary/contract/profiles/profile';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import type { ForesightAlarms } from '@granary/core/alerts/rules/foresight-rules';
import { storedConfiguration } from '@granary/core/configuration/versions';
import { refuseRemoved } from '@granary/core/fleet/removal';
import { areFactsFor, type DeviceFacts, type FactsFor, unsupported } from '@granary/core/profiles/profile';
import { DUPLICATE_DOCUMENT } from '@granary/core/reception/duplicate';
import { RECEPTION_DOCUMENT } from '@granary/core/reception/reception';
import { sensorsOf } from '@granary/core/sensors/declared-sensors';
import { type GroupValues, type LatestValues, latestValues, type Sensor } from '@granary/core/sensors/sensor';
import { standardSensorsOf } from '@granary/core/sensors/standard-sensors';
import type { Sql } from '@granary/store/sql';
import { type AlertEvaluation, lockDevice } from './alerts/evaluation-rows.ts';
import { COMMANDS } from './commands/command-rows.ts';
import { configurationsOf } from './configuration/configuration-rows.ts';
import { findDevices, type StoredDevice } from './device-rows.ts';
import { readableOrNull } from './health-rows.ts';
import { isUnfinished, type StoredJob } from './jobs/job-rows.ts';
import { currentMissionsIn, isLastEnded, isUnderWay } from './missions/mission-rows.ts';
import { currentOperationsIn, isNewestOperation } from './operations/operation-rows.ts';
import { latestOfDevices, toLatest } from './telemetry/latest-values.ts';
import { type Transaction, together } from './transaction.ts';
import { type OnUnreadable, reasonOf, type SetAside, UnreadableRow } from './unreadable-row.ts';

const LATEST = 1;
const CONFIGURATION = 2;
const NEWEST_OPERATION = 3;
const UNFINISHED_OPERATION = 4;
const MISSION_UNDER_WAY = 5;
const LAST_ENDED_MISSION = 6;
const UNFINISHED_COMMAND = 7;
const RECEPTION = 8;
const DUPLICATE = 9;
const FORESIGHT = 10;

/** The facts for decisions about a device of any kind. */
export interface DeviceSnapshot {
  readonly device: StoredDevice;
  /** Only the sensors of the profile, if the declared sensors are damaged. */
  readonly sensors: readonly Sensor[];
  readonly damagedSensors: SetAside | null;
  readonly latest: LatestValues;
  /** JSON whose schema depends on the profile of the device. */
  readonly configuration: string;
}

/** Reads the snapshots inside the transaction. Damaged declared sensors are no reason to leave a device out, because its stop must be repeated. */
export async function readDeviceSnapshots(sql: Sql, deviceNos: readonly number[]): Promise<DeviceSnapshot[]> {
  const [devices, latest, configurations] = await Promise.all([
    findDevices(sql, deviceNos),
    latestOfDevices(sql, deviceNos),
    configurationsOf(sql, deviceNos),
  ]);
  return snapshotsOf(devices, { latest, configurations });
}

/** Returns the snapshots of the devices that have a configuration. */
function snapshotsOf(
  devices: readonly StoredDevice[],
  { latest, configurations }: Pick<FactRows, 'latest' | 'configurations'>,
): DeviceSnapshot[] {
  return devices.flatMap((device) => {
    const { deviceNo } = device;
    const configuration = configurations.get(deviceNo);
    if (configuration === undefined) return [];
    const { sensors, damagedSensors } = readableSensors(device);
    const values = latestValues(sensors, latest.get(deviceNo) ?? []);
    return [{ device, sensors, damagedSensors, latest: values, configuration }];
  });
}

function readableSensors({ deviceId, profile, sensorDocument }: StoredDevice) {
  try {
    return { sensors: sensorsOf(profile, sensorDocument), damagedSensors: null };
  } catch (error) {
    const damagedSensors = { kind: 'sensors', id: deviceId, reason: reasonOf(error) };
    return { sensors: standardSensorsOf(profile), damagedSensors };
  }
}

/** Returns `null` for a damaged configuration if `onUnreadable` sets it aside, so that other devices are not affected; otherwise throws. */
function parsedConfiguration(
  { deviceId }: StoredDevice,
  stored: string,
  onUnreadable?: OnUnreadable,
): DeviceConfiguration | null {
  try {
    return storedConfiguration(stored);
  } catch (error) {
    const item = { kind: 'configuration', id: deviceId, reason: reasonOf(error) };
    if (onUnreadable === undefined) throw new UnreadableRow(item, { cause: error });
    onUnreadable(item);
    return null;
  }
}

/** The stored data that decisions about devices need, besides the rows of the devices and their alerts. */
interface FactRows {
  /** The latest values by device number. */
  readonly latest: ReadonlyMap<number, GroupValues[]>;
  /** The configurations as JSON, by device number. */
  readonly configurations: ReadonlyMap<number, string>;
  /** The receptions as JSON, by device number, for the devices that have one. */
  readonly receptions: ReadonlyMap<number, string>;
  readonly duplicates: ReadonlyMap<number, string>;
  /** The alarms of the last forecast as JSON, by device number. */
  readonly foresight: ReadonlyMap<number, string>;
  /** The jobs are in the order of insertion, in this list and in the lists below. */
  readonly newestOperations: readonly StoredJob[];
  readonly unfinishedOperations: readonly StoredJob[];
  readonly missionsUnderWay: readonly StoredJob[];
  readonly lastEndedMissions: readonly StoredJob[];
  readonly unfinishedCommands: readonly StoredJob[];
}

interface FactRow {
  readonly kind: number;
  readonly deviceNo: number;
  readonly no: number;
  readonly id: string | null;
  readonly body: string | null;
  readonly latest: Uint8Array | null;
}

const health = (kind: number, column: 'reception' | 'duplicate', condition: string): string =>
  `SELECT ${kind}, device_no, 0, NULL, ${column}, NULL FROM device_health WHERE ${column} IS NOT NULL AND ${condition}`;

const jobs = (kind: number, name: string, condition: string): string =>
  `SELECT ${kind}, device_no, ${name}_no, ${name}_id, body, NULL FROM ${name}s WHERE ${condition}`;

/** Reads everything in one statement: nearly every write about a device needs all of it, and each statement has its own cost. */
async function readFactRows(sql: Sql, deviceNos: readonly number[]): Promise<FactRows> {
  const isWanted = sql.isOneOfNumbers('device_no', '$1');
  const rows = await sql.query<FactRow>(
    [
      `SELECT ${LATEST} AS kind, device_no, sensor_group AS no, NULL AS id, NULL AS body, body AS latest FROM open_buckets WHERE ${isWanted}`,
      `SELECT ${CONFIGURATION}, device_no, 0, NULL, body, NULL FROM configurations WHERE ${isWanted}`,
      jobs(NEWEST_OPERATION, 'operation', isNewestOperation(sql)),
      jobs(UNFINISHED_OPERATION, 'operation', isUnfinished(sql)),
      jobs(MISSION_UNDER_WAY, 'mission', isUnderWay(sql)),
      jobs(LAST_ENDED_MISSION, 'mission', isLastEnded(sql)),
      jobs(UNFINISHED_COMMAND, 'command', isUnfinished(sql)),
      health(RECEPTION, 'reception', isWanted),
      health(DUPLICATE, 'duplicate', isWanted),
      `SELECT ${FORESIGHT}, device_no, 0, NULL, alarms, NULL FROM forecasts WHERE ${isWanted}`,
    ].join(' UNION ALL '),
    [JSON.stringify(deviceNos)],
  );
  const ofKinds = Map.groupBy(rows, ({ kind }) => kind);
  const jobsOf = (kind: number): StoredJob[] =>
    (ofKinds.get(kind) ?? [])
      .toSorted((a, b) => a.no - b.no)
      .map(({ deviceNo, id, body }) => ({ deviceNo, id: id ?? '', body: body ?? '' }));
  const textsOf = (kind: number): Map<number, string> =>
    new Map((ofKinds.get(kind) ?? []).map(({ deviceNo, body }) => [deviceNo, body ?? '']));
  const latest = Map.groupBy(ofKinds.get(LATEST) ?? [], ({ deviceNo }) => deviceNo);
  return {
    latest: new Map(
      [...latest].map(([deviceNo, own]) => [
        deviceNo,
        toLatest(own.map(({ no, latest: body }) => ({ sensorGroup: no, body }))),
      ]),
    ),
    configurations: textsOf(CONFIGURATION),
    receptions: textsOf(RECEPTION),
    duplicates: textsOf(DUPLICATE),
    foresight: textsOf(FORESIGHT),
    newestOperations: jobsOf(NEWEST_OPERATION),
    unfinishedOperations: jobsOf(UNFINISHED_OPERATION),
    missionsUnderWay: jobsOf(MISSION_UNDER_WAY),
    lastEndedMissions: jobsOf(LAST_ENDED_MISSION),
    unfinishedCommands: jobsOf(UNFINISHED_COMMAND),
  };
}

export interface DeviceWithFacts<Facts = DeviceFacts> {
  readonly device: StoredDevice;
  readonly facts: Facts;
}

/**
 * Reads the facts for decisions about these devices, inside the transaction. With `onUnreadable`, devices with damaged rows are
 * left out. Without it, damaged declared sensors are replaced by the sensors of the profile.
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
      foresight: alarmsIn(rows.foresight.get(deviceNo)),
      ...(capacityKg === null ? {} : { capacityKg }),
      configuration: parsed,
      operations: operations.get(deviceNo) ?? [],
      missions: missions.get(deviceNo) ?? [],
      commands: commands.get(deviceNo) ?? [],
    };
    return [{ device, facts }];
  });
}

const alarmsIn = (stored: string | undefined): ForesightAlarms | null =>
  stored === undefined ? null : JSON.parse(stored);

export type FactsOf<Wanted extends Capability> = DeviceFacts & FactsFor[Wanted];

export interface LockedDevice<Wanted extends Capability> extends DeviceWithFacts<FactsOf<Wanted>> {
  readonly evaluation: AlertEvaluation;
}

/** Locks a device until the end of the transaction, or refuses if its profile does not have the capability. */
export async function lockDeviceFor<Wanted extends Capability>(
  tx: Transaction,
  deviceNo: number,
  capability: Wanted,
): Promise<LockedDevice<Wanted>> {
  const [evaluation, found] = await together([
    lockDevice(tx, deviceNo),
    readDeviceFor(tx.sql, deviceNo, capability),
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
