import type { Client } from '@granary/client/client';
import type { DeviceCredentials, SiloRegistration } from '@granary/contract/devices';
import type { CredentialsFile } from './credentials-file.ts';
import type { Silo } from './farm.ts';

export interface EnrolledSilo {
  readonly silo: Silo;
  readonly credentials: DeviceCredentials;
  readonly isNew: boolean;
}

/** Makes every silo known to the service, and sees to it that each has a secret. */
export async function enrolSilos(
  client: Client,
  secrets: CredentialsFile,
  silos: readonly Silo[],
): Promise<readonly EnrolledSilo[]> {
  const known = new Set<string>();
  for await (const { device_id } of client.devices.silo.listAll()) known.add(device_id);
  const enrolled: EnrolledSilo[] = [];
  for (const silo of silos) {
    const isNew = !known.has(silo.id);
    const credentials = isNew
      ? await register(client, secrets, silo)
      : (secrets.find(silo.id) ?? (await renewSecret(client, secrets, silo.id)));
    enrolled.push({ silo, credentials, isNew });
  }
  return enrolled;
}

async function register(client: Client, secrets: CredentialsFile, silo: Silo): Promise<DeviceCredentials> {
  const { credentials } = await client.devices.silo.register(registrationOf(silo));
  await secrets.keep(credentials);
  return credentials;
}

export async function renewSecret(
  client: Client,
  secrets: CredentialsFile,
  deviceId: string,
): Promise<DeviceCredentials> {
  const credentials = await client.devices.silo.renewCredentials(deviceId);
  await secrets.keep(credentials);
  return credentials;
}

function registrationOf(silo: Silo): SiloRegistration {
  return {
    device_id: silo.id,
    name: silo.name,
    model: silo.model.name,
    firmware_version: silo.firmwareVersion,
    location: { facility: silo.facility.name, zone: silo.zone },
    capacity: { max: silo.capacityKg, unit: 'kg' },
  };
}
