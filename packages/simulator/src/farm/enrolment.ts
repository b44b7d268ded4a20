import type { Client } from '@granary/client/client';
import type {
  DeviceCredentials,
  FieldRegistration,
  SiloRegistration,
} from '@granary/contract/devices/devices';
import type { DeviceGroup } from '@granary/contract/devices/groups';
import { declaredConfiguration, type FieldUnit } from '../field/fleet.ts';
import type { Station } from '../weather/weather-station.ts';
import type { CredentialsFile } from './credentials-file.ts';
import type { Facility, Silo } from './farm.ts';

export interface Enrolled<Unit> {
  readonly unit: Unit;
  readonly credentials: DeviceCredentials;
  readonly isNew: boolean;
}

/** Registers every silo that the service does not have yet, and makes sure that each has a secret. */
export const enrolSilos = (
  client: Client,
  secrets: CredentialsFile,
  silos: readonly Silo[],
): Promise<readonly Enrolled<Silo>[]> =>
  enrol(client.devices.silo, secrets, silos, (silo) => client.devices.silo.register(siloRegistration(silo)));

/** A new field device also gets a configuration with its base, its geofence and its motion limits. */
export const enrolField = (
  client: Client,
  secrets: CredentialsFile,
  units: readonly FieldUnit[],
): Promise<readonly Enrolled<FieldUnit>[]> =>
  enrol(client.devices.field, secrets, units, async (unit) => {
    const registered = await client.devices.field.register(fieldRegistration(unit));
    await client.configuration.field.update(unit.id, declaredConfiguration(unit));
    return registered;
  });

export const enrolStations = (
  client: Client,
  secrets: CredentialsFile,
  stations: readonly Station[],
): Promise<readonly Enrolled<Station>[]> =>
  enrol(client.devices.field, secrets, stations, (station) =>
    client.devices.field.register({ ...description(station), model: 'WS-6', profile: 'weather_station' }),
  );

async function enrol<Unit extends { readonly id: string }>(
  group: Pick<Client['devices'][DeviceGroup], 'listAll' | 'renewCredentials'>,
  secrets: CredentialsFile,
  units: readonly Unit[],
  register: (unit: Unit) => Promise<{ readonly credentials: DeviceCredentials }>,
): Promise<readonly Enrolled<Unit>[]> {
  const known = new Set<string>();
  for await (const { device_id } of group.listAll()) known.add(device_id);
  const enrolled: Enrolled<Unit>[] = [];
  for (const unit of units) {
    const isNew = !known.has(unit.id);
    const stored = isNew ? undefined : secrets.find(unit.id);
    const credentials =
      stored ?? (isNew ? (await register(unit)).credentials : await group.renewCredentials(unit.id));
    if (stored === undefined) await secrets.keep(credentials);
    enrolled.push({ unit, credentials, isNew });
  }
  return enrolled;
}

export async function renewSecret(
  client: Client,
  secrets: CredentialsFile,
  kind: DeviceGroup,
  deviceId: string,
): Promise<DeviceCredentials> {
  const credentials = await client.devices[kind].renewCredentials(deviceId);
  await secrets.keep(credentials);
  return credentials;
}

interface Described {
  readonly id: string;
  readonly name: string;
  readonly firmwareVersion: string;
  readonly facility: Facility;
  readonly zone: string;
}

const description = ({ id, name, firmwareVersion, facility, zone }: Described) => ({
  device_id: id,
  name,
  firmware_version: firmwareVersion,
  location: { facility: facility.name, zone },
});

const siloRegistration = (silo: Silo): SiloRegistration => ({
  ...description(silo),
  model: silo.model.name,
  capacity: { max: silo.capacityKg, unit: 'kg' },
});

const fieldRegistration = (unit: FieldUnit): FieldRegistration => ({
  ...description(unit),
  model: unit.chassis.name,
});
