#!/usr/bin/env node
// This file runs on the machine's own Node, which may be older than the service needs, so it is plain JavaScript without dependencies.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import * as module from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MIN = '24.7';
const platform = process.platform === 'win32' ? 'win' : process.platform;
const packageName = `node-${platform}-${process.arch}`;

const userCache = () => join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'granary');

/** Finds the Node of a package from this file or from the given folder. */
function nodeFoundFrom(place) {
  const require = module.createRequire(place);
  try {
    const manifest = require.resolve(`${packageName}/package.json`);
    return join(dirname(manifest), require(manifest).bin.node);
  } catch {
    return undefined;
  }
}

/**
 * Fetches the Node with which this version was tested, once, into the folder of this package or else into the cache of the user. It is
 * not a dependency, because npm would then make it the `node` of every script of the project in which Granary is installed.
 */
function fetchedNode() {
  const wanted = fileURLToPath(new URL('../runtime/', import.meta.url));
  if (!existsSync(wanted)) return undefined;
  const version = JSON.parse(readFileSync(join(wanted, 'manifest.json'), 'utf8')).version;
  const folders = [wanted, userCache()].map((folder) => join(folder, `node-${version}`));
  const found = folders
    .map((folder) => nodeFoundFrom(join(folder, 'any.js')))
    .find((node) => node !== undefined);
  if (found !== undefined) return found;
  console.error(
    `granary: this machine has Node ${process.versions.node}; fetching Node ${version} for Granary alone, this once ...`,
  );
  for (const folder of folders) {
    const draft = `${folder}.${process.pid}`;
    try {
      mkdirSync(draft, { recursive: true });
      copyFileSync(join(wanted, 'manifest.json'), join(draft, 'package.json'));
      copyFileSync(join(wanted, 'lock.json'), join(draft, 'package-lock.json'));
      const npm = spawnSync(
        'npm',
        ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'],
        {
          cwd: draft,
          stdio: ['ignore', 'ignore', 'inherit'],
          shell: process.platform === 'win32',
        },
      );
      if (npm.status !== 0) fail('npm could not fetch it, see above.');
      // Another command may have fetched it first.
      if (!existsSync(folder)) renameSync(draft, folder);
      return nodeFoundFrom(join(folder, 'any.js'));
    } catch (error) {
      if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
}

function runOn(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // Ctrl-C in a terminal reaches both processes, and a second signal would end the child without waiting for its work.
  process.on('SIGINT', () => (isInForeground() ? undefined : child.kill('SIGINT')));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${node} cannot be run: ${error.message}.`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Whether the keys of a terminal send signals to this process and its child. */
function isInForeground() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [, , group, , , foregroundGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group === foregroundGroup;
  } catch {
    return process.stdin.isTTY === true;
  }
}

function fail(problem) {
  console.error(
    `granary: ${problem}\n` +
      `  Granary needs Node ${NODE_MIN} or newer; this is ${process.version} on ${process.platform}-${process.arch}.\n` +
      `  Install Node ${NODE_MIN} or newer, or give this machine access to the npm registry once.`,
  );
  process.exit(1);
}

/** Finds the built form of the command. An installed package has only that form; in the repository it must be built from the present sources. */
async function findGranary() {
  const sources = new URL('../src/granary.ts', import.meta.url);
  if (!existsSync(sources)) return new URL('../dist/service/granary.js', import.meta.url);
  const root = new URL('../../../', import.meta.url);
  const { isBuiltFrom } = await import('./sources-digest.mjs');
  const { SERVICE_SOURCES } = await import('./service-sources.mjs');
  const isBuilt = isBuiltFrom('dist/service', fileURLToPath(root), SERVICE_SOURCES);
  return isBuilt ? new URL('dist/service/granary.js', root) : sources;
}

/** Makes Node keep compiled code for the next start: beside the built form if it may write there, else in the cache of the user. */
function keepCompiledCode(granary) {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  const { FAILED } = module.constants.compileCacheStatus;
  for (const folder of [fileURLToPath(new URL('../compile-cache', granary)), userCache()]) {
    if (module.enableCompileCache(folder).status === FAILED) continue;
    // The threads read this variable.
    process.env.NODE_COMPILE_CACHE = folder;
    return;
  }
}

if (NODE_MIN.localeCompare(process.versions.node, 'en', { numeric: true }) <= 0) {
  const granary = await findGranary();
  if (granary.pathname.endsWith('.js')) keepCompiledCode(granary);
  await import(granary.href);
} else {
  const node = nodeFoundFrom(import.meta.url) ?? fetchedNode();
  if (node === undefined) fail(`there is no ${packageName} with a newer Node.`);
  else runOn(node);
}
