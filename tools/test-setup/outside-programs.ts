import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWithPaho } from '@granary/link/testing/outside-clients';

/** Third-party programs, which prove that device link, metrics, pages and shell completion work with other implementations. */
const NEEDED = [
  { name: 'chromium', packages: ['chromium'], isThere: (path: string) => isOnPath('chromium', path) },
  {
    name: 'mosquitto',
    packages: ['mosquitto', 'mosquitto-clients'],
    isThere: (path: string) =>
      ['mosquitto', 'mosquitto_pub', 'mosquitto_sub'].every((command) => isOnPath(command, path)),
  },
  {
    name: 'promtool',
    packages: ['prometheus'],
    isThere: (path: string) => isOnPath('promtool', path),
  },
  { name: 'zsh', packages: ['zsh'], isThere: (path: string) => isOnPath('zsh', path) },
  { name: 'fish', packages: ['fish'], isThere: (path: string) => isOnPath('fish', path) },
  { name: 'paho', packages: ['python3-paho-mqtt'], isThere: () => pythonWithPaho() !== undefined },
];

/** Debian installs the broker into a folder that is only on root's PATH. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** While this file denies it, Debian packages do not start their services when they are installed. */
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';
const NO_SERVICES = '#!/bin/sh\nexit 101\n';

const NETWORK_LIMITS = ['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20'];

/** Installs the missing programs and returns the variables to add to the environment of the tests. */
export async function ensureOutsidePrograms(): Promise<NodeJS.ProcessEnv> {
  const path = [process.env['PATH'] ?? '', ...SYSTEM_FOLDERS].join(delimiter);
  const missing = () => NEEDED.filter(({ isThere }) => !isThere(path));
  if (missing().length === 0) return { PATH: path };
  const failure = await install(missing().flatMap(({ packages }) => packages));
  const leftOut = missing();
  if (leftOut.length === 0) return { PATH: path };
  const names = leftOut.map(({ name }) => name);
  console.log(
    [
      '!'.repeat(100),
      `! LEFT OUT: every test against ${names.join(' and ')}, which ${names.length === 1 ? 'is' : 'are'} not there.`,
      `! ${failure ?? 'The packages were installed, and still it is not found.'}`,
      `! To run them, install the packages ${leftOut.flatMap(({ packages }) => packages).join(', ')}.`,
      '!'.repeat(100),
    ].join('\n'),
  );
  return { PATH: path, GRANARY_TEST_WITHOUT: names.join(',') };
}

/** Returns the error message of a failed installation. */
async function install(packages: readonly string[]): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'Only root can install packages.';
  if (!isOnPath('apt-get', process.env['PATH'] ?? '')) return 'This is not a Debian-like system.';
  console.log(`Installing ${packages.join(', ')} for the tests ...`);
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

const aptGet = (...args: string[]) =>
  promisify(execFile)('apt-get', [...NETWORK_LIMITS, ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });

function isOnPath(command: string, path: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
