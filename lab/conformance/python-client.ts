import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoService } from './demo-service.ts';
import { CACHE, command } from './packages.ts';
import { Prism } from './prism.ts';
import { CLIENTS, DOCUMENT, run } from './steps.ts';

/** The last version of OpenAPI Generator whose npm package contains the generator itself; later ones fetch it from elsewhere. */
const GENERATOR = join(CACHE, 'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar');
/** The Python of Debian, whose packages the generated client needs. */
const PYTHON = '/usr/bin/python3';
const NEEDED =
  'java, and the Debian packages python3-urllib3, python3-dateutil, python3-six and python3-certifi';

/** Generates a client in Python and lets a tour with it run through Prism. */
export async function pythonTour(service: DemoService): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-tour-'));
  try {
    const missing = [
      ...(await run('java', ['-version'])),
      ...(await run(PYTHON, ['-c', 'import certifi, dateutil, six, urllib3'])),
    ];
    if (missing.length > 0) return [...missing, `this step needs ${NEEDED}`];
    const generated = await generate(folder);
    return generated.length > 0 ? generated : await tour(folder, service);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** This generator reads OpenAPI 3.0, so another program translates the document first. */
async function generate(folder: string): Promise<string[]> {
  const input = join(folder, 'openapi-3.1.json');
  const older = join(folder, 'openapi-3.0.json');
  await writeFile(input, JSON.stringify(simplified(JSON.parse(await readFile(DOCUMENT, 'utf8')))));
  const translation = [command('openapi-down-convert'), '--input', input, '--output', older];
  const translated = await run(process.execPath, translation);
  if (translated.length > 0) return translated;
  const language = ['-g', 'python', '--package-name', 'granary_generated', '--skip-validate-spec'];
  // It names every file that it writes, and warns about what it leaves out, such as messages of webhooks.
  const quiet = '-Dlog.level=error';
  return await run('java', [quiet, '-jar', GENERATOR, 'generate', '-i', older, ...language, '-o', folder]);
}

async function tour(folder: string, { httpUrl, adminKey }: DemoService): Promise<string[]> {
  const prism = await Prism.start(DOCUMENT, httpUrl);
  try {
    const env = { GRANARY_URL: prism.url, GRANARY_API_KEY: adminKey, PYTHONPATH: folder };
    const faults = await run(PYTHON, [join(CLIENTS, 'openapi_generator.py')], env);
    return [...faults, ...prism.violations];
  } finally {
    await prism.stop();
  }
}

/** The translator does not know "one of a schema and null", and the generator writes a constant truth value wrongly. */
function simplified(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplified);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, simplified(part)]));
  const { anyOf, ...others } = fields;
  if (typeof others['const'] === 'boolean') return { type: 'boolean' };
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return fields;
  const [branch] = anyOf;
  const schema = '$ref' in branch ? { allOf: [branch] } : branch;
  return { ...schema, ...others, nullable: true };
}
