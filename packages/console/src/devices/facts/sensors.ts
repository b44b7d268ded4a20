import type { SiloDetail } from '@granary/contract/devices/devices';
import type { FleetDevice } from '@granary/contract/fleet';
import { PROFILE_OUTLINES } from '@granary/contract/outline';
import type { Capability } from '@granary/contract/profiles/profile';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { CHANNELS } from '@granary/contract/telemetry/channels';

/** These sensors are not shown, because positions are on the map. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['latitude', 'longitude']);

const NUMBERED = /^(.*?)[_-]?(\d{1,4})$/;

/** Fewer sensors with numbers do not count as a cable. */
const CABLE_SENSORS_MIN = 3;

/** A sensor of the device page, standard or declared. */
export interface ShownSensor {
  readonly id: string;
  readonly unit: string;
  /** The type of a declared sensor; its name is its id. */
  readonly declaredType: string | null;
  /** The reporting interval of the sensor, if it differs from that of its device. */
  readonly reportingIntervalS: number | null;
  /** The other device whose line is compared with those of the page. */
  readonly compared?: Pick<FleetDevice, 'device_id' | 'group' | 'name'>;
}

/** The key by which the lines of a chart are told apart. */
export const lineKey = ({ id, compared }: Pick<ShownSensor, 'id' | 'compared'>): string =>
  compared === undefined ? id : `${id}@${compared.device_id}`;

/** Sensors of one cable, the lowest first. */
export interface SensorCable {
  readonly prefix: string;
  readonly sensors: readonly ShownSensor[];
}

/** Whether devices of the profile have a level: all that weigh their contents have one. */
const hasLevel = (profile: ProfileName): boolean => PROFILE_OUTLINES[profile].channels.includes('weight');

/** All sensors of a device: those of its profile, then the declared ones. */
export function sensorsOf(
  profile: ProfileName,
  declared: readonly (SiloDetail['sensors'][number] | object)[] = [],
): ShownSensor[] {
  const { channels } = PROFILE_OUTLINES[profile];
  const standard = channels
    .filter((name) => !NOT_SHOWN.has(name))
    .map((name) => sensor(name, CHANNELS[name].unit));
  const level = hasLevel(profile) ? [sensor('level', 'percent')] : [];
  return [...level, ...standard, ...declared.flatMap(declaredSensor)];
}

const sensor = (id: string, unit: string): ShownSensor => ({
  id,
  unit,
  declaredType: null,
  reportingIntervalS: null,
});

function declaredSensor(summary: object): ShownSensor[] {
  if (!isDeclared(summary)) return [];
  const { sensor_id: id, unit, type, reporting_interval_s: reportingIntervalS } = summary;
  return [{ id, unit, declaredType: type, reportingIntervalS }];
}

type Declared = Extract<SiloDetail['sensors'][number], { readonly unit: string }>;

const isDeclared = (summary: object): summary is Declared => 'unit' in summary;

/** Declared sensors with the same prefix, type and unit whose ids end in a number are one cable. */
export function cablesOf(sensors: readonly ShownSensor[]): {
  readonly cables: readonly SensorCable[];
  readonly single: readonly ShownSensor[];
} {
  const groups = Map.groupBy(sensors, (one) => cableKey(one));
  const cables = [...groups].flatMap(([key, members]): SensorCable[] => {
    if (key === null || members.length < CABLE_SENSORS_MIN) return [];
    const sorted = members.toSorted((one, other) => numberOf(one) - numberOf(other));
    return [{ prefix: prefixOf(sorted[0]), sensors: sorted }];
  });
  const inCable = new Set(cables.flatMap((cable) => cable.sensors));
  return { cables, single: sensors.filter((one) => !inCable.has(one)) };
}

function cableKey({ id, unit, declaredType }: ShownSensor): string | null {
  const prefix = declaredType === null ? undefined : NUMBERED.exec(id)?.[1];
  return prefix === undefined ? null : JSON.stringify([prefix, declaredType, unit]);
}

const prefixOf = (sensor: ShownSensor | undefined): string => NUMBERED.exec(sensor?.id ?? '')?.[1] ?? '';

export const numberOf = ({ id }: Pick<ShownSensor, 'id'>): number => Number(NUMBERED.exec(id)?.[2] ?? 0);

export const hasCapability = (profile: ProfileName, capability: Capability): boolean =>
  PROFILE_OUTLINES[profile].capabilities.includes(capability);
