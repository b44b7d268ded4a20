import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_ENDPOINTS } from '@granary/contract/endpoints/endpoints';
import { createService } from '@granary/server/compose';
import { readSettings } from '@granary/server/process/settings';
import { SIMULATED_PROFILES } from '@granary/simulator/profiles/profiles';
import { startFarm } from '@granary/simulator/start-farm';
import { ExampleService } from '@granary/testing/server/example-service';
import { passOn, SERVICE_HEADER, validatedUrl } from '@granary/testing/server/validated-url';
import { InstalledFarm } from '../../tools/cli-tour/installed-farm.ts';
import { differences, recordTour, tourIn } from '../../tools/cli-tour/tour.ts';
import { REPOSITORY_ROOT, repositoryFiles } from '../../tools/repository-files.ts';
import { CACHE, command, DOCUMENT, Prism, run } from './outside-validators.ts';

interface Diagnostic {
  /** 0 is an error and 1 a warning; higher numbers are hints, for example that a newer version of AsyncAPI exists. */
  readonly severity: number;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

interface AsyncApiParser {
  readonly Parser: new () => {
    parse(
      text: string,
    ): Promise<{ readonly document?: unknown; readonly diagnostics: readonly Diagnostic[] }>;
  };
}

/** The faults that the parser of the AsyncAPI project finds in the document. */
export async function parseAsyncApi(): Promise<string[]> {
  const { Parser }: AsyncApiParser = createRequire(join(CACHE, 'package.json'))('@asyncapi/parser');
  const text = await readFile(join(REPOSITORY_ROOT, 'docs', 'asyncapi.json'), 'utf8');
  const { document, diagnostics } = await new Parser().parse(text);
  const faults = diagnostics
    .filter(({ severity }) => severity <= 1)
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
  return document === undefined && faults.length === 0 ? ['the document is refused'] : faults;
}

/** Checks every rule of the recommended set. */
export const lint = (): Promise<string[]> =>
  run(process.execPath, [command('redocly'), 'lint', '--extends=recommended', DOCUMENT], {
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  });

/** Sends every declared example that is not about a refusal. A stream has no end, so Prism would never answer. */
export async function sendExamples(): Promise<string[]> {
  const service = new ExampleService();
  await service.start();
  const prism = await Prism.start(DOCUMENT, service.httpUrl);
  const faults: string[] = [];
  let count = 0;
  try {
    for (const { name, endpoint } of ALL_ENDPOINTS) {
      if (endpoint.answers[200].mediaType === 'text/event-stream') continue;
      for (const example of endpoint.examples.filter(({ refusal }) => refusal === undefined)) {
        const response = await service.send(endpoint, example, prism.url);
        const text = await response.text();
        if (!response.ok) faults.push(`${name}: ${response.status} ${text.slice(0, 300)}`);
        count++;
      }
    }
    console.log(`  ${count} examples through Prism`);
    const found = prism.violations;
    // This request is not valid, so Prism must report it.
    await fetch(`${prism.url}/v1/keys?limit=many`, { headers: { authorization: 'Bearer none' } });
    if (prism.violations.length === found.length) faults.push('Prism does not find a wrong request');
    return [...faults, ...found];
  } finally {
    await prism.stop();
    await service.stop();
  }
}

/** Runs the calls of the README as they are written there, with other addresses; the MQTT call is left out. */
export async function sendReadmeCalls({ httpUrl, adminKeyFile }: DemoService): Promise<string[]> {
  const readme = await readFile(join(REPOSITORY_ROOT, 'README.md'), 'utf8');
  const blocks = Array.from(readme.matchAll(/```bash\n(.*?)```/gs), ([, block = '']) => block);
  const lines = blocks.filter((block) => block.includes('curl')).flatMap((block) => block.split('\n'));
  const prism = await Prism.start(DOCUMENT, httpUrl);
  const script = lines
    .filter((line) => !line.startsWith('mosquitto_pub'))
    .join('\n')
    .replaceAll('.granary/admin-key', adminKeyFile)
    .replaceAll('http://127.0.0.1:8080', prism.url)
    .replaceAll('curl -s', 'curl -sS --fail-with-body -o /dev/null -w "  %{http_code} %{url}\\n"');
  try {
    const faults = await run('bash', ['-e', '-c', script]);
    return [...faults, ...prism.violations];
  } finally {
    await prism.stop();
  }
}

/** Runs the tests of the client and of the command, with Prism between them and every service that they start. */
export const runSuites = (...folders: readonly string[]): Promise<string[]> =>
  withPrism((prismUrl) => {
    const files = repositoryFiles(REPOSITORY_ROOT).filter(
      (path) => path.endsWith('.test.ts') && folders.some((folder) => path.startsWith(folder)),
    );
    console.log(`  ${files.length} test files`);
    const args = ['--test', '--test-reporter=dot', '--test-timeout=240000', ...files];
    return run(process.execPath, args, { GRANARY_TEST_PRISM: prismUrl });
  });

/** Runs the tour of docs/cli.md with the packed command, compares it with docs/cli.md, and lets it pass through Prism. */
export async function commandTour(): Promise<string[]> {
  const farm = await InstalledFarm.start();
  const undos: (() => void)[] = [];
  try {
    const page = await readFile(join(REPOSITORY_ROOT, 'docs/cli.md'), 'utf8');
    const { text, faults } = await recordTour(farm);
    const throughPrism = await withPrism(async (prismUrl) => {
      const url = await validatedUrl({ after: (undo) => undos.push(undo) }, farm.url, prismUrl);
      const env = { GRANARY_URL: url, GRANARY_API_KEY: await farm.adminKey() };
      return (await recordTour(farm, env)).faults;
    });
    return [...faults, ...differences(tourIn(page), text), ...throughPrism];
  } finally {
    for (const undo of undos) undo();
    await farm.stop();
  }
}

/** Starts one Prism for several services; returns the faults that `use` finds, and those that Prism finds. */
async function withPrism(use: (prismUrl: string) => Promise<string[]>): Promise<string[]> {
  let requests = 0;
  // Prism knows one address, so it sends all requests to this server, which forwards each one to the service that it names.
  const distributor = createServer((asked, answer) => {
    requests++;
    const { [SERVICE_HEADER]: service, ...headers } = asked.headers;
    asked.headers = headers;
    passOn(asked, answer, String(service));
  });
  distributor.listen(0, '127.0.0.1');
  await once(distributor, 'listening');
  const { port } = distributor.address() as AddressInfo;
  const prism = await Prism.start(DOCUMENT, `http://127.0.0.1:${port}`);
  try {
    const faults = await use(prism.url);
    console.log(`  ${requests} requests through Prism`);
    return [...faults, ...(requests === 0 ? ['nothing passed through Prism'] : []), ...prism.violations];
  } finally {
    await prism.stop();
    distributor.close();
    distributor.closeAllConnections();
  }
}

interface DemoService {
  readonly httpUrl: string;
  readonly adminKey: string;
  readonly adminKeyFile: string;
  stop(): Promise<void>;
}

/** The service with the simulated farm, as `npm start` starts it, on free ports. */
export async function startDemoService(): Promise<DemoService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'granary-conformance-'));
  const settings = readSettings({
    GRANARY_HTTP_PORT: '0',
    GRANARY_MQTT_PORT: '0',
    GRANARY_LOG_LEVEL: 'error',
    GRANARY_DATA_DIR: dataDir,
  });
  const service = createService(settings);
  const { httpUrl, mqttUrl, adminKey } = await service.start();
  const { siloSegment, fieldSegment } = settings;
  const farm = await startFarm({
    baseUrl: httpUrl,
    siloSegment,
    fieldSegment,
    adminKey: adminKey.key,
    mqttUrl,
    profiles: SIMULATED_PROFILES,
    historyDays: 8,
    intervalMs: 2_000,
    credentialsFile: join(dataDir, 'farm.json'),
  });
  await farm.historyWritten;
  return {
    httpUrl,
    adminKey: adminKey.key,
    adminKeyFile: join(dataDir, 'admin-key'),
    stop: async () => {
      await farm.stop();
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
