import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { sourcesDigest } from '../../packages/cli/bin/sources-digest.mjs';
import { replaceFolder } from '../replace-folder.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { CONSOLE_SOURCES } from './console-sources.ts';

export const CONSOLE_FOLDER = join(REPOSITORY_ROOT, 'dist', 'console');
const COMPRESSED = /\.(js|css|html|svg|webmanifest)$/;

/** The page only sends what forms made and never validates, so it does not need the compiler of schemas. */
const WITHOUT_VALIDATION = fileURLToPath(new URL('no-validation.ts', import.meta.url));

/** Builds the operators' page, with compressed copies beside its files. */
export async function buildConsole(): Promise<void> {
  // Before the build, so that a change of the sources while it runs causes another one.
  const digest = sourcesDigest(REPOSITORY_ROOT, CONSOLE_SOURCES);
  const folder = `${CONSOLE_FOLDER}-${process.pid}`;
  await build({
    root: join(REPOSITORY_ROOT, 'packages', 'console'),
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    resolve: { alias: { 'typebox/compile': WITHOUT_VALIDATION } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
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
