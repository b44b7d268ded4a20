import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TestDevice } from '@granary/testing/bridge/modbus-rig';
import { runInProcess } from '@granary/testing/cli/in-process';

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-bridge-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const SCALE = `mapping: scale
version: 1
title: A scale
source: this test
evidence: documented
protocol: modbus
defaults: {timeout: 300ms, every: 100ms}
points:
  status: {at: 6, type: bits, bits: {0: fault}}
  weight: {at: 7, type: f32, unit: kg, sensor: weight, range: [0, 5000], bad_when: [status.fault]}
examples:
  - registers: {6: [0], 7: [0x42f6, 0]}
    gives: {weight: 123}
`;

/** A device with the holding registers 0 to 9 and 40 to 49, of which 7 and 8 contain a weight. */
async function scale(t: TestContext): Promise<TestDevice> {
  const words = new Map(
    [...Array.from({ length: 10 }, (_, at) => at), ...Array.from({ length: 10 }, (_, at) => 40 + at)].map(
      (at) => [at, at === 7 ? 0x42f6 : 0],
    ),
  );
  const device = new TestDevice((unit, { at, count }) => {
    if (unit !== 3) return null;
    const data = Buffer.alloc(2 * count);
    for (let index = 0; index < count; index += 1) {
      const word = words.get(at + index);
      if (word === undefined) return 2;
      data.writeUInt16BE(word, 2 * index);
    }
    return data;
  });
  await device.start(t);
  return device;
}

test('check: the plan of a good mapping, every fault of a wrong one, and periods that cannot be met', async (t) => {
  const folder = await folderOf(t);
  const [good, wrong, slow] = ['good.yaml', 'wrong.yaml', 'slow.yaml'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(good, SCALE);
  await writeFile(wrong, SCALE.replace('version: 1', 'version: x').replace('type: f32', 'type: f31'));
  await writeFile(
    slow,
    SCALE.replace('weight: {at: 7', 'cable: {at: 100, count: 1000, type: u16}\n  weight: {at: 7'),
  );
  const plan = await runInProcess(['bridge', 'check', good]);
  assert.equal(plan.exitCode, 0, plan.stderr);
  assert.match(plan.stdout, /scale 1, documented; 2 points, 1 sensors, 1 examples as expected/);
  assert.match(plan.stdout, /holding 6-8 \(function 3, 3\): status, weight/);
  const faults = await runInProcess(['bridge', 'check', wrong]);
  assert.equal(faults.exitCode, 1);
  assert.match(faults.stdout, /wrong\.yaml:2 \/version must be a whole number/);
  assert.match(faults.stdout, /wrong\.yaml:10 \/points\/weight\/type must be one of/);
  const late = await runInProcess(['bridge', 'check', slow, '--baud', '9600']);
  assert.equal(late.exitCode, 1);
  assert.match(
    late.stdout,
    /the points of every 100 ms need 9 requests and 2\.\d s at 9600 baud: give them a longer period/,
  );
  const [json] = JSON.parse((await runInProcess(['bridge', 'check', good, '--json'])).stdout);
  assert.deepEqual([json.mapping, json.plan[0].requests], ['scale', 1]);
  assert.equal((await runInProcess(['bridge', 'check', join(folder, 'none.yaml')])).exitCode, 2);
});

test('test: the points of a device, all byte orders, a scan, and failures with their cure', async (t) => {
  const file = join(await folderOf(t), 'scale.yaml');
  await writeFile(file, SCALE);
  const device = await scale(t);
  const shown = await runInProcess([
    'bridge',
    'test',
    device.endpoint,
    '--mapping',
    file,
    '--unit',
    '3',
    '--orders',
  ]);
  assert.equal(shown.exitCode, 0, shown.stderr);
  assert.match(shown.stdout, /^POINT +SENSOR +RAW +VALUE +UNIT +QUALITY +ABCD +CDAB +BADC +DCBA$/m);
  assert.match(shown.stdout, /^weight +weight +42f60000 +123 +kg +good +123 /m);
  assert.match(shown.stdout, /2 of 2 points, \d+ ms old, round trip/);
  const scanned = await runInProcess([
    'bridge',
    'test',
    device.endpoint,
    '--unit',
    '3',
    '--scan',
    '0-60',
    '--json',
  ]);
  assert.deepEqual(
    JSON.parse(scanned.stdout).map(({ first, last }: { first: number; last: number }) => [first, last]),
    [
      [0, 9],
      [40, 49],
    ],
  );
  const rows = await runInProcess(['bridge', 'test', device.endpoint, '--unit', '3', '--scan', '0-60']);
  assert.match(rows.stdout, /^ADDRESSES +WORDS\n0-7 +(0000 ){7}42f6\n8-9 +0000 0000\n40-49 +0000 …$/m);
  const silent = await runInProcess(['bridge', 'test', device.endpoint, '--mapping', file, '--unit', '4']);
  assert.equal(silent.exitCode, 4);
  assert.match(silent.stderr, /no answer within 300 ms \(timeout\)\n +Is the unit number right/);
  assert.equal((await runInProcess(['bridge', 'test', device.endpoint])).exitCode, 2);
  assert.equal((await runInProcess(['bridge', 'test', device.endpoint, '--mapping', 'none'])).exitCode, 2);
  assert.equal((await runInProcess(['bridge', 'test', 'mqtt://127.0.0.1', '--mapping', file])).exitCode, 2);
  assert.equal((await runInProcess(['bridge', 'test', device.endpoint, '--scan', '9-2'])).exitCode, 2);
});

test('a recording is decoded again without the device', async (t) => {
  const folder = await folderOf(t);
  const [file, recording] = [join(folder, 'scale.yaml'), join(folder, 'scale.jsonl')];
  await writeFile(file, SCALE);
  const device = await scale(t);
  const recorded = await runInProcess([
    'bridge',
    'record',
    device.endpoint,
    '--mapping',
    file,
    '--unit',
    '3',
    '--for',
    '0.3s',
    '-o',
    recording,
  ]);
  assert.equal(recorded.exitCode, 0, recorded.stderr);
  await device.away();
  const lines = (await readFile(recording, 'utf8')).trim().split('\n');
  assert.ok(lines.length >= 2);
  const replayed = await runInProcess(['bridge', 'replay', recording, '--mapping', file, '--json']);
  assert.deepEqual(
    JSON.parse(replayed.stdout).map(({ point, value }: { point: string; value: number }) => [point, value]),
    [
      ['status', 0],
      ['weight', 123],
    ],
  );
  // Another mapping of the same registers needs other requests, which are answered from the recorded ones.
  await writeFile(
    file,
    SCALE.replace('  status: {at: 6, type: bits, bits: {0: fault}}\n', '').replace(
      ', bad_when: [status.fault]',
      '',
    ),
  );
  const other = await runInProcess(['bridge', 'replay', recording, '--mapping', file, '--json']);
  assert.equal(JSON.parse(other.stdout)[0].value, 123);
  await writeFile(recording, '{"unit": 1}\n');
  const wrong = await runInProcess(['bridge', 'replay', recording, '--mapping', file]);
  assert.match(wrong.stderr, /line 1 of the recording is not one of granary bridge record/);
});

test('a site file is checked with its devices, and a device of it is read by its id', async (t) => {
  const folder = await folderOf(t);
  const device = await scale(t);
  const [file, site] = [join(folder, 'scale.yaml'), join(folder, 'site.yaml')];
  await writeFile(file, SCALE);
  const siteText = (entry: string) =>
    `bridge: {id: farm}\nmappings: [scale.yaml]\ndevices:\n  - {id: silo-7, mapping: scale, ${entry}}\n`;
  await writeFile(site, siteText(`endpoint: "${device.endpoint}", unit: 3, capacity: 5000`));
  const good = await runInProcess(['bridge', 'check', site]);
  assert.equal(good.exitCode, 0, good.stdout);
  assert.match(good.stdout, /1 devices, each can be read in time/);
  const shown = await runInProcess(['bridge', 'test', 'silo-7', '--site', site]);
  assert.match(shown.stdout, /^weight +weight +42f60000 +123 +kg +good$/m, shown.stderr);
  const missing = await runInProcess(['bridge', 'test', 'silo-8', '--site', site]);
  assert.match(missing.stderr, /has no device silo-8\n +It has silo-7\./);
  const faults: readonly (readonly [string, RegExp])[] = [
    [
      `endpoint: "${device.endpoint}", unit: 300, capacity: 5000`,
      /site\.yaml:4 .*the unit must be 0 to 255, not 300/,
    ],
    [
      'endpoint: "serial:///dev/ttyUSB0?baud=1200", unit: 3, capacity: 5000',
      /site\.yaml:4 .*requests every 100 ms need \d+ ms: give the device a longer every/,
    ],
    [
      'endpoint: "serial:///dev/ttyUSB0?baud=fast", unit: 3, capacity: 5000',
      /site\.yaml:4 .*is no endpoint of Modbus/,
    ],
  ];
  for (const [entry, fault] of faults) {
    await writeFile(site, siteText(entry));
    const refused = await runInProcess(['bridge', 'check', site]);
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stdout, fault);
  }
  const many = Array.from(
    { length: 40 },
    (_, index) =>
      `  - {id: silo-${index}, mapping: scale, endpoint: "tcp://10.0.0.1:502", unit: ${index}, capacity: 5000}`,
  );
  await writeFile(site, `bridge: {id: farm}\nmappings: [scale.yaml]\ndevices:\n${many.join('\n')}\n`);
  assert.match(
    (await runInProcess(['bridge', 'check', site])).stdout,
    /40 devices keep tcp:\/\/10\.0\.0\.1:502 busy for 200 % of the time/,
  );
});
