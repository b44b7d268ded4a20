import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@granary/testing/server/eventually';
import { BridgeProcess } from './bridge-process.ts';

/** This program appends its process id and its addresses to a file, and ends at once when it runs for the first time. */
const PROGRAM = `
  const { appendFileSync, readFileSync } = require('node:fs');
  const file = process.argv[4 + process.argv.indexOf('bridge') - 1];
  appendFileSync(file, [process.pid, process.env.GRANARY_URL, process.env.GRANARY_MQTT_URL].join(' ') + '\\n');
  if (readFileSync(file, 'utf8').split('\\n').length === 2) process.exit(1);
  process.stdin.resume();
`;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a bridge that ends is started again, is told where the service is, and ends with it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'granary-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'starts');
  const said: string[] = [];
  const log = (_: object, message: string) => said.push(message);
  const bridge = new BridgeProcess({
    siteFile: file,
    command: [process.execPath, '-e', PROGRAM, '--'],
    httpUrl: 'http://127.0.0.1:1',
    mqttUrl: 'mqtt://127.0.0.1:2',
    logger: { info: log, warn: log, error: log } as never,
  });
  bridge.start();
  const starts = async () => (await readFile(file, 'utf8').catch(() => '')).trim().split('\n');
  await eventually(async () => (await starts()).length, 2);
  const [pid, ...told] = (await starts())[1]?.split(' ') ?? [];
  assert.deepEqual(told, ['http://127.0.0.1:1', 'mqtt://127.0.0.1:2']);
  assert.equal(isAlive(Number(pid)), true);
  await bridge.stop();
  assert.equal(isAlive(Number(pid)), false);
  assert.ok(said.includes('the bridge has ended and is started again'));
});

test('a program that is not there is said, and nothing else fails', async () => {
  const said: string[] = [];
  const log = (_: object, message: string) => said.push(message);
  const bridge = new BridgeProcess({
    siteFile: 'x',
    command: ['/nowhere/granary'],
    httpUrl: '',
    mqttUrl: '',
    logger: { info: log, warn: log, error: log } as never,
  });
  bridge.start();
  await eventually(async () => said.includes('the bridge has ended and is started again'), true);
  await bridge.stop();
});
