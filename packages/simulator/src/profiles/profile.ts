import type { Client } from '@granary/client';
import type { DeviceCredentials } from '@granary/contract/devices/devices';
import { SIMULATED } from '@granary/contract/devices/label-match';
import type { Labels } from '@granary/contract/devices/labels';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import type { HistoryPoint } from '@granary/contract/telemetry/telemetry';
import type { DeviceOptions } from '../device/device.ts';
import type { FarmUnit } from '../physics/facilities.ts';
import type { Reading } from '../physics/numbers.ts';
import type { ServiceConnection } from '../service-connection.ts';
import type { BackfillSource, DailyQuery } from './missing-history.ts';

/** One profile of devices as the farm simulates it. The farm walks the profiles and knows nothing else about devices. */
export interface SimulatedProfile {
  /** The name of these devices in a text for people, in the plural. */
  readonly title: string;
  /** The meaning of every fault that these devices can have. */
  readonly faults: Readonly<Record<string, string>>;
  readonly devices: readonly SimulatedDevice[];
}

/** One device of the farm, before it is registered and started. */
export interface SimulatedDevice {
  readonly unit: FarmUnit;
  readonly group: DeviceGroup;
  /** Registers the device. `labels` are added to the label that all simulated devices have. */
  readonly register: (client: Client, nowMs: number, labels?: Labels) => Promise<Registered>;
  readonly update: (client: Client, nowMs: number) => Promise<void>;
  readonly backfills: (client: Client) => readonly BackfillSource[];
  readonly create: (options: RunOptions<string>) => RunningDevice;
}

interface Registered {
  readonly credentials: DeviceCredentials;
}

export interface RunningDevice {
  readonly link: ServiceConnection;
  /** The physical state of the device. */
  readonly model: object;
  start(): void;
  stop(): Promise<void>;
  fault(name: string, isOn: boolean): void;
}

export interface RunOptions<Fault extends string> extends DeviceOptions<Fault> {
  /** The state that was kept before the device was switched off; `undefined` when there is none, or an invalid one. */
  readonly recall: <Memory>(isMemory: (value: unknown) => value is Memory) => Memory | undefined;
  readonly keep: (memory: object) => Promise<void>;
  readonly onTrouble: (reason: string) => void;
}

/** The definition of a profile; `Unit` is a row of its table of devices. */
export interface ProfileDefinition<Unit extends FarmUnit, Fault extends string> {
  readonly title: string;
  readonly group: DeviceGroup;
  readonly units: readonly Unit[];
  readonly faults: Readonly<Record<Fault, string>>;
  readonly register: (client: Client, unit: Unit, nowMs: number) => Promise<Registered>;
  /** Updates a device that an earlier version of the farm has registered with the data that this version added. */
  readonly update?: (client: Client, unit: Unit, nowMs: number) => Promise<void>;
  /** Returns its histories, usually one; sensors that were added later have their own history. */
  readonly histories: (unit: Unit) => readonly UnitHistory[];
  readonly create: (unit: Unit, options: RunOptions<Fault>) => RunningDevice;
}

/** The past of some sensors of a device. */
export interface UnitHistory {
  readonly spacingMs: number;
  readonly readingAt: (timeMs: number) => Reading;
  /** The history of one of the sensors that the service has. */
  readonly dailyPoints: (
    client: Client,
    query: DailyQuery,
  ) => Promise<{ readonly points: readonly HistoryPoint[] }>;
}

/** Hides the type of the rows, so that the farm can walk the devices of all profiles. */
export function simulatedProfile<Unit extends FarmUnit, Fault extends string>(
  definition: ProfileDefinition<Unit, Fault>,
): SimulatedProfile {
  const { title, group, units, faults, register, update, histories, create } = definition;
  const isFault = (name: string): name is Fault => Object.hasOwn(faults, name);
  const devices = units.map((unit) => ({
    unit,
    group,
    register: (client: Client, nowMs: number, labels: Labels = {}) =>
      register(client, { ...unit, labels }, nowMs),
    update: async (client: Client, nowMs: number) => update?.(client, unit, nowMs),
    backfills: (client: Client) =>
      histories(unit).map(({ dailyPoints, ...past }) => ({
        ...past,
        dailyPoints: (query: DailyQuery) => dailyPoints(client, query),
      })),
    create: (options: RunOptions<string>) =>
      create(unit, { ...options, faults: new Set([...options.faults].filter(isFault)) }),
  }));
  return { title, faults, devices };
}

/** The part of a registration that all profiles have. */
export const registrationOf = ({ id, name, firmwareVersion, facility, zone, labels }: FarmUnit) => ({
  device_id: id,
  name,
  firmware_version: firmwareVersion,
  location: { facility: facility.name, zone },
  labels: { ...SIMULATED, ...labels },
});
