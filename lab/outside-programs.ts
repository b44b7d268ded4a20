import { installPackages, isOnPath, pathWithServers } from '../tools/test-setup/debian-packages.ts';

/** A foreign program with which the service is tested. */
export interface OutsideProgram {
  readonly name: string;
  readonly packages: readonly string[];
  readonly command: string;
}

export const MOSQUITTO: OutsideProgram = {
  name: 'Mosquitto',
  packages: ['mosquitto'],
  command: 'mosquitto',
};
export const MOSQUITTO_CLIENTS: OutsideProgram = {
  name: 'the clients of Mosquitto',
  packages: ['mosquitto-clients'],
  command: 'mosquitto_sub',
};
export const INFLUXDB: OutsideProgram = { name: 'InfluxDB', packages: ['influxdb'], command: 'influxd' };
export const FAKETIME: OutsideProgram = { name: 'libfaketime', packages: ['faketime'], command: 'faketime' };

/** Puts the program on the PATH of this process; installs it if that is permitted, and fails if it is still missing. */
export async function ensureProgram({ name, packages, command }: OutsideProgram): Promise<void> {
  const path = pathWithServers();
  process.env['PATH'] = path;
  if (isOnPath(command, path)) return;
  const failure = await installPackages(packages, 'measurement');
  if (isOnPath(command, path)) return;
  throw new Error(`${name} is not there: install ${packages.join(', ')}. ${failure ?? ''}`);
}
