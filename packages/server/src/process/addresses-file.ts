import { readFileSync } from 'node:fs';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a running service answers; `null` for a port that is off. */
export interface ServiceAddresses {
  readonly http: string | null;
  readonly https: string | null;
  readonly mqtt: string | null;
  readonly mqtts: string | null;
}

interface AddressesFile extends ServiceAddresses {
  readonly pid: number;
}

const OWNER_ONLY = 0o600;
const EVERY_INTERFACE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

const fileIn = (dataDir: string): string => join(dataDir, 'addresses.json');

/**
 * Tells the command line on this machine where the service answers, also with a port that the system has chosen. The file is replaced
 * by a rename, so that a reader never sees half of it.
 */
export async function writeAddresses(dataDir: string, addresses: ServiceAddresses): Promise<void> {
  const file = fileIn(dataDir);
  const content: AddressesFile = { pid: process.pid, ...reachable(addresses) };
  const draft = `${file}.new`;
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: OWNER_ONLY });
  await chmod(draft, OWNER_ONLY);
  await rename(draft, file);
}

export const removeAddresses = (dataDir: string): Promise<void> => rm(fileIn(dataDir), { force: true });

/** The addresses of the service that runs with this data folder; `null` where none does, or its process was killed. */
export function readAddresses(dataDir: string): ServiceAddresses | null {
  try {
    const content: Partial<AddressesFile> = JSON.parse(readFileSync(fileIn(dataDir), 'utf8'));
    const { pid, http = null, https = null, mqtt = null, mqtts = null } = content;
    return isRunning(pid) ? { http, https, mqtt, mqtts } : null;
  } catch {
    return null;
  }
}

/** A service that listens on every interface is reached at the loopback one. */
const reachable = (addresses: ServiceAddresses): ServiceAddresses => ({
  http: reachableUrl(addresses.http),
  https: reachableUrl(addresses.https),
  mqtt: reachableUrl(addresses.mqtt),
  mqtts: reachableUrl(addresses.mqtts),
});

function reachableUrl(url: string | null): string | null {
  if (url === null) return null;
  const { hostname, protocol, port } = new URL(url);
  return `${protocol}//${EVERY_INTERFACE[hostname] ?? hostname}:${port}`;
}

function isRunning(pid: number | undefined): boolean {
  if (pid === undefined || !Number.isSafeInteger(pid)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
