import type { Client } from '@granary/client';
import type { DeviceCredentials } from '@granary/contract/devices/devices';
import { DEVICE_GROUPS } from '@granary/contract/profiles/groups';
import type { CredentialsFile } from '../files.ts';
import type { SimulatedDevice } from '../profiles/profile.ts';

export interface Enrolled {
  readonly device: SimulatedDevice;
  readonly credentials: DeviceCredentials;
  readonly isNew: boolean;
}

/** Registers every device that the service does not have yet, and makes sure that each has a secret. */
export async function enrol(
  client: Client,
  secrets: CredentialsFile,
  devices: readonly SimulatedDevice[],
): Promise<readonly Enrolled[]> {
  const known = await registeredIds(client);
  const enrolled: Enrolled[] = [];
  for (const device of devices) {
    const { id } = device.unit;
    const isNew = !known.has(id);
    if (!isNew) await device.update(client);
    const stored = isNew ? undefined : secrets.find(id);
    const credentials =
      stored ??
      (isNew ? await register(client, secrets, device) : await renewSecret(client, secrets, device));
    enrolled.push({ device, credentials, isNew });
  }
  return enrolled;
}

async function registeredIds(client: Client): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const group of DEVICE_GROUPS) {
    for await (const { device_id } of client.devices[group].listAll()) ids.add(device_id);
  }
  return ids;
}

async function register(
  client: Client,
  secrets: CredentialsFile,
  device: SimulatedDevice,
): Promise<DeviceCredentials> {
  const { credentials } = await device.register(client);
  await secrets.keep(credentials);
  return credentials;
}

export async function renewSecret(
  client: Client,
  secrets: CredentialsFile,
  { group, unit }: SimulatedDevice,
): Promise<DeviceCredentials> {
  const credentials = await client.devices[group].renewCredentials(unit.id);
  await secrets.keep(credentials);
  return credentials;
}
