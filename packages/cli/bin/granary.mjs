#!/usr/bin/env node
// Runs on the machine's own Node, which may be older than the service needs, so it is plain JavaScript without dependencies.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_MIN = 24;
const platform = process.platform === 'win32' ? 'win' : process.platform;
const packageName = `node-${platform}-${process.arch}`;

/** The Node that npm installed with this package, if there is one for this machine. */
function packagedNode() {
  const require = module.createRequire(import.meta.url);
  try {
    const manifest = require.resolve(`${packageName}/package.json`);
    return join(dirname(manifest), require(manifest).bin.node);
  } catch {
    return undefined;
  }
}

function runOn(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both processes, and the child decides when it ends.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${node} cannot be run: ${error.message}.`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(problem) {
  console.error(
    `granary: ${problem}\n` +
      `  Granary needs Node ${NODE_MAJOR_MIN} or newer; this is ${process.version} on ${process.platform}-${process.arch}.\n` +
      `  Install Node ${NODE_MAJOR_MIN} or newer, or install Granary again with optional packages (npm install --include=optional).`,
  );
  process.exit(1);
}

/** The package that users install has only the built form; in the repository it must have been built from the present sources. */
async function findGranary() {
  const sources = new URL('../src/granary.ts', import.meta.url);
  if (!existsSync(sources)) return new URL('../dist/service/granary.js', import.meta.url);
  const root = new URL('../../../', import.meta.url);
  const { isBuiltFrom } = await import('./sources-digest.mjs');
  const { SERVICE_SOURCES } = await import('./service-sources.mjs');
  const isBuilt = isBuiltFrom('dist/service', fileURLToPath(root), SERVICE_SOURCES);
  return isBuilt ? new URL('dist/service/granary.js', root) : sources;
}

/** Node keeps compiled code for the next start, beside the built form if it may write there, else in the cache of the user. */
function keepCompiledCode(granary) {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  const { FAILED } = module.constants.compileCacheStatus;
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  for (const folder of [fileURLToPath(new URL('../compile-cache', granary)), join(caches, 'granary')]) {
    if (module.enableCompileCache(folder).status === FAILED) continue;
    // For the threads.
    process.env.NODE_COMPILE_CACHE = folder;
    return;
  }
}

if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN) {
  const granary = await findGranary();
  if (granary.pathname.endsWith('.js')) keepCompiledCode(granary);
  await import(granary.href);
} else {
  const node = packagedNode();
  if (node === undefined) fail(`the package ${packageName} with a newer Node is not installed.`);
  else runOn(node);
}
