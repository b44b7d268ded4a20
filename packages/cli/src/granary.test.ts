import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { main } from './main.ts';
import { granary } from './testing/granary-process.ts';
import { readVersion } from './version.ts';

const VERSION = await readVersion();
const COMMANDS = ['serve', 'demo', 'simulate', 'backup', 'restore', 'devices', 'keys'];

/** Runs a command line inside this process, which works for commands that end immediately. */
async function runInProcess(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const printed: string[] = [];
  const errorLines: string[] = [];
  const exitCode = await main(args, {
    env,
    print: (line) => printed.push(line),
    printError: (line) => errorLines.push(line),
  });
  return { exitCode, stdout: printed.join('\n'), stderr: errorLines.join('\n') };
}

test('--version and --help answer on standard output', async () => {
  assert.deepEqual(await runInProcess(['--version']), {
    exitCode: 0,
    stdout: VERSION,
    stderr: '',
  });
  const { exitCode, stdout } = await runInProcess(['--help']);
  assert.equal(exitCode, 0);
  for (const command of COMMANDS) assert.match(stdout, new RegExp(`  ${command} `));
});

for (const command of COMMANDS) {
  test(`granary ${command} --help prints its usage`, async () => {
    const { exitCode, stdout } = await runInProcess([command, '--help']);
    assert.equal(exitCode, 0);
    assert.match(stdout, new RegExp(`^Usage: granary ${command}`));
  });
}

test('simulate --help names every fault', async () => {
  const { stdout } = await runInProcess(['simulate', '--help']);
  for (const fault of [
    'link-loss',
    'duplicates',
    'late',
    'out-of-order',
    'drift',
    'stuck',
    'skip-waypoint',
  ]) {
    assert.match(stdout, new RegExp(`  ${fault} +\\w`));
  }
});

const KEY = { GRANARY_API_KEY: 'gk_unused' };
const INVALID_USES: readonly (readonly [args: string[], errorLine: RegExp, env?: Record<string, string>])[] =
  [
    [[], /^granary: which command\? try granary --help$/],
    [['feed'], /^granary: there is no command "feed"; try granary --help$/],
    [['toString'], /^granary: there is no command "toString"/],
    [['serve', '--port', '1'], /^granary: Unknown option '--port'$/],
    [['serve', 'now'], /^granary: Unexpected argument 'now'/],
    [['demo', '--interval', '0'], /^granary: --interval must be a number above 0, not "0"$/],
    [['demo', '--interval'], /^granary: Option '--interval <value>' argument missing$/],
    [
      ['simulate', '--fault', 'silo-01:tired'],
      /^granary: --fault: "tired" is not a fault of silo-01; there are link-loss/,
    ],
    [['simulate', '--key', 'gk_1'], /^granary: Unknown option '--key'$/],
    [['simulate'], /^granary: the environment variable GRANARY_API_KEY is missing; .* \.granary\/admin-key$/],
    [
      ['simulate', '--mqtt', 'here'],
      /^granary: --mqtt must be an address such as mqtt:\/\/127\.0\.0\.1, not "here"$/,
      KEY,
    ],
    [['backup', 'here'], /^granary: Unexpected argument 'here'/],
    [['restore'], /^granary: the backup file is missing$/],
    [['restore', 'a.db', 'b.db'], /^granary: one file at a time$/],
    [['restore', '--now'], /^granary: Unknown option '--now'$/],
    [['keys'], /^granary: keys: say one of list, create, revoke, rotate$/],
    [['keys', 'steal'], /^granary: keys steal: say one of/],
    [
      ['keys', 'create', '--name', 'n', '--scope', 'all'],
      /^granary: --scope: there is no "all"; there are read/,
      KEY,
    ],
    [['keys', 'create', '--name', 'n'], /^granary: --scope is missing/, KEY],
    [['keys', 'revoke'], /^granary: the key id is missing$/, KEY],
    [['devices', 'register', '--name', 'n'], /^granary: --id is missing$/, KEY],
    [['devices', 'list', '--kind', 'tractor'], /^granary: --kind must be silo or field, not "tractor"$/, KEY],
    [['devices', 'list', '--url', 'nowhere'], /^granary: --url must be an address/, KEY],
  ];

for (const [args, errorLine, env] of INVALID_USES) {
  test(`granary ${args.join(' ')}: one clear line and exit code 2`, async () => {
    const { exitCode, stdout, stderr } = await runInProcess(args, env);
    assert.equal(stdout, '');
    assert.match(stderr, errorLine);
    assert.equal(stderr.split('\n').length, 1);
    assert.equal(exitCode, 2);
  });
}

test('a service that is not running: one clear line, and the stack only when debugging', async () => {
  const closedServer = createServer().listen(0, '127.0.0.1');
  await once(closedServer, 'listening');
  const { port } = closedServer.address() as AddressInfo;
  closedServer.close();
  await once(closedServer, 'close');
  const args = ['keys', 'list', '--url', `http://127.0.0.1:${port}`];
  const { exitCode, stderr } = await runInProcess(args, KEY);
  assert.equal(exitCode, 1);
  assert.match(stderr, /^granary: cannot reach http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED.*$/);
  assert.match((await runInProcess(args, { ...KEY, GRANARY_LOG_LEVEL: 'debug' })).stderr, /\n {4}at /);
});

test('the program prints the output of a command and returns its exit code', async (t) => {
  const child = granary(t, ['feed']);
  assert.equal(await child.exited, 2);
  assert.equal(child.stdout, '');
  assert.equal(child.stderr, 'granary: there is no command "feed"; try granary --help\n');
  const version = granary(t, ['--version']);
  assert.equal(await version.exited, 0);
  assert.equal(version.stdout, `${VERSION}\n`);
});
