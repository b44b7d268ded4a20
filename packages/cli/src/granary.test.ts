import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { granary } from '@granary/testing/cli/granary-process';
import { runInProcess } from '@granary/testing/cli/in-process';
import { COMMANDS as COMMAND_ENTRIES } from './commands.ts';
import { VERSION } from './main.ts';

const COMMANDS = COMMAND_ENTRIES.map(({ name }) => name);

test('--version and --help answer on standard output', async () => {
  assert.deepEqual(await runInProcess(['--version']), {
    exitCode: 0,
    stdout: VERSION,
    stderr: '',
  });
  const { exitCode, stdout } = await runInProcess(['--help']);
  assert.equal(exitCode, 0);
  for (const command of COMMANDS) assert.match(stdout, new RegExp(`  ${command}[ |]`));
});

for (const command of COMMANDS) {
  test(`granary ${command} --help prints its usage`, async () => {
    const { exitCode, stdout } = await runInProcess([command, '--help']);
    assert.equal(exitCode, 0);
    assert.match(stdout, new RegExp(`^Usage: granary ${command}`));
    assert.match(stdout, /\nExamples:\n {2}\S*.*granary /);
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
    [[], /^granary: which command\?\n {2}Try granary --help\.$/],
    [['seve'], /^granary: unknown command 'seve' \(Did you mean serve\?\)\n {2}Try granary --help\.$/],
    [['toString'], /^granary: unknown command 'toString'/],
    [['mission', '--help'], /^granary: unknown command 'mission' \(Did you mean missions\?\)/],
    [['serve', '--port', '1'], /^granary: unknown option '--port'\n {2}Try granary serve --help\.$/],
    [['serve', 'now'], /^granary: too many arguments for 'serve'/],
    [
      ['demo', '--interval', '0'],
      /^granary: option '--interval <seconds>' argument '0' is invalid\. It must be/,
    ],
    [['up', '--interval'], /^granary: option '--interval <seconds>' argument missing/],
    [['up', '--empty', '--fault', 'silo-03:stall'], /^granary: --empty has no devices for a --fault/],
    [
      ['simulate', '--fault', 'silo-01:tired'],
      /^granary: --fault: "tired" is not a fault of silo-01; there are link-loss/,
    ],
    [['simulate', '--key', 'gk_1'], /^granary: unknown option '--key'/],
    [['simulate'], /^granary: there is no API key for http:\/\/127\.0\.0\.1:8080 .*\n {2}`granary login`/],
    [
      ['simulate', '--mqtt', 'here'],
      /^granary: --mqtt must be an address such as mqtt:\/\/127\.0\.0\.1, not "here"$/,
      KEY,
    ],
    [['backup', 'here'], /^granary: too many arguments for 'backup'/],
    [['restore'], /^granary: missing required argument 'file'/],
    [['restore', 'a.db', 'b.db'], /^granary: too many arguments for 'restore'/],
    [['restore', '--now'], /^granary: unknown option '--now'/],
    [['keys'], /^granary: keys: which action\?\n {2}Try granary keys --help\.$/],
    [['keys', 'steal'], /^granary: unknown command 'steal'/],
    [
      ['keys', 'create', '--name', 'n', '--scope', 'all'],
      /^granary: --scope: there is no "all"; there are read/,
      KEY,
    ],
    [['keys', 'create', '--name', 'n'], /^granary: required option '--scope <scope>' not specified/, KEY],
    [['keys', 'revoke'], /^granary: missing required argument 'key_id'/, KEY],
    [['devices', 'register', '--name', 'n'], /^granary: required option '--id <id>' not specified/, KEY],
    [
      ['devices', 'list', '--kind', 'tractor'],
      /^granary: option '--kind <kind>' argument 'tractor' is invalid/,
      KEY,
    ],
    [['devices', '--url', 'nowhere'], /^granary: --url must be an address/, KEY],
    [
      ['devices', '--url', 'http://a', '--context', 'b'],
      /^granary: option '--context <name>' cannot be used with/,
    ],
    [['devices', '--context', 'farm'], /^granary: --context: .* has no context "farm"/],
    [['devices'], /is for this machine only/, { GRANARY_URL: 'https://granary.example' }],
    [['context', 'use', 'farm'], /^granary: .* has no context "farm"/],
  ];

for (const [args, errorLine, env] of INVALID_USES) {
  test(`granary ${args.join(' ')}: a clear sentence, its cure, and exit code 2`, async () => {
    const { exitCode, stdout, stderr } = await runInProcess(args, env);
    assert.equal(stdout, '');
    assert.match(stderr, errorLine);
    assert.ok(stderr.split('\n').length <= 2);
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
  assert.equal(exitCode, 4);
  assert.match(
    stderr,
    /^granary: cannot reach http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED.*\n {2}Is the service running\?/,
  );
  assert.match((await runInProcess(args, { ...KEY, GRANARY_LOG_LEVEL: 'debug' })).stderr, /\n {4}at /);
});

test('the program prints the output of a command and returns its exit code', async (t) => {
  const child = granary(t, ['plough']);
  assert.equal(await child.exited, 2);
  assert.equal(child.stdout, '');
  assert.equal(child.stderr, "granary: unknown command 'plough'\n  Try granary --help.\n");
  const version = granary(t, ['--version']);
  assert.equal(await version.exited, 0);
  assert.equal(version.stdout, `${VERSION}\n`);
});
