#!/usr/bin/env node
// Runs on the machine's own Node, which may be older than the service needs, so it is plain JavaScript without dependencies.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR_MIN = 24;
const granary = new URL('../lib/cli/src/granary.js', import.meta.url);
const platform = process.platform === 'win32' ? 'win' : process.platform;
const packageName = `node-${platform}-${process.arch}`;

/** The Node that npm installed with this package, if there is one for this machine. */
function packagedNode() {
  const require = createRequire(import.meta.url);
  try {
    const manifest = require.resolve(`${packageName}/package.json`);
    return join(dirname(manifest), require(manifest).bin.node);
  } catch {
    return undefined;
  }
}

function runOn(node) {
  const child = spawn(node, [fileURLToPath(granary), ...process.argv.slice(2)], { stdio: 'inherit' });
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

if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN) {
  await import(granary.href);
} else {
  const node = packagedNode();
  if (node === undefined) fail(`the package ${packageName} with a newer Node is not installed.`);
  else runOn(node);
}
