// Node loads this file before every program of the tests; an old Node loads it too and must ignore it.
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const PACKAGES = new URL('../../packages/', import.meta.url).href;
const SOURCES = [PACKAGES, new URL('../../lab/', import.meta.url).href];
const TYPEBOX = new URL('../../node_modules/.cache/typebox/', import.meta.url).href;
/** The folder of the built service that tests start in processes of their own; `npm test` builds it from the present sources. */
const BUILT_THREADS = new URL('../../dist/test-service/', import.meta.url);

const OF_THREAD = /\/([\w-]+-thread)\.ts$/;
const RELATIVE = /^\.\.?\/.*\.ts$/;
const OF_PACKAGE = /^@granary\/(\w+)\/(.+)$/;
const OF_TYPEBOX = /^typebox(?:\/(\w+))?$/;

/** Built programs name no source, and most programs that tests start are built. */
const BUILT_PROGRAMS = fileURLToPath(new URL('../../dist/', import.meta.url));

/** A thread shares no module with its parent, so the built thread can be used, which starts in a quarter of the time. */
function builtThread(specifier) {
  const name = isMainThread || !specifier.startsWith(PACKAGES) ? undefined : OF_THREAD.exec(specifier)?.[1];
  if (name === undefined) return undefined;
  const url = new URL(`${name}.js`, BUILT_THREADS);
  return existsSync(url) ? { url: url.href, format: 'module', shortCircuit: true } : undefined;
}

/**
 * Finds the source of another package by its name alone; Node would read files and packages, which took a third of the time
 * to load the service. The packages that users install are tested without this.
 */
function namedBySource(specifier, parentURL) {
  if (!SOURCES.some((folder) => parentURL.startsWith(folder))) return undefined;
  if (RELATIVE.test(specifier)) return source(new URL(specifier, parentURL).href);
  const inPackage = OF_PACKAGE.exec(specifier);
  if (inPackage !== null) return source(`${PACKAGES}${inPackage[1]}/src/${inPackage[2]}.ts`);
  const typebox = OF_TYPEBOX.exec(specifier);
  if (typebox === null) return undefined;
  return { url: `${TYPEBOX}${typebox[1] ?? 'index'}.mjs`, format: 'module', shortCircuit: true };
}

const source = (url) => ({ url, format: 'module-typescript', shortCircuit: true });

if (process.argv[1]?.startsWith(BUILT_PROGRAMS) !== true) {
  module.registerHooks?.({
    resolve(specifier, context, nextResolve) {
      const { parentURL } = context;
      const found = parentURL === undefined ? builtThread(specifier) : namedBySource(specifier, parentURL);
      return found ?? nextResolve(specifier, context);
    },
  });
}
