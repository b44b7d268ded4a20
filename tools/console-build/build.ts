import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';
import { isBuiltFrom, sourcesDigest } from '../../packages/cli/bin/sources-digest.mjs';
import { compiled } from '../../packages/words/src/compile.ts';
import { catalogueSections } from '../catalogue-sections.ts';
import { REPOSITORY_ROOT, replaceFolder } from '../repository-files.ts';

/** All sources on which the built page depends. */
const CONSOLE_SOURCES: readonly string[] = [
  'packages/console',
  'packages/client/src',
  'packages/contract/src',
  'packages/words',
  'tools/console-build',
  'package-lock.json',
];

const CONSOLE_FOLDER = join(REPOSITORY_ROOT, 'dist', 'console');
const COMPRESSED = /\.(js|css|html|svg|webmanifest)$/;

/** A reader loads only one language. */
const NO_CATALOGUE = /^(?!.*\/words\/catalogue\/)/;

/** The page gets its sections with their messages parsed, so it carries no parser. */
const COMPILED_CATALOGUES: readonly Plugin[] = [
  catalogueSections(({ page = {}, sentences = {}, words = {}, errors = {} }) =>
    compiled({ page, sentences, words, errors }),
  ),
  {
    name: 'no-parser',
    load: (id) =>
      id.endsWith('/words/src/compile.ts') ? 'export const compiled = (catalogue) => catalogue;' : null,
  },
];

/**
 * Groups the first view with everything that it needs, and the few parts that only other views share, so that these get no
 * files of their own.
 */
const OF_SEVERAL_VIEWS =
  /\/console\/src\/(main\.tsx|kit\/|commands\/|operations\/job|shifts\/notes|devices\/(administration\/(device-[df]|cred)|facts\/)|map\/(vehicles|surface\/proj))/;

/**
 * The modules of these packages only declare, so one of which nothing is used is left out. Otherwise a language could import the
 * page for such a module, and each would wait for the other.
 */
const TREESHAKE = { moduleSideEffects: (id: string) => !/\/packages\/(contract|common)\//.test(id) };

/** The page only sends values from forms and never validates, so nothing that it needs may import the schema library. */
const withoutSchemas: Plugin = {
  name: 'without-schemas',
  // Before the resolver of Vite, which would find the library.
  enforce: 'pre',
  resolveId: {
    filter: { id: /^typebox(\/|$)/ },
    handler(id, importer) {
      this.error(
        `the page has no place for ${id}, which ${importer} imports; outline.ts of the contract may have what it needs`,
      );
    },
  },
};

/** The font is loaded before the first text is drawn; otherwise the page would be laid out twice. */
const PRELOADED_FONT = /inter-latin-wght-normal-.*\.woff2$/;

const preloadedFont: Plugin = {
  name: 'preloaded-font',
  transformIndexHtml: (_html, { bundle = {} }) =>
    Object.keys(bundle)
      .filter((file) => PRELOADED_FONT.test(file))
      .map((file) => ({
        tag: 'link',
        attrs: { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: true },
        injectTo: 'head',
      })),
};

/** Builds the operators' page unless it was built from the present sources. */
export async function ensureConsole(): Promise<void> {
  if (isBuiltFrom('dist/console', REPOSITORY_ROOT, CONSOLE_SOURCES)) return;
  console.log("granary: building the operators' page (once after a change of its sources, some seconds) ...");
  await buildConsole();
}

/** Builds the operators' page, with compressed copies beside its files. */
export async function buildConsole(): Promise<void> {
  // The digest is computed before the build, so that a change of the sources during the build causes another build.
  const digest = sourcesDigest(REPOSITORY_ROOT, CONSOLE_SOURCES);
  const folder = `${CONSOLE_FOLDER}-${process.pid}`;
  // It is loaded only for a build, because loading it takes longer than comparing the sources.
  const { build } = await import('vite');
  await build({
    root: join(REPOSITORY_ROOT, 'packages', 'console'),
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [withoutSchemas, ...COMPILED_CATALOGUES, preloadedFont],
    worker: {
      plugins: () => [withoutSchemas, ...COMPILED_CATALOGUES],
      rolldownOptions: { treeshake: TREESHAKE },
    },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // The page has few files, because each file is a request: the first view, each other view, each language.
      cssCodeSplit: false,
      rolldownOptions: {
        treeshake: TREESHAKE,
        output: {
          codeSplitting: {
            groups: [
              { name: 'page', test: OF_SEVERAL_VIEWS },
              { name: 'shared', minShareCount: 2, test: NO_CATALOGUE },
            ],
          },
        },
      },
    },
  });
  // The service worker is one file with a fixed name, because browsers identify it by its name.
  await build({
    root: join(REPOSITORY_ROOT, 'packages', 'console'),
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [withoutSchemas],
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2023',
      rolldownOptions: {
        treeshake: TREESHAKE,
        input: 'src/phone/service-worker.ts',
        output: { format: 'iife', entryFileNames: 'service-worker.js' },
      },
    },
  });
  const files = await readdir(folder, { recursive: true });
  await Promise.all(
    files.filter((file) => COMPRESSED.test(file)).map((file) => compress(join(folder, file))),
  );
  // This file is written last, so that an interrupted build is repeated.
  await writeFile(join(folder, 'built-from'), `${digest}\n`);
  await replaceFolder(folder, CONSOLE_FOLDER);
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
}
