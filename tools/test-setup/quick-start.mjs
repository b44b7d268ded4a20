// Loaded by Node before every program of the tests; an old Node loads it too and must pass over it.
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { isMainThread } from 'node:worker_threads';

const PACKAGES = new URL('../../packages/', import.meta.url).href;
const SOURCES = [PACKAGES, new URL('../../lab/', import.meta.url).href];
const TYPEBOX = new URL('../../node_modules/.cache/typebox/', import.meta.url).href;
/** Part of the service that tests start in processes of their own, which `npm test` builds from the present sources. */
const BUILT_THREADS = new URL('../../dist/test-service/', import.meta.url);

const OF_THREAD = /\/([\w-]+-thread)\.ts$/;
const RELATIVE = /^\.\.?\/.*\.ts$/;
const OF_PACKAGE = /^@granary\/(\w+)\/(.+)$/;
const OF_TYPEBOX = /^typebox(?:\/(\w+))?$/;

/** A thread shares no module with the one that starts it, so it can be the built one, which starts in a quarter of the time. */
function builtThread(specifier) {
  const name = isMainThread || !specifier.startsWith(PACKAGES) ? undefined : OF_THREAD.exec(specifier)?.[1];
  if (name === undefined) return undefined;
  const url = new URL(`${name}.js`, BUILT_THREADS);
  return existsSync(url) ? { url: url.href, format: 'module', shortCircuit: true } : undefined;
}

/**
 * Where a source of this repository finds another one follows from the names; Node would look at files and packages, which was
 * a third of the time to load the service. What users install is tested as it is.
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

module.registerHooks?.({
  resolve(specifier, context, nextResolve) {
    const { parentURL } = context;
    const found = parentURL === undefined ? builtThread(specifier) : namedBySource(specifier, parentURL);
    return found ?? nextResolve(specifier, context);
  },
});
