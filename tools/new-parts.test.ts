import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from './repository-files.ts';

const run = promisify(execFile);

/** Lines for an existing file: an import at its beginning, and a line after another one. */
interface Addition {
  readonly file: string;
  readonly imports: string;
  readonly after: string;
  readonly line: string;
}

/** The new files of a throw-away profile. CONTRIBUTING.md describes their contents. */
const PROFILE_FILES = {
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

/** The additions to the registry of each package. */
const soilProbe = { imports: "import { soilProbe } from './soil-probe.ts';" };
const named = { after: '  weather_station: weatherStation,', line: '  soil_probe: soilProbe,' };
const PROFILE_LINES: readonly Addition[] = [
  { file: 'contract/src/profiles/profiles.ts', ...soilProbe, ...named },
  { file: 'core/src/profiles/profiles.ts', ...soilProbe, ...named },
  {
    file: 'simulator/src/profiles/profiles.ts',
    ...soilProbe,
    after: '  weatherStation,',
    line: '  soilProbe,',
  },
  {
    file: 'console/src/profiles/profiles.ts',
    imports: "import { soilProbe } from './soil-probe.tsx';",
    ...named,
  },
];

/** This program runs in the copy, like `npm run references` does in the repository. */
const MAKE_OUTLINE = `
import { writeFileSync } from 'node:fs';
import { outlineModule } from '@granary/contract/reference/outline';

writeFileSync('packages/contract/src/outline.ts', outlineModule((value) => JSON.stringify(value)));
console.log('null');
`;

/** This program runs in the copy: it registers a device of the new profile, sends a reading and reads it. */
const USE_PROFILE = `
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

/** The new files of a throw-away slice: visits, which a worker counts once. Its words would be in the catalogues of `console`. */
const SLICE_FILES = {
  'contract/src/endpoints/visits.ts': `
import { type Static, Type } from 'typebox';
import { checkPageQuery } from '../envelope.ts';
import { checker, closed } from '../input/schema.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const NewVisit = closed({ name: Type.String({ minLength: 1, maxLength: 100 }) });
const Visit = closed({ visit_id: Type.String(), name: Type.String(), is_counted: Type.Boolean() });
export type Visit = Static<typeof Visit>;

const endpoints = {
  list: endpoint('api', 'GET', '/visits', {
    scope: 'read',
    summary: 'Lists the visits, the oldest first.',
    query: checkPageQuery,
    answers: { 200: pageOf(Visit) },
    examples: [{ summary: 'the first page' }],
  }),
  create: endpoint('api', 'POST', '/visits', {
    scope: 'operate',
    summary: 'Enters a visit.',
    body: body(checker(NewVisit), 'visit'),
    answers: { 200: one(Visit) },
    examples: [{ summary: 'of the vet', body: { name: 'Ada' } }],
  }),
};

export const visits = {
  description: 'Who was there.',
  endpoints,
  schemas: { NewVisit, Visit },
} satisfies Slice;
`,
  'app/src/visits.ts': `
import { type Expiry, expireRows } from '@granary/store/expiry';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed } from './effects.ts';
import { refuseLimited } from './rights.ts';
import { keptFor } from './slice.ts';
import { longWrite, type Transaction } from './transaction.ts';

export interface StoredVisit {
  readonly visitId: string;
  readonly name: string;
  readonly atMs: number;
  readonly counted: number;
}

export const reads = {
  list: (sql: Sql, afterId: string, limit: number) =>
    sql.query<StoredVisit>('SELECT * FROM visits WHERE visit_id > $1 ORDER BY visit_id LIMIT $2', [afterId, limit]),
};

export const expiry = keptFor('jobRetentionDays');

export const writes = {
  async create(tx: Transaction, visit: Omit<StoredVisit, 'counted'>): Promise<Committed<StoredVisit>> {
    await refuseLimited(tx, 'enter visits');
    const stored = { ...visit, counted: 0 };
    await insertRows(tx.sql, { table: 'visits' }, [stored]);
    return committed(stored);
  },

  async count(tx: Transaction): Promise<Committed<number>> {
    return committed(await tx.sql.run('UPDATE visits SET counted = 1 WHERE counted = 0', []));
  },

  expire: longWrite(async (tx, limits: Expiry) =>
    committed(await expireRows(tx.sql, { table: 'visits', key: 'visit_id', time: 'at_ms' }, limits)),
  ),
};
`,
  'server/src/http/visits.ts': `
import { newId } from '@granary/app/ids';
import type { StoredVisit } from '@granary/app/visits';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { Visit } from '@granary/contract/endpoints/visits';
import type { FastifyInstance } from 'fastify';
import { creating } from './audit/attempt.ts';
import { pageOf, readPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

export function visitRoutes(
  routes: FastifyInstance,
  { reads, idempotency, now }: Parts<'reads' | 'idempotency' | 'now'>,
): void {
  register(routes, endpoints.visits.list, async ({ request, read }) => {
    const visitsAfter = (cursor: string | null, limit: number) => reads(request).visits.list(cursor ?? '', limit);
    return await readPage(request, pageOf(read.query(request)), visitsAfter, ({ visitId }) => visitId, shown);
  });

  register(routes, endpoints.visits.create, async (exchange) => {
    const atMs = now();
    const visit = { ...exchange.read.body(exchange.request), visitId: newId('vi', atMs), atMs };
    const { result } = await idempotency.once(creating(exchange, visit.visitId), (slices) => slices.visits.create(visit));
    return success(shown(result));
  });
}

const shown = ({ visitId, name, counted }: StoredVisit): Visit => ({
  visit_id: visitId,
  name,
  is_counted: counted === 1,
});
`,
  'server/src/background/visit-counter.ts': `
import { PeriodicWork } from '@granary/common/periodic-work';
import { counter } from '../process/metrics/exposition.ts';
import type { Worker, WorkerParts } from './worker.ts';

export function visitCounter({ app, logger }: WorkerParts): Worker {
  let counted = 0;
  const rounds = new PeriodicWork({
    doing: 'counting visits',
    everyMs: 50,
    logger,
    run: async () => {
      counted += await app.visits.count();
    },
  });
  return {
    start: () => rounds.start(),
    stop: () => rounds.stop(),
    metrics: () => [counter('granary_visits_total', 'Visits that were counted.', counted)],
  };
}
`,
  'cli/src/commands/records/visits.ts': `
import type { Visit } from '@granary/contract/endpoints/visits';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';

const COLUMNS: readonly Column<Visit>[] = [
  { title: 'VISIT', text: ({ visit_id }) => visit_id },
  { title: 'NAME', text: ({ name }) => name },
];

export const visits: Define = (command, environment) => {
  command.description('Lists the visits, the oldest first.');
  withAccess(command).action(async (values: AccessValues) => {
    const found = await Array.fromAsync(accessClient(values, environment.env).visits.listAll());
    outputOf(environment, values.json).list(COLUMNS, found, 'There are no visits.');
  });
  withExamples(command, 'granary visits --json');
};
`,
  'console/src/visits/visits-view.tsx': `
import { useConsole } from '../context/console.ts';
import { useLoaded } from '../kit/use-loaded.ts';

/** Shows who was there. */
export function VisitsView() {
  const { client } = useConsole();
  const visits = useLoaded((signal) => client.visits.list({}, { signal }), [client]);
  return (
    <ul>
      {(visits.value?.data ?? []).map(({ visit_id, name }) => (
        <li key={visit_id}>{name}</li>
      ))}
    </ul>
  );
}
`,
};

/** Everything that existing files need of the slice. */
const SLICE_LINES: readonly Addition[] = [
  {
    file: 'contract/src/slices.ts',
    imports: "import { visits } from './endpoints/visits.ts';",
    after: '  plants,',
    line: '  visits,',
  },
  {
    file: 'store/src/migrations/v1-first-release.ts',
    imports: '',
    after: '  // The processes that share a PostgreSQL database.',
    line: `  \`CREATE TABLE visits (visit_id {{idText}} PRIMARY KEY, name TEXT NOT NULL, at_ms BIGINT NOT NULL, counted BIGINT NOT NULL)\`,`,
  },
  {
    file: 'app/src/slices.ts',
    imports: "import * as visits from './visits.ts';",
    after: '  plants,',
    line: '  visits,',
  },
  {
    file: 'server/src/slices.ts',
    imports: "import { visitRoutes } from './http/visits.ts';",
    after: '  auditRoutes,',
    line: '  visitRoutes,',
  },
  {
    file: 'server/src/slices.ts',
    imports: "import { visitCounter } from './background/visit-counter.ts';",
    after: '  reporter,',
    line: '  visitCounter,',
  },
  {
    file: 'cli/src/commands.ts',
    imports: '',
    after: "  'Records:': {",
    line: `    visits: {
      summary: 'list visits',
      load: async () => (await import('./commands/records/visits.ts')).visits,
    },`,
  },
  {
    file: 'console/src/shell/views.ts',
    imports: '',
    after: "  me: { View: lazyView(async () => (await import('../me/me-view.tsx')).MeView) },",
    line: `  visits: {
    View: lazyView(async () => (await import('../visits/visits-view.tsx')).VisitsView),
    title: () => 'Visits',
    section: 'operations',
    isInMenu: true,
  },`,
  },
];
const CHANGED_FILES_MAX = 6;

/** This program runs in the copy: it enters a visit, waits until the worker has counted it, and lists it with the command. */
const USE_SLICE = `
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createClient } from '@granary/client';
import { createService } from '@granary/server/compose';
import { readSettings } from '@granary/server/process/settings';

const settings = readSettings({
  GRANARY_HTTP_PORT: '0',
  GRANARY_MQTT_PORT: '0',
  GRANARY_LINK_THREADS: '0',
  GRANARY_LOG_LEVEL: 'silent',
  GRANARY_DATA_DIR: new URL('./visited', import.meta.url).pathname,
});
const service = createService(settings);
const { httpUrl, adminKey } = await service.start();
const client = createClient({ baseUrl: httpUrl, apiKey: adminKey.key });
const { visit_id } = await client.visits.create({ name: 'Ada' });
while (!(await client.visits.list()).data[0].is_counted);
const metrics = await client.health.metrics();
const { data: audited } = await client.audit.list({ action: 'visits.create' });
const { data: paths } = { data: (await (await fetch(httpUrl + '/openapi.json')).json()).paths };
const env = { ...process.env, GRANARY_URL: httpUrl, GRANARY_API_KEY: adminKey.key };
const command = ['packages/cli/src/granary.ts', 'visits', '--json'];
const { stdout } = await promisify(execFile)(process.execPath, command, { env });
await service.stop();
console.log(
  JSON.stringify([
    JSON.parse(stdout),
    visit_id,
    /^granary_visits_total 1$/m.test(metrics),
    audited.length,
    Object.keys(paths['/v1/visits']),
  ]),
);
`;

/** A copy of the packages in which the package names refer to the copies. */
async function copyOfPackages(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'granary-parts-'));
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

async function add(root: string, { file, imports, after: place, line }: Addition): Promise<void> {
  const path = join(root, 'packages', file);
  const text = await readFile(path, 'utf8');
  assert.equal(text.split(`${place}\n`).length, 2, `${file} has the line ${place} once`);
  await writeFile(path, `${imports}\n${text.replace(`${place}\n`, `${place}\n${line}\n`)}`);
}

describe('a new profile and a new slice', () => {
  let root = '';
  before(async () => {
    root = await copyOfPackages();
    for (const [path, text] of Object.entries({ ...PROFILE_FILES, ...SLICE_FILES })) {
      const file = join(root, 'packages', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    for (const addition of [...PROFILE_LINES, ...SLICE_LINES]) await add(root, addition);
    await printed(MAKE_OUTLINE);
  });
  after(() => rm(root, { recursive: true, force: true }));

  /** Runs a program in the copy, and returns what it prints. */
  async function printed(program: string): Promise<unknown> {
    await writeFile(join(root, 'try.mjs'), program);
    const { stdout } = await run(process.execPath, ['try.mjs'], { cwd: root });
    return JSON.parse(stdout);
  }

  it('need their own files and a few lines in others, and everything else fits', async () => {
    for (const project of ['.', 'packages/console']) {
      const options = ['-p', project, '--incremental', 'false', '--checkers', '1'];
      const types = await run('tsc', options, { cwd: root }).catch((error) => error);
      assert.equal(types.stdout, '', project);
    }
  });

  it('change one file in each package at most', () => {
    assert.ok(new Set(SLICE_LINES.map(({ file }) => file)).size <= CHANGED_FILES_MAX);
    assert.equal(new Set(PROFILE_LINES.map(({ file }) => file)).size, PROFILE_LINES.length);
  });

  it('a device of the profile can be registered, sends readings and is shown', async () => {
    assert.deepEqual(await printed(USE_PROFILE), ['soil_probe', 12.5, 40]);
  });

  it('the slice is written and read over HTTP, worked on, measured, audited, described and listed by a command', async () => {
    const [listed, visitId, ...others] = (await printed(USE_SLICE)) as unknown[];
    assert.deepEqual(listed, [{ visit_id: visitId, name: 'Ada', is_counted: true }]);
    assert.deepEqual(others, [true, 1, ['get', 'post']]);
  });
});
