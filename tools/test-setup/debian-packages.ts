import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** Debian installs servers into folders that are only on root's PATH. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** While this file denies it, the services of Debian packages are not started when the packages are installed. */
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';
const NO_SERVICES = '#!/bin/sh\nexit 101\n';

const NETWORK_LIMITS = ['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20'];

/** The PATH of this process with the folders of servers. */
export const pathWithServers = (): string => [process.env['PATH'] ?? '', ...SYSTEM_FOLDERS].join(delimiter);

/** Returns the error message of a failed installation. */
export async function installPackages(
  packages: readonly string[],
  purpose: string,
): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'Only root can install packages.';
  if (!isOnPath('apt-get', process.env['PATH'] ?? '')) return 'This is not a Debian-like system.';
  console.log(`Installing ${packages.join(', ')} for the ${purpose} ...`);
  const policyIsOurs = await writeFile(SERVICE_POLICY, NO_SERVICES, { mode: 0o755, flag: 'wx' }).then(
    () => true,
    () => false,
  );
  try {
    await aptGet('update', '-qq');
    await aptGet('install', '-y', '-qq', '--no-install-recommends', ...packages);
    return undefined;
  } catch (error) {
    return `apt-get failed: ${error instanceof Error ? error.message.trim() : String(error)}`;
  } finally {
    if (policyIsOurs) await rm(SERVICE_POLICY, { force: true });
  }
}

/** Whether root could install the package, as far as the package lists of this machine show. */
export async function isKnownPackage(name: string): Promise<boolean> {
  if (process.getuid?.() !== 0 || !isOnPath('apt-cache', process.env['PATH'] ?? '')) return false;
  const { stdout } = await promisify(execFile)('apt-cache', ['search', '--names-only', `^${name}$`]);
  return stdout !== '';
}

const aptGet = (...args: string[]) =>
  promisify(execFile)('apt-get', [...NETWORK_LIMITS, ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });

export function isOnPath(command: string, path: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
