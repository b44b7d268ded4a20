import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { isBuiltFrom, sourcesDigest } from '../../packages/cli/bin/sources-digest.mjs';
import { REPOSITORY_ROOT, replaceFolder } from '../repository-files.ts';

/** Everything that the built page depends on. */
const CONSOLE_SOURCES: readonly string[] = [
  'packages/console',
  'packages/client/src',
  'packages/contract/src',
  'tools/console-build',
  'package-lock.json',
];

const CONSOLE_FOLDER = join(REPOSITORY_ROOT, 'dist', 'console');
const COMPRESSED = /\.(js|css|html|svg|webmanifest)$/;

/** The page only sends what forms made and never validates, so it does not need the schema library. */
const WITHOUT_VALIDATION = fileURLToPath(new URL('no-validation.ts', import.meta.url));

/** Builds the operators' page unless it was built from the present sources. */
export async function ensureConsole(): Promise<void> {
  if (isBuiltFrom('dist/console', REPOSITORY_ROOT, CONSOLE_SOURCES)) return;
  console.log("granary: building the operators' page (once after a change of its sources, some seconds) ...");
  await buildConsole();
}

/** Builds the operators' page, with compressed copies beside its files. */
export async function buildConsole(): Promise<void> {
  // Before the build, so that a change of the sources while it runs causes another one.
  const digest = sourcesDigest(REPOSITORY_ROOT, CONSOLE_SOURCES);
  const folder = `${CONSOLE_FOLDER}-${process.pid}`;
  // Loaded only for a build, because the bundler takes longer to load than the comparison of the sources.
  const { build } = await import('vite');
  await build({
    root: join(REPOSITORY_ROOT, 'packages', 'console'),
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    resolve: { alias: [{ find: /^typebox(\/.*)?$/, replacement: WITHOUT_VALIDATION }] },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // Few files, because each is a request: the first view, what several views share, and one for each other view.
      cssCodeSplit: false,
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } } },
    },
  });
  const files = await readdir(folder, { recursive: true });
  await Promise.all(
    files.filter((file) => COMPRESSED.test(file)).map((file) => compress(join(folder, file))),
  );
  // Written last, so that a build that was interrupted is done again.
  await writeFile(join(folder, 'built-from'), `${digest}\n`);
  await replaceFolder(folder, CONSOLE_FOLDER);
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
}
