// Runs before `npm start`, `npm test` and `npm run bench`, so that a fresh clone needs no separate install and no separate build.
// It runs on the machine's own Node before anything is installed, so it is plain JavaScript without dependencies.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MIN = '24.7';
const root = dirname(dirname(fileURLToPath(import.meta.url)));

function fail(message) {
  console.error(`granary: ${message}`);
  process.exit(1);
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(join(root, lockFile), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

const admits = (allowed, actual) => allowed === undefined || [allowed].flat().includes(actual);

/** npm skips optional packages for other platforms; whether `libc` fits is left to npm. */
const mayBeAbsent = ({ optional, os, cpu, libc }) =>
  optional === true && (libc !== undefined || !admits(os, process.platform) || !admits(cpu, process.arch));

/** Compares the lock file with npm's record of the installed packages. */
function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  const installed = packagesOf('node_modules/.package-lock.json');
  if (wanted === undefined) return fail('package-lock.json is missing or unreadable; restore it from git.');
  if (installed === undefined) return false;
  const isWanted = Object.keys(installed).every((path) => path in wanted);
  return (
    isWanted &&
    Object.entries(wanted).every(([path, entry]) => {
      if (path === '') return true;
      const present = installed[path];
      if (present === undefined) return mayBeAbsent(entry);
      return present.version === entry.version && present.integrity === entry.integrity;
    })
  );
}

function install() {
  console.log('granary: installing what package-lock.json asks for (once, usually well under a minute) ...');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  // NODE_ENV=production would skip the packages that the tests need, and a later `npm test` would not detect that.
  args.push('--include=dev', '--include=optional');
  // Uses the Node that runs npm, because the one inside node_modules is about to be replaced.
  const { npm_node_execpath: npmNode, npm_execpath: npmCli } = process.env;
  const options = { cwd: root, encoding: 'utf8' };
  const result =
    npmNode !== undefined && npmCli?.endsWith('.js') === true
      ? spawnSync(npmNode, [npmCli, ...args], options)
      : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  fail(`npm could not install the dependencies (${result.error?.message ?? 'its own words are above'}).`);
}

const packagedNode = join(root, 'node_modules', '.bin', 'node');

/** In npm scripts `node_modules/.bin` is first on the PATH, so `node` is the packaged Node if it is installed. */
function usableNode() {
  const isNewEnough = (version) =>
    NODE_MIN.localeCompare(version.replace(/^v/, '').trim(), 'en', { numeric: true }) <= 0;
  if (isNewEnough(process.version)) return process.execPath;
  const packaged = spawnSync(packagedNode, ['--version'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (packaged.status === 0 && isNewEnough(packaged.stdout)) return packagedNode;
  return fail(
    `Node ${NODE_MIN} or newer is needed; this is ${process.version}, and npm has none that runs on ` +
      `${process.platform}-${process.arch}. Install Node ${NODE_MIN} or newer and try again.`,
  );
}

/** The service also works without the operators' page and from its sources, so a failed build does not prevent its start. */
function build(node) {
  const args = [join('tools', 'build.ts'), '--if-changed'];
  const { status } = spawnSync(node, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  console.error(
    "granary: the operators' page or the service could not be built; the service works, but without the page or with a slow start. `npm run build` tries it again.",
  );
}

if (!isInstalled()) install();
build(usableNode());
