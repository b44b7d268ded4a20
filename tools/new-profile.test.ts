import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from './repository-files.ts';

const run = promisify(execFile);

/** The new files of a test profile. CONTRIBUTING.md describes their contents. */
const FILES = {
  'contract/src/profiles/soil-probe.ts': `
import {
  checkWeatherStationConfigurationPatch,
  WeatherStationConfiguration,
} from '../configuration/weather-station-configuration.ts';
import type { ChannelName } from '../telemetry/channels.ts';
import { telemetryChecker } from '../telemetry/telemetry.ts';
import type { ProfileContract } from './profile.ts';

const channels = ['temperature', 'humidity'] as const satisfies readonly ChannelName[];

export const soilProbe = {
  group: 'field',
  channels,
  checkTelemetry: telemetryChecker(channels),
  configuration: WeatherStationConfiguration,
  checkConfigurationPatch: checkWeatherStationConfigurationPatch,
  capabilities: [],
  replies: null,
} as const satisfies ProfileContract;
`,
  'core/src/profiles/soil-probe.ts': `
import { weatherStation } from './weather-station.ts';

export const soilProbe: typeof weatherStation = { ...weatherStation, conditionsOf: () => [] };
`,
  'simulator/src/profiles/soil-probe.ts': `
import { Device } from '../device/device.ts';
import { createWeatherFault, STATIONS, WEATHER_FAULTS, WeatherModel } from '../weather.ts';
import { registrationOf, simulatedProfile } from './profile.ts';

export const soilProbe = simulatedProfile({
  title: 'soil probes',
  group: 'field',
  units: STATIONS.map((station) => ({ ...station, id: \`soil-\${station.id}\` })),
  faults: WEATHER_FAULTS,
  register: (client, probe) =>
    client.devices.field.register({ ...registrationOf(probe), model: 'SP-1', profile: 'soil_probe' }),
  histories: () => [],
  create: (probe, options) =>
    new Device(options, {
      createReadingFault: createWeatherFault,
      createModel: ({ nowMs }) => new WeatherModel(probe, nowMs),
    }),
});
`,
  'console/src/profiles/soil-probe.tsx': `
import type { ProfileView } from './profile.ts';
import { weatherStation } from './weather-station.tsx';

export const soilProbe: ProfileView = { ...weatherStation };
`,
};

/** The additions to the registry of each package: an import and one line. */
const REGISTRIES = {
  'contract/src/profiles/profiles.ts': [
    '.ts',
    '  weather_station: weatherStation,',
    '  soil_probe: soilProbe,',
  ],
  'core/src/profiles/profiles.ts': ['.ts', '  weather_station: weatherStation,', '  soil_probe: soilProbe,'],
  'simulator/src/profiles/profiles.ts': ['.ts', '  weatherStation,', '  soilProbe,'],
  'console/src/profiles/profiles.ts': [
    '.tsx',
    '  weather_station: weatherStation,',
    '  soil_probe: soilProbe,',
  ],
} as const;

/** This program runs in the copy, like `npm run references` does in the repository. */
const MAKES_OUTLINE = `
import { writeFileSync } from 'node:fs';
import { outlineModule } from '@granary/contract/reference/outline';

writeFileSync('packages/contract/src/outline.ts', outlineModule((value) => JSON.stringify(value)));
`;

/** This program runs in the copy: it registers a device of the new profile, sends a reading and reads it. */
const PROGRAM = `
import { createClient } from '@granary/client';
import { createService } from '@granary/server/compose';
import { readSettings } from '@granary/server/process/settings';
import { SIMULATED_PROFILES } from '@granary/simulator/profiles/profiles';

const settings = readSettings({
  GRANARY_HTTP_PORT: '0',
  GRANARY_MQTT_PORT: '0',
  GRANARY_LINK_THREADS: '0',
  GRANARY_LOG_LEVEL: 'silent',
  GRANARY_DATA_DIR: new URL('./data', import.meta.url).pathname,
});
const service = createService(settings);
const { httpUrl, adminKey } = await service.start();
const client = createClient({ baseUrl: httpUrl, apiKey: adminKey.key });
const [probe] = SIMULATED_PROFILES.find(({ title }) => title === 'soil probes').devices;
await probe.register(client);
const { id } = probe.unit;
await client.telemetry.send('field', id, { ts: Date.now(), temperature: 12.5, humidity: 40 });
const { profile } = await client.devices.field.get(id);
const { temperature, humidity } = await client.fieldReadings.environment(id);
await service.stop();
console.log(JSON.stringify([profile, temperature, humidity]));
`;

/** A copy of the packages in which the package names refer to the copies. */
async function copyOfPackages(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'granary-profile-'));
  await mkdir(join(root, 'node_modules/@granary'), { recursive: true });
  for (const name of await readdir(join(REPOSITORY_ROOT, 'node_modules'))) {
    if (name === '@granary' || name === '.cache') continue;
    await symlink(join(REPOSITORY_ROOT, 'node_modules', name), join(root, 'node_modules', name));
  }
  const names = await readdir(join(REPOSITORY_ROOT, 'packages'));
  for (const name of names.filter((one) => one !== 'testing')) {
    await cp(join(REPOSITORY_ROOT, 'packages', name), join(root, 'packages', name), {
      recursive: true,
      filter: (path) => !path.endsWith('.test.ts'),
    });
    await symlink(join(root, 'packages', name), join(root, 'node_modules/@granary', name));
  }
  for (const name of ['package.json', 'tsconfig.json']) {
    await cp(join(REPOSITORY_ROOT, name), join(root, name));
  }
  return root;
}

describe('a new profile', () => {
  let root = '';
  before(async () => {
    root = await copyOfPackages();
    for (const [path, text] of Object.entries(FILES)) await writeFile(join(root, 'packages', path), text);
    for (const [path, [extension, before, line]] of Object.entries(REGISTRIES)) {
      const file = join(root, 'packages', path);
      const registry = await readFile(file, 'utf8');
      assert.ok(registry.includes(`${before}\n`), path);
      const added = registry.replace(`${before}\n`, `${before}\n${line}\n`);
      await writeFile(file, `import { soilProbe } from './soil-probe${extension}';\n${added}`);
    }
    await writeFile(join(root, 'make-outline.mjs'), MAKES_OUTLINE);
    await run(process.execPath, ['make-outline.mjs'], { cwd: root });
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('needs its own files and one line in the registry of each package, and everything else fits', async () => {
    for (const project of ['.', 'packages/console']) {
      const options = ['-p', project, '--incremental', 'false', '--checkers', '1'];
      const types = await run('tsc', options, { cwd: root }).catch((error) => error);
      assert.equal(types.stdout, '', project);
    }
  });

  it('can be registered, sends readings and is shown', async () => {
    await writeFile(join(root, 'try.mjs'), PROGRAM);
    const { stdout } = await run(process.execPath, ['try.mjs'], { cwd: root });
    assert.deepEqual(JSON.parse(stdout), ['soil_probe', 12.5, 40]);
  });
});
