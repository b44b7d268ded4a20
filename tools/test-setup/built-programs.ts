import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { SERVICE_SOURCES } from '../../packages/cli/bin/service-sources.mjs';
import { isBuiltFrom } from '../../packages/cli/bin/sources-digest.mjs';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { ensureService } from '../service-build/build.ts';

const PROGRAM = 'packages/testing/src/server/child.ts';
const FOLDER = 'dist/test-service';
const SOURCES = [...SERVICE_SOURCES, PROGRAM];
const LIBRARY = join(REPOSITORY_ROOT, 'node_modules/typebox');
const BUNDLE = join(REPOSITORY_ROOT, 'node_modules/.cache/typebox');
const HOOK = new URL('quick-start.mjs', import.meta.url).href;
/** The memory for new objects is larger, so that many small garbage collections do not slow the start of a program. */
const HEAP = '--max-semi-space-size=64';

/** Builds the command and the service that tests start in processes of their own, because a built one starts in a third of the time. */
export async function ensureBuiltPrograms(): Promise<NodeJS.ProcessEnv> {
  await ensureService();
  if (!isBuiltFrom(FOLDER, REPOSITORY_ROOT, SOURCES)) {
    const { buildEntry } = await import('../service-build/build.ts');
    await buildEntry(join(REPOSITORY_ROOT, PROGRAM), SOURCES, join(REPOSITORY_ROOT, FOLDER));
  }
  return {
    GRANARY_TEST_COMMAND: join(REPOSITORY_ROOT, 'dist/service/granary.js'),
    GRANARY_TEST_SERVICE: join(REPOSITORY_ROOT, FOLDER, 'child.js'),
  };
}

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, { readonly import: string }>>;
}

/**
 * Returns the variables with which the programs of the tests start quickly. A run starts many hundreds of programs and
 * threads, and each spent most of its start on loading modules, 683 of them from TypeBox.
 */
export async function quickStart(): Promise<NodeJS.ProcessEnv> {
  await ensureBundle();
  const given = process.env['NODE_OPTIONS'];
  return { NODE_OPTIONS: [...(given === undefined ? [] : [given]), `--import=${HOOK}`, HEAP].join(' ') };
}

async function ensureBundle(): Promise<void> {
  const manifest: Manifest = JSON.parse(await readFile(join(LIBRARY, 'package.json'), 'utf8'));
  const built = await readFile(join(BUNDLE, 'version'), 'utf8').catch(() => undefined);
  if (built === manifest.version) return;
  const folder = `${BUNDLE}-${process.pid}`;
  await bundle(manifest, folder);
  await writeFile(join(folder, 'version'), manifest.version);
  await rm(BUNDLE, { recursive: true, force: true });
  await rename(folder, BUNDLE).catch(() => rm(folder, { recursive: true, force: true }));
}

/** Writes one file for each specifier that the library exports. */
async function bundle(manifest: Manifest, outDir: string): Promise<void> {
  const entries = Object.entries(manifest.exports).map(([specifier, target]) => [
    specifier === '.' ? 'index' : specifier.replace('./', ''),
    join(LIBRARY, target.import),
  ]);
  await build({
    root: LIBRARY,
    configFile: false,
    logLevel: 'error',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'esnext',
      minify: false,
      lib: {
        entry: Object.fromEntries(entries),
        formats: ['es'],
        fileName: (_format, name) => `${name}.mjs`,
      },
      rolldownOptions: { output: { chunkFileNames: 'shared/[name].mjs' } },
    },
  });
}
