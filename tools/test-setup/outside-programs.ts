import { existsSync, readdirSync } from 'node:fs';
import { RTL_433_DISCOVERY } from '@granary/testing/bridge/rtl-433';
import { pythonWith, pythonWithPaho } from '@granary/testing/link/outside-clients';
import { installPackages, isKnownPackage, isOnPath, pathWithServers } from './debian-packages.ts';

const POSTGRES_VERSIONS = '/usr/lib/postgresql';

/** Whether the Debian server is installed, which `examples/cluster` uses; other tests use a server from npm. */
export function hasPostgresServer(): boolean {
  try {
    return readdirSync(POSTGRES_VERSIONS).some((version) =>
      isOnPath('initdb', `${POSTGRES_VERSIONS}/${version}/bin`),
    );
  } catch {
    return false;
  }
}

/** Third-party programs that test the claims about device link, bridge, metrics, pages, shell completion and the order of system calls. */
const NEEDED = [
  { name: 'chromium', packages: ['chromium'], isThere: (path: string) => isOnPath('chromium', path) },
  {
    name: 'mosquitto',
    packages: ['mosquitto', 'mosquitto-clients'],
    isThere: (path: string) =>
      ['mosquitto', 'mosquitto_pub', 'mosquitto_sub'].every((command) => isOnPath(command, path)),
  },
  {
    name: 'rtl_433',
    packages: ['rtl-433', 'python3-paho-mqtt'],
    isThere: (path: string) => isOnPath('rtl_433', path) && existsSync(RTL_433_DISCOVERY),
  },
  {
    name: 'gpsd',
    packages: ['gpsd', 'gpsd-clients', 'python3-gps'],
    isThere: (path: string) => ['gpsd', 'gpsfake'].every((command) => isOnPath(command, path)),
  },
  { name: 'socat', packages: ['socat'], isThere: (path: string) => isOnPath('socat', path) },
  { name: 'nginx', packages: ['nginx-light'], isThere: (path: string) => isOnPath('nginx', path) },
  { name: 'postgresql', packages: ['postgresql'], isThere: hasPostgresServer },
  {
    name: 'promtool',
    packages: ['prometheus'],
    isThere: (path: string) => isOnPath('promtool', path),
  },
  { name: 'strace', packages: ['strace'], isThere: (path: string) => isOnPath('strace', path) },
  { name: 'zsh', packages: ['zsh'], isThere: (path: string) => isOnPath('zsh', path) },
  { name: 'fish', packages: ['fish'], isThere: (path: string) => isOnPath('fish', path) },
  {
    name: 'modbus',
    packages: [
      'mbpoll',
      'python3-aiohttp',
      'python3-prompt-toolkit',
      'python3-pymodbus',
      'python3-serial-asyncio',
      'python3-typer',
      'socat',
    ],
    isThere: (path: string) =>
      ['mbpoll', 'socat', 'pymodbus.server'].every((command) => isOnPath(command, path)) &&
      pythonWith('pymodbus.server, pymodbus.repl.server.main, aiohttp') !== undefined,
  },
  { name: 'paho', packages: ['python3-paho-mqtt'], isThere: () => pythonWithPaho() !== undefined },
];

/** The browser tests use this one if it is installed, and Chromium if Debian does not have it. */
const QUICKER_BROWSER = 'chromium-headless-shell';

/** Installs the missing programs and returns the variables to add to the environment of the tests. */
export async function ensureOutsidePrograms(): Promise<NodeJS.ProcessEnv> {
  const path = pathWithServers();
  const env = await ensureNeeded(path);
  if (!isOnPath(QUICKER_BROWSER, path) && (await isKnownPackage(QUICKER_BROWSER)))
    await installPackages([QUICKER_BROWSER], 'browser tests');
  return env;
}

async function ensureNeeded(path: string): Promise<NodeJS.ProcessEnv> {
  const missing = () => NEEDED.filter(({ isThere }) => !isThere(path));
  if (missing().length === 0) return { PATH: path };
  const wanted = new Set(missing().flatMap(({ packages }) => packages));
  const failure = await installPackages([...wanted], 'tests');
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
