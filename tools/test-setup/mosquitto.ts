import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** A broker and a client that nobody here wrote: proof that the device link speaks MQTT and not merely to itself. */
const COMMANDS = ['mosquitto', 'mosquitto_pub'];
const PACKAGES = ['mosquitto', 'mosquitto-clients'];

/** Debian keeps the broker where only root's PATH looks. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** While this file says no, Debian's packages install their services without starting them. */
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';
const NO_SERVICES = '#!/bin/sh\nexit 101\n';

const NETWORK_LIMITS = ['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20'];

/** Sees to it that Mosquitto is there, and answers what to add to the environment of the tests. */
export async function ensureMosquitto(): Promise<NodeJS.ProcessEnv> {
  const path = [process.env['PATH'] ?? '', ...SYSTEM_FOLDERS].join(delimiter);
  const missing = COMMANDS.filter((command) => !isOnPath(command, path));
  if (missing.length === 0) return { PATH: path };
  const failure = await install();
  if (failure === undefined) return { PATH: path };
  console.log(
    [
      '!'.repeat(100),
      `! LEFT OUT: every test against Mosquitto. Not found: ${missing.join(', ')}.`,
      `! ${failure}`,
      `! To run them, install the packages ${PACKAGES.join(' and ')}.`,
      '!'.repeat(100),
    ].join('\n'),
  );
  return { GRANARY_TEST_WITHOUT: 'mosquitto' };
}

/** What went wrong, if anything did. */
async function install(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'Only root can install packages.';
  if (!isOnPath('apt-get', process.env['PATH'] ?? '')) return 'This is not a Debian-like system.';
  console.log(`Installing ${PACKAGES.join(' and ')} for the tests of the device link ...`);
  const policyIsOurs = await writeFile(SERVICE_POLICY, NO_SERVICES, { mode: 0o755, flag: 'wx' }).then(
    () => true,
    () => false,
  );
  try {
    await aptGet('update', '-qq');
    await aptGet('install', '-y', '-qq', '--no-install-recommends', ...PACKAGES);
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
