import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_ENDPOINTS } from '@granary/contract/endpoints/endpoints';
import { ExampleService } from '@granary/server/testing/example-service';
import { REPOSITORY_ROOT } from '../../tools/repository-files.ts';
import { exitCodeOf, start } from '../../tools/run.ts';
import type { DemoService } from './demo-service.ts';
import { CACHE, command } from './packages.ts';
import { Prism } from './prism.ts';

export const DOCUMENT = join(REPOSITORY_ROOT, 'docs', 'openapi.json');
export const CLIENTS = join(REPOSITORY_ROOT, 'lab', 'conformance', 'clients');

/** Runs a command and returns what is wrong. */
export async function run(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string[]> {
  const exitCode = await exitCodeOf(start(name, args, env));
  return exitCode === 0 ? [] : [`${name} ended with ${exitCode}`];
}

/** Every rule of the recommended set. */
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
    // Prism would find something.
    await fetch(`${prism.url}/v1/keys?limit=many`, { headers: { authorization: 'Bearer none' } });
    if (prism.violations.length === found.length) faults.push('Prism does not find a wrong request');
    return [...faults, ...found];
  } finally {
    await prism.stop();
    await service.stop();
  }
}

/** Runs the calls of the README as they are written there, with other addresses; the one to MQTT is left out. */
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

const COMPILER = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', '--outDir'];

/** Generates a client, compiles a tour with it, and lets the tour run through Prism. */
async function tour(name: string, generator: readonly string[], service: DemoService): Promise<string[]> {
  // Outside the cache, because a compiler leaves out what is in a folder of packages.
  const folder = await mkdtemp(join(tmpdir(), 'granary-tour-'));
  try {
    return await tourIn(folder, name, generator, service);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tourIn(
  folder: string,
  name: string,
  generator: readonly string[],
  service: DemoService,
): Promise<string[]> {
  await symlink(join(CACHE, 'node_modules'), join(folder, 'node_modules'), 'dir');
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await copyFile(join(CLIENTS, `${name}.ts`), join(folder, 'tour.ts'));
  const [generate = '', ...args] = generator.map((part) => part.replace('{folder}', folder));
  const generated = await run(process.execPath, [command(generate), ...args]);
  if (generated.length > 0) return generated;
  const compiled = await run(process.execPath, [
    command('tsc'),
    ...COMPILER,
    join(folder, 'compiled'),
    '--types',
    'node',
    '--typeRoots',
    join(REPOSITORY_ROOT, 'node_modules', '@types'),
    join(folder, 'tour.ts'),
  ]);
  if (compiled.length > 0) return compiled;
  const prism = await Prism.start(DOCUMENT, service.httpUrl);
  try {
    const env = { GRANARY_URL: prism.url, GRANARY_API_KEY: service.adminKey };
    const faults = await run(process.execPath, [join(folder, 'compiled', 'tour.js')], env);
    return [...faults, ...prism.violations];
  } finally {
    await prism.stop();
  }
}

export const openapiFetchTour = (service: DemoService): Promise<string[]> =>
  tour('openapi-fetch', ['openapi-typescript', DOCUMENT, '--output', '{folder}/granary.ts'], service);

export const heyApiTour = (service: DemoService): Promise<string[]> =>
  tour('hey-api', ['openapi-ts', '--input', DOCUMENT, '--output', '{folder}/granary'], service);
