import { isConvertible } from '@granary/common/units';
import { idLike } from '@granary/contract/input/text-schemas';
import { PROFILES, type ProfileName } from '@granary/contract/profiles/profiles';
import { CHANNELS, type ChannelName } from '@granary/contract/telemetry/channels';
import { stringify } from 'yaml';
import type { AnnouncedDevice, AnnouncedSensor } from './home-assistant.ts';

/** The mapping and the entry that a person may put into the site file for an announced device. */
export interface Proposal {
  readonly mappingName: string;
  /** The text of the mapping file. */
  readonly mapping: string;
  readonly entry: {
    readonly id: string;
    readonly name: string;
    readonly mapping: string;
    readonly endpoint: string;
    readonly profile: ProfileName;
  };
  readonly sensors: readonly { readonly announced: AnnouncedSensor; readonly sensor: string }[];
}

/** The channels that correspond to device classes. */
const CHANNEL_OF_CLASS: Readonly<Record<string, ChannelName>> = {
  temperature: 'temperature',
  humidity: 'humidity',
  weight: 'weight',
  wind_speed: 'wind_speed',
  atmospheric_pressure: 'atmospheric_pressure',
  pressure: 'atmospheric_pressure',
  precipitation: 'rainfall',
  illuminance: 'light_intensity',
  moisture: 'soil_moisture',
  battery: 'battery_level',
};
const DECIMALS_MAX = 6;
const TOTALS = new Set(['total', 'total_increasing']);

export interface Found {
  readonly device: AnnouncedDevice;
  /** The proposal; `null` for a device without a usable value. */
  readonly proposal: Proposal | null;
}

/** Returns the proposals. A device gets its id from its name; devices with the same name also get a part of their announced id. */
export function proposalsOf(
  devices: readonly AnnouncedDevice[],
  endpoint: string,
  profile: ProfileName,
): Found[] {
  const nameOfDevice = ({ name, id }: AnnouncedDevice): string => idLike(name) ?? idLike(id) ?? 'device';
  const byName = Map.groupBy(devices, (device) => nameOfDevice(device).toLowerCase());
  return devices.map((device) => {
    const name = nameOfDevice(device);
    const isAlone = byName.get(name.toLowerCase())?.length === 1;
    const id = isAlone ? name : (idLike(`${name.slice(0, 30)}-${device.id}`) ?? name);
    return { device, proposal: proposalOf(device, id, endpoint, profile) };
  });
}

function proposalOf(
  device: AnnouncedDevice,
  id: string,
  endpoint: string,
  profile: ProfileName,
): Proposal | null {
  if (device.sensors.length === 0) return null;
  const mappingName = `announced-${id.toLowerCase().replaceAll('_', '-')}`.slice(0, 60);
  const channels: readonly ChannelName[] = PROFILES[profile].channels;
  const taken = new Set<string>();
  const tables: Record<string, Record<string, number>> = {};
  const points: Record<string, object> = {};
  const sensors = device.sensors.map((announced) => {
    const channel = channelOf(announced, channels);
    const isFree = channel !== null && !taken.has(channel);
    const sensor = isFree ? channel : free(nameOf(announced, device), taken);
    taken.add(sensor);
    const point = sensor.replaceAll('-', '_');
    if (announced.onOff !== null) tables[point] = tableOf(announced.onOff);
    points[point] = pointOf(
      announced,
      sensor,
      isFree ? null : kindOf(announced),
      announced.onOff === null ? null : point,
    );
    return { announced, sensor };
  });
  const expiries = device.sensors.flatMap(({ expireAfterS }) => expireAfterS ?? []);
  const { availability } = device;
  const mapping = {
    mapping: mappingName,
    version: 1,
    title: `${device.name}${device.model === null ? '' : ` (${device.model})`}`.slice(0, 200),
    source: 'announced by the device for Home Assistant',
    evidence: 'documented',
    protocol: 'mqtt',
    profile,
    defaults: {
      silent_after: `${Math.max(60, ...expiries, expiries.length === 0 ? 3_600 : 0)}s`,
      ...(availability === null
        ? {}
        : {
            availability: {
              topic: availability.topic,
              ...(availability.pointer === null ? {} : { pointer: availability.pointer }),
              online: availability.online,
              offline: availability.offline,
            },
          }),
    },
    ...(Object.keys(tables).length === 0 ? {} : { tables }),
    points,
  };
  return {
    mappingName,
    mapping: stringify(mapping, { lineWidth: 0 }),
    entry: { id, name: device.name, mapping: mappingName, endpoint, profile },
    sensors,
  };
}

/**
 * Returns the channel of the profile that corresponds to a sensor, if its unit can be converted; totals correspond only to
 * channels of amounts.
 */
function channelOf(
  { deviceClass, unit, stateClass, onOff }: AnnouncedSensor,
  channels: readonly ChannelName[],
): ChannelName | null {
  if (deviceClass === null || unit === null || onOff !== null) return null;
  const channel = Object.hasOwn(CHANNEL_OF_CLASS, deviceClass) ? CHANNEL_OF_CLASS[deviceClass] : undefined;
  if (channel === undefined || !channels.includes(channel)) return null;
  const isTotal = stateClass !== null && TOTALS.has(stateClass);
  if (isTotal !== (channel === 'rainfall')) return null;
  return isConvertible(unit, CHANNELS[channel].unit) ? channel : null;
}

function pointOf(
  { topic, pointer, unit, decimals }: AnnouncedSensor,
  sensor: string,
  kind: string | null,
  table: string | null,
): object {
  return {
    topic,
    ...(pointer === null ? {} : { pointer }),
    unit: table === null ? (unit ?? 'none') : 'state',
    ...(table === null ? {} : { table_of: table }),
    ...(sensor === 'rainfall' ? { difference: true } : {}),
    ...(kind === null ? {} : { kind }),
    ...(kind === null || decimals === null ? {} : { decimals: Math.min(decimals, DECIMALS_MAX) }),
    sensor,
  };
}

/** Returns the table of a binary sensor. Python writes `True` and `False`, but JSON documents have `true` and `false`. */
const tableOf = ({ on, off }: { readonly on: string; readonly off: string }): Record<string, number> => {
  const plain = (text: string): string => (text === 'True' || text === 'False' ? text.toLowerCase() : text);
  return { [plain(on)]: 1, [plain(off)]: 0 };
};

/** Returns the name of a sensor without the name of its device, which many announcements repeat. */
function nameOf({ name, id, deviceClass }: AnnouncedSensor, device: AnnouncedDevice): string {
  const own = name.replace(device.name, '').replace(device.id, '');
  const text = idLike(own) ?? deviceClass ?? idLike(id) ?? 'value';
  const plain = text.toLowerCase().replaceAll('-', '_').replaceAll(/_+/g, '_').slice(0, 36);
  return /^[a-z]/.test(plain) ? plain : `v_${plain}`;
}

const kindOf = ({ deviceClass }: AnnouncedSensor): string =>
  deviceClass !== null && /^[a-z][a-z0-9_]{0,39}$/.test(deviceClass) ? deviceClass : 'value';

function free(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name) && !Object.hasOwn(CHANNELS, name)) return name;
  for (let number = 2; ; number++) if (!taken.has(`${name}_${number}`)) return `${name}_${number}`;
}
