import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { faultLine } from '../mapping/yaml-document.ts';
import { libraryMappings, readSite } from './site-file.ts';
import { readSiteAgain, type SiteChange } from './site-reader.ts';

/** Reading these files takes seconds in a thread; the work of the main thread with their faults must take far less. */
const OWN_WORK_US_MAX = 400_000;

const MAPPING = `mapping: scale
version: 1
title: A scale
source: the test
evidence: documented
protocol: modbus
points:
`;

async function siteIn(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-site-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return join(folder, 'site.yaml');
}

const readAgain = async (file: string, change: SiteChange | null = null) =>
  await readSiteAgain({ file, library: await libraryMappings(), change });

test('every fault of a site file is told at once: of its header, of each device, of mappings and of drivers', async (t) => {
  const file = await siteIn(t, {
    'site.yaml': `bridge: {id: "a b", color: red}
mappings: [scale.yaml, nowhere.yaml, 7]
devices:
  - {id: one, mapping: scale, endpoint: "tcp://h"}
  - {id: two, mapping: none, endpoint: "tcp://h"}
  - {id: three, mapping: gpsd, endpoint: "somewhere"}
  - {id: four, mapping: gpsd, endpoint: "tcp://h", profile: silo_scale}
  - {id: four, mapping: gpsd, endpoint: "tcp://h", unit: many}
  - {id: five, mapping: gpsd, endpoint: "tcp://h"}
  - {id: five, mapping: gpsd, endpoint: "tcp://h"}
  - five
`,
    'scale.yaml': `${MAPPING}  weight: {at: 0, type: u17, unit: kg, sensor: weight}\n`,
  });
  const { site, faults } = await readSite(file, ({ id }) => (id === 'four' ? ['no driver'] : []));
  assert.equal(site, null);
  assert.deepEqual(
    faults.map((fault) => faultLine(fault.file.split('/').at(-1) ?? '', fault).slice(0, 75)),
    [
      'site.yaml:1 /bridge/id must be 1 to 64 letters, digits, - or _, such as a-b',
      'site.yaml:1 /bridge/color is not a known field',
      'site.yaml:2 /mappings/2 must be a text without control characters',
      'site.yaml:2 /mappings/1 there is no file or folder nowhere.yaml',
      'site.yaml:5 /devices/1/mapping there is no mapping none; its file must be i',
      'site.yaml:6 /devices/2/endpoint must be an address such as tcp://10.0.4.20:',
      'site.yaml:7 /devices/3 a device of the profile silo_scale has no latitude, ',
      'site.yaml:7 /devices/3 no driver',
      'site.yaml:8 /devices/4/unit must be a whole number',
      'site.yaml:10 /devices/6/id five is there twice',
      'site.yaml:11 /devices/7 must be an object',
      'scale.yaml:8 /points/weight/type must be one of u16, i16, u32, i32, u64, i6',
    ],
  );
});

test('a site file is read again as it was read first, and a change of it leaves the file as it is', async (t) => {
  const text = `bridge: {id: north} # ours
devices:
  - {id: one, mapping: ascii-weight, endpoint: "tcp://h:1"}
  - {id: two, mapping: xy-md02, endpoint: "tcp://h:2", every: 5s, options: {x: 1}}
`;
  const file = await siteIn(t, { 'site.yaml': text });
  const first = await readSite(file, () => []);
  const again = await readAgain(file);
  assert.deepEqual({ ...again.site, devices: again.devices }, first.site);
  const added = await readAgain(file, { add: { id: 'three', mapping: 'none', endpoint: 'tcp://h' } });
  assert.match(added.text, /# ours[\s\S]*three/);
  assert.deepEqual(
    added.faults.map(({ path }) => path),
    ['/devices/2/mapping'],
  );
  const removed = await readAgain(file, { remove: 'one' });
  assert.deepEqual(
    removed.devices.map(({ entry }) => entry.id),
    ['two'],
  );
  assert.equal(await readFile(file, 'utf8'), text);
});

test('the longest files hold nothing else, because another thread reads them', async (t) => {
  const file = await siteIn(t, {
    'site.yaml': 'bridge: {id: north}\nmappings: [long.yaml]\n',
    'long.yaml': `${MAPPING}${Array.from({ length: 10_000 }, (_, n) => `  p${n}: {at: 1, type: u15}`).join('\n')}\n`,
  });
  const before = process.threadCpuUsage();
  const { faults } = await readAgain(file);
  const { user, system } = process.threadCpuUsage(before);
  assert.equal(faults.length, 10_000);
  assert.ok(user + system <= OWN_WORK_US_MAX, `${user + system} µs`);
});
