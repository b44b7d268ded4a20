import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { consoleSourcesDigest } from './sources-digest.ts';

export const CONSOLE_FOLDER = join(REPOSITORY_ROOT, 'dist', 'console');
const COMPRESSED = /\.(js|css|html|svg|webmanifest)$/;

/** The page only sends what forms made and never validates, so it does not need the compiler of schemas. */
const WITHOUT_VALIDATION = fileURLToPath(new URL('no-validation.ts', import.meta.url));

/** Builds the operators' page, with compressed copies beside its files. */
export async function buildConsole(): Promise<void> {
  await build({
    root: join(REPOSITORY_ROOT, 'packages', 'console'),
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    resolve: { alias: { 'typebox/compile': WITHOUT_VALIDATION } },
    build: {
      outDir: CONSOLE_FOLDER,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
    },
  });
  const files = await readdir(CONSOLE_FOLDER, { recursive: true });
  await Promise.all(
    files.filter((file) => COMPRESSED.test(file)).map((file) => compress(join(CONSOLE_FOLDER, file))),
  );
  // Written last, so that a build that was interrupted is done again.
  await writeFile(join(CONSOLE_FOLDER, 'built-from'), `${await consoleSourcesDigest(REPOSITORY_ROOT)}\n`);
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
}
