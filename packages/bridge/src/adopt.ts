import { ApiError, type Client } from '@granary/client';
import type { DeclaredUnitsOf, KeyOfBridge } from '@granary/contract/bridges';
import type { SensorDeclaration } from '@granary/contract/devices/sensors';
import { PROFILES } from '@granary/contract/profiles/profiles';
import { SECOND_MS } from '@granary/contract/time';
import { durationMs } from './mapping/duration.ts';
import { declarationsOf, REPORTING_INTERVAL_DEFAULT_MS } from './site/declarations.ts';
import { readSecrets, type Secrets, writeSecrets } from './site/secrets.ts';
import { profileOf, type Site, secretsFileOf, unitsFileOf } from './site/site-file.ts';
import { DeclaredUnits, otherUnits, otherUnitText } from './uplink/declared-units.ts';

const SILENT_INTERVALS = 3;

export interface AdoptOptions {
  readonly isDryRun: boolean;
  /**
   * True if a registered device whose secret is not stored here gets a new secret, and the bridge a new key; both stop working
   * for their former holders.
   */
  readonly takesOver: boolean;
  readonly actor?: string;
}

/** The result for one device, or what the result would be in a dry run. */
export interface Adopted {
  readonly deviceId: string;
  readonly outcome: 'registered' | 'taken_over' | 'updated' | 'unchanged' | 'refused';
  /** The reason of a refusal, or the description of a change. */
  readonly detail: string;
}

type Devices = Site['devices'][number];

/**
 * Registers the devices of a site and stores their secrets, one after another. Each result is stored at once, so that the
 * command can be repeated after any failure.
 */
export async function* adopt(site: Site, client: Client, options: AdoptOptions): AsyncGenerator<Adopted> {
  const file = secretsFileOf(site);
  let secrets = await readSecrets(file);
  const keep = async (changed: Secrets): Promise<void> => {
    secrets = changed;
    await writeSecrets(file, changed);
  };
  if (secrets.key === undefined) {
    if (!options.takesOver) await refuseOwned(client, site.bridgeId);
    if (!options.isDryRun) await keep({ ...secrets, key: await newKey(client, site.bridgeId, options) });
  }
  const units = await DeclaredUnits.read(unitsFileOf(site));
  for (const device of site.devices) {
    const { id } = device.entry;
    const keepSecret = (secret: string) =>
      keep({ ...secrets, devices: { ...secrets.devices, [id]: secret } });
    yield await adoptOne(site, client, device, {
      ...options,
      hasSecret: Object.hasOwn(secrets.devices, id),
      keepSecret,
      keepUnits: (declared) => units.learn([id], { [id]: declared }),
    });
  }
}

/** The error that the bridge of this id reports with a key that is not stored here. */
export class BridgeInUseError extends Error {}

/** Refuses an id that is in use, because two bridges with one id would end the access of each other. */
async function refuseOwned(client: Client, bridgeId: string): Promise<void> {
  const key = await keyOf(client, bridgeId);
  if (key === null || key.ended) return;
  throw new BridgeInUseError(
    `the bridge ${bridgeId} reports with the key ${key.key_id} (${key.name}), which is not here`,
  );
}

async function keyOf(client: Client, bridgeId: string): Promise<KeyOfBridge | null> {
  try {
    return (await client.bridges.get(bridgeId)).key;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'bridge_not_found') return null;
    throw error;
  }
}

/** Creates the key of the bridge. The bridge belongs to the key before it reports, so that nobody else can report first. */
async function newKey(client: Client, bridgeId: string, options: AdoptOptions): Promise<string> {
  const wanted = { name: `bridge ${bridgeId}`, scopes: ['ingest' as const] };
  const { key, key_id } = await client.keys.create(wanted, asked(options));
  await client.bridges.give(bridgeId, { key_id }, asked(options));
  return key;
}

interface OneOptions extends AdoptOptions {
  readonly hasSecret: boolean;
  readonly keepSecret: (secret: string) => Promise<void>;
  readonly keepUnits: (declared: DeclaredUnitsOf) => Promise<void>;
}

const asked = ({ actor }: Pick<AdoptOptions, 'actor'>) => (actor === undefined ? {} : { actor });

async function adoptOne(site: Site, client: Client, device: Devices, options: OneOptions): Promise<Adopted> {
  const { entry, attached } = device;
  const deviceId = entry.id;
  const group = PROFILES[profileOf(entry, attached.mapping)].group;
  const found = await detailOf(client, group, deviceId);
  if (found === null) return await register(site, client, device, options);
  if (!options.hasSecret && !options.takesOver) {
    const detail = 'is registered already, and its secret is not here; --take-over gives it a new one';
    return { deviceId, outcome: 'refused', detail };
  }
  const added = await declare(client, device, found, options);
  if (added?.outcome === 'refused') return { deviceId, ...added };
  if (!options.hasSecret) {
    if (!options.isDryRun) {
      const { secret } = await client.devices[group].renewCredentials(deviceId, asked(options));
      await options.keepSecret(secret);
    }
    return { deviceId, outcome: 'taken_over', detail: 'has a new secret' };
  }
  return { deviceId, ...(added ?? { outcome: 'unchanged', detail: '' }) };
}

type Group = 'silo' | 'field';
/** Only declared sensors have a precision; so it distinguishes them from standard sensors. */
type Detail = {
  readonly sensors?: readonly {
    readonly sensor_id?: string;
    readonly precision?: number;
    readonly unit?: string;
  }[];
};

async function detailOf(client: Client, group: Group, deviceId: string): Promise<Detail | null> {
  try {
    return (await client.devices[group].get(deviceId)) as Detail;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'device_not_found') return null;
    throw error;
  }
}

async function register(
  site: Site,
  client: Client,
  { entry, attached }: Devices,
  options: OneOptions,
): Promise<Adopted> {
  const deviceId = entry.id;
  const { facility, zone, capacity, labels, name = deviceId } = entry;
  const profile = profileOf(entry, attached.mapping);
  const missing = [
    ...(facility === undefined ? ['facility'] : []),
    ...(profile === 'silo_scale' && capacity === undefined ? ['capacity (in kg)'] : []),
  ];
  if (facility === undefined || missing.length > 0) {
    return { deviceId, outcome: 'refused', detail: `needs ${missing.join(' and ')} in the site file` };
  }
  const sensors = declarationsOf(attached.mapping);
  const fields = {
    device_id: deviceId,
    name,
    model: attached.mapping.title,
    location: { facility, zone: zone ?? site.bridgeId },
    ...(sensors.length === 0 ? {} : { sensors }),
    ...(labels === undefined ? {} : { labels }),
  };
  const detail = `${profile} in ${facility}, ${sensors.length} sensors declared`;
  if (options.isDryRun) return { deviceId, outcome: 'registered', detail };
  // If the same request is repeated after a failure, it gets the same secret.
  const call = { ...asked(options), idempotencyKey: `adopt-${site.bridgeId}-${deviceId}` };
  const { credentials } =
    profile === 'silo_scale'
      ? await client.devices.silo.register({ ...fields, capacity: { max: capacity ?? 0, unit: 'kg' } }, call)
      : await client.devices.field.register({ ...fields, profile }, call);
  await options.keepSecret(credentials.secret);
  await options.keepUnits(unitsOf(sensors));
  await configureInterval(client, { entry, attached }, options);
  return { deviceId, outcome: 'registered', detail };
}

/** Sets the reporting interval, so that a device that reports rarely does not count as silent. */
async function configureInterval(
  client: Client,
  { entry, attached }: Devices,
  options: OneOptions,
): Promise<void> {
  const { settings, points, protocol } = attached.mapping;
  const shortestMs =
    entry.every === undefined
      ? points.reduce(
          (least, { sensor, everyMs }) => (sensor === null ? least : Math.min(least, everyMs)),
          Number.POSITIVE_INFINITY,
        )
      : durationMs(entry.every);
  const silentMs =
    protocol === 'modbus' || !('silentAfterMs' in settings) ? 0 : Number(settings.silentAfterMs);
  const intervalS = Math.ceil(
    Math.max(Number.isFinite(shortestMs) ? shortestMs : 0, silentMs / SILENT_INTERVALS) / SECOND_MS,
  );
  if (intervalS * SECOND_MS <= REPORTING_INTERVAL_DEFAULT_MS) return;
  const patch = { reporting: { interval_s: intervalS } };
  const { group } = PROFILES[profileOf(entry, attached.mapping)];
  await client.configuration[group].update(entry.id, patch, asked(options));
}

const unitsOf = (declared: readonly SensorDeclaration[]): DeclaredUnitsOf =>
  Object.fromEntries(declared.map(({ sensor_id, unit }) => [sensor_id, unit]));

/** Declares the sensors that the mapping has and the device does not have; returns `null` if there are none. */
async function declare(
  client: Client,
  { entry, attached }: Devices,
  { sensors = [] }: Detail,
  options: OneOptions,
): Promise<Pick<Adopted, 'outcome' | 'detail'> | null> {
  const wanted: readonly SensorDeclaration[] = declarationsOf(attached.mapping);
  const units: DeclaredUnitsOf = Object.fromEntries(
    sensors.flatMap(({ sensor_id, precision, unit }) =>
      sensor_id === undefined || precision === undefined || unit === undefined ? [] : [[sensor_id, unit]],
    ),
  );
  if (!options.isDryRun) await options.keepUnits(units);
  const differing = otherUnits(units, wanted);
  if (differing.length > 0) return { outcome: 'refused', detail: otherUnitText(differing) };
  const present = new Set(Object.keys(units));
  const missing = wanted.filter(({ sensor_id }) => !present.has(sensor_id));
  if (missing.length === 0) return null;
  const names = missing.map(({ sensor_id }) => sensor_id).join(', ');
  const others = [...present].filter((id) => !wanted.some(({ sensor_id }) => sensor_id === id));
  if (others.length > 0) {
    const detail = `has sensors of its own (${others.join(', ')}); declare ${names} yourself`;
    return { outcome: 'refused', detail };
  }
  const { group } = PROFILES[profileOf(entry, attached.mapping)];
  if (!options.isDryRun) {
    await client.devices[group].update(entry.id, { sensors: [...wanted] }, asked(options));
    await options.keepUnits(unitsOf(wanted));
  }
  return { outcome: 'updated', detail: `declares ${names}` };
}
