import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { modbusServer } from '@granary/bridge/drivers/modbus/server';
import { Journal } from '@granary/bridge/uplink/journal';
import { fitting } from '@granary/bridge/uplink/message';
import { granary, serviceEnv } from '@granary/testing/cli/granary-process';
import { FaultyProxy } from '@granary/testing/client/faulty-proxy';
import { eventually } from '@granary/testing/server/eventually';
import { localService } from '@granary/testing/server/local-service';

const MAPPING = `
mapping: test-scale
version: 1
title: A scale with a cable
source: the test
evidence: documented
protocol: modbus
profile: silo_scale
defaults: {table: holding, every: 100ms, timeout: 500ms}
points:
  weight: {at: 0, type: u16, unit: kg, range: [0, 60000], sensor: weight}
  cable: {at: 1, count: 3, type: i16, scale: 0.1, unit: celsius, none: -32768, sensor: "cable1_{n}", kind: temperature}
`;

const REPORT = {
  session: 'one',
  version: '0',
  started_at: '2026-11-18T04:00:00Z',
  site: { file: 'site.yaml', loaded_at: null, faults: [] },
  journal: { readings: 0, bytes: 0, oldest_at: null, dropped: 0, fault: null, gaps: [] },
};

describe('granary bridge', () => {
  const service = localService();
  const { api } = service;
  let folder = '';
  let weight = 0;
  const scale = modbusServer((_, { count }) => {
    weight++;
    const data = Buffer.alloc(count * 2);
    data.writeUInt16BE(weight % 20_000, 0);
    for (let at = 1; at < count; at++) data.writeInt16BE(at === 2 ? -32_768 : 150 + at, at * 2);
    return data;
  });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'granary-test-'));
    scale.listen(0, '127.0.0.1');
    await once(scale, 'listening');
    await writeFile(join(folder, 'test-scale.yaml'), MAPPING);
  });
  after(async () => {
    scale.close();
    await rm(folder, { recursive: true, force: true });
  });

  const endpoint = () => `tcp://127.0.0.1:${(scale.address() as AddressInfo).port}`;
  async function command(t: TestContext, ...args: readonly string[]) {
    const child = granary(t, ['bridge', ...args], {
      GRANARY_URL: service.current().httpUrl,
      GRANARY_API_KEY: service.current().adminKey.key,
    });
    const code = await child.exited;
    return { code, stdout: child.stdout, stderr: child.stderr };
  }

  /** Registers one scale and writes its site file; the sessions go through a proxy. */
  async function adoptedSite(t: TestContext, name: string, proxy: FaultyProxy): Promise<string> {
    const site = join(folder, `${name}.yaml`);
    await writeFile(
      site,
      [
        `bridge: {id: ${name}, service: {url: "${service.current().httpUrl}", mqtt: "${proxy.url.replace('http', 'mqtt')}"}}`,
        'mappings: [test-scale.yaml]',
        'devices:',
        `  - {id: ${name}, mapping: test-scale, endpoint: "${endpoint()}", unit: 1, facility: North, capacity: 20000}`,
        '',
      ].join('\n'),
    );
    const { code, stdout, stderr } = await command(t, 'adopt', '--site', site);
    assert.equal(code, 0, stdout + stderr);
    return site;
  }

  const timesOf = async (deviceId: string): Promise<Set<number>> => {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const { text } = await api.get(
      `/v1/readings?device_id=${deviceId}&from=${from}&sensor=weight&format=ndjson`,
    );
    const lines = text.split('\n').filter((line) => line !== '');
    return new Set(lines.map((line) => Date.parse(JSON.parse(line).timestamp)));
  };

  test('adopt registers devices with their sensors once, and says what it would do', async (t) => {
    const proxy = await FaultyProxy.start(t, service.current().mqttUrl);
    const site = await adoptedSite(t, 'adopted', proxy);
    const device = (await api.get('/v1/siloscale/devices/adopted')).body.data;
    assert.deepEqual(
      device.sensors.slice(3).map(({ sensor_id, unit }: Record<string, string>) => [sensor_id, unit]),
      [1, 2, 3].map((n) => [`cable1_${n}`, 'celsius']),
    );
    assert.deepEqual(device.location, { facility: 'North', zone: 'adopted' });
    await writeFile(join(folder, 'test-scale.yaml'), MAPPING.replace('celsius', 'K'));
    const other = await command(t, 'adopt', '--site', site);
    assert.equal(other.code, 1);
    assert.match(
      other.stdout,
      /adopted +refused +cable1_1 is declared in celsius, and the mapping gives K, and 2 more/,
    );
    await writeFile(join(folder, 'test-scale.yaml'), MAPPING);
    const secrets = join(folder, 'adopted.data', 'secrets.json');
    assert.equal((await stat(secrets)).mode & 0o777, 0o600);
    const kept = await readFile(secrets, 'utf8');
    assert.match((await command(t, 'adopt', '--site', site)).stdout, /adopted +unchanged/);
    assert.equal(await readFile(secrets, 'utf8'), kept);
    await rm(secrets);
    const refused = await command(t, 'adopt', '--site', site, '--dry-run');
    assert.deepEqual([refused.code, /--take-over/.test(refused.stdout)], [1, true]);
    const added = await command(
      t,
      'adopt',
      '--site',
      site,
      '--take-over',
      '--device=second',
      '--mapping=test-scale',
      `--endpoint=${endpoint()}`,
      '--unit=2',
      '--facility=North',
      '--capacity=900',
    );
    assert.match(added.stdout, /adopted +taken over[\s\S]*second +registered/);
    assert.match(await readFile(site, 'utf8'), /second/);
    const before = await readFile(site, 'utf8');
    const wrong = ['--device=wrong', '--mapping=none', `--endpoint=${endpoint()}`];
    const { code, stderr } = await command(t, 'adopt', '--site', site, ...wrong);
    assert.equal(code, 1);
    assert.match(stderr, /there is no mapping none[\s\S]*The file is as it was/);
    assert.equal(await readFile(site, 'utf8'), before);
    const { key } = JSON.parse(await readFile(secrets, 'utf8'));
    const report = await api.as(key).post('/v1/bridges/adopted/report', REPORT);
    assert.equal(report.status, 200, report.text);
    await rm(secrets);
    const inUse = await command(t, 'adopt', '--site', site);
    assert.deepEqual([inUse.code, /reports with the key .*--take-over/s.test(inUse.stderr)], [3, true]);
    const [{ key_id }] = (await api.get('/v1/keys')).body.data;
    assert.equal((await command(t, 'give', 'adopted', '--key', key_id)).code, 0);
    assert.equal((await api.as(key).post('/v1/bridges/adopted/report', REPORT)).status, 403);
    const made = join(folder, 'made.yaml');
    const third = [
      '--device=third',
      '--mapping-file=test-scale.yaml',
      '--mapping=test-scale',
      `--endpoint=${endpoint()}`,
      '--unit=3',
      '--facility=North',
      '--capacity=900',
    ];
    assert.match((await command(t, 'adopt', '--site', made, ...third)).stdout, /third +registered/);
    const ofService = `url: "${service.current().httpUrl}", mqtt: "mqtt://127.0.0.1:`;
    assert.ok((await readFile(made, 'utf8')).includes(ofService));
  });

  test('a bridge that is killed at any moment loses nothing that it has recorded', async (t) => {
    const proxy = await FaultyProxy.start(t, service.current().mqttUrl);
    const { targetPort } = proxy;
    const site = await adoptedSite(t, 'killed', proxy);
    const file = join(folder, 'killed.data', 'journal.sqlite');
    const recorded = new Set<number>();
    for (const aliveMs of [700, 1_900, 1_300]) {
      const bridge = granary(t, ['bridge', 'run', '--site', site]);
      proxy.targetPort = targetPort;
      const before = (await timesOf('killed')).size;
      await eventually(async () => (await timesOf('killed')).size > before, true);
      proxy.targetPort = null;
      proxy.cut();
      await setTimeout(aliveMs);
      bridge.signal('SIGKILL');
      await bridge.exited;
      const parts = {
        hoursMax: 72,
        bytesMax: 1e9,
        now: Date.now,
        aheadMs: () => null,
        bootId: null,
        log: () => undefined,
      };
      const journal = new Journal({ file, ...parts });
      journal.start();
      for (const { atMs } of journal.next('killed', 10_000, fitting)?.readings ?? []) recorded.add(atMs);
      journal.stop();
    }
    assert.ok(recorded.size > 10, `${recorded.size}`);
    proxy.targetPort = targetPort;
    granary(t, ['bridge', 'run', '--site', site]);
    await eventually(async () => {
      const stored = await timesOf('killed');
      return [...recorded].filter((atMs) => !stored.has(atMs)).length;
    }, 0);
    await eventually(async () => (await api.get('/v1/bridges/killed')).body.data?.journal.readings, 0);
  });

  test('the demo runs one with three devices of other makers; remove-demo removes all of it and nothing else', async (t) => {
    const env = await serviceEnv(t);
    const demo = granary(t, ['up', '--bridge', '--no-history'], env);
    const url = await demo.printed(/HTTP +(http\S+)/);
    const headers = { authorization: `Bearer ${await demo.adminKey()}` };
    const get = async (path: string) => {
      const answer = await fetch(`${url}/v1/${path}`, { headers });
      return JSON.parse(await answer.text()).data;
    };
    await eventually(async () => {
      const states =
        (await get('bridges/demo'))?.devices.map((device: { state: string }) => device.state) ?? [];
      return states.join();
    }, 'answering,answering,answering');
    await eventually(async () => (await get('siloscale/devices/scale-01/sensors')).level.quality, 'good');
    const { sensors } = await get('siloscale/devices/level-01/sensors');
    assert.equal(sensors.distance.unit, 'mm');
    const { model, location } = await get('siloscale/devices/level-01');
    assert.match(model, /decoded by ChirpStack or The Things Stack$/);
    assert.deepEqual(location, { facility: 'Mill', zone: 'Store' });
    assert.doesNotMatch(demo.stdout, /does not report|time of this machine/);
    await eventually(async () => (await get('fielddevice/devices/weather-ecowitt')).status, 'online');
    const pid = Number(/"pid":(\d+)/.exec(demo.stdout)?.[1]);
    const files = { recursive: true, withFileTypes: true } as const;
    for (const entry of await readdir(env['GRANARY_DATA_DIR'] ?? '', files)) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      assert.equal(mode & 0o077, 0, `${entry.name} can be read by others`);
    }

    const run = async (...args: readonly string[]) => {
      const child = granary(t, args, env);
      return { code: await child.exited, stdout: child.stdout, stderr: child.stderr };
    };
    const place = ['--model', 'M', '--facility', 'Yard', '--zone', 'a', '--capacity', '5000'];
    for (const id of ['silo-1', 'silo-01x'])
      assert.equal((await run('device', 'add', '--id', id, '--name', 'Simulated silo', ...place)).code, 0);
    assert.equal((await run('device', 'edit', 'silo-1', '--label', 'simulator=yes')).code, 0);
    assert.equal((await run('device', 'edit', 'silo-13', '--label', 'simulated')).code, 0);
    assert.equal((await run('discharge', 'silo-01', '500', '--to', 'cart', '--yes', '--detach')).code, 0);
    const [running] = await get('siloscale/devices/silo-01/operations');
    assert.equal(running.ended_at, null);
    const asked = await run('remove-demo');
    assert.equal(asked.code, 5, asked.stdout + asked.stderr);
    assert.equal((await get('devices?label=simulated&limit=100')).length, 21);
    const removal = await run('remove-demo', '--yes');
    assert.equal(removal.code, 0, removal.stdout + removal.stderr);
    assert.match(
      removal.stdout,
      /^Removed 21 simulated devices: .*silo-01, .*Revoked the key.*Removed the bridge demo/s,
    );
    assert.match(removal.stdout, /\n3 other devices are as they were\.\n/);
    const ids = async () => (await get('devices')).map((device: { device_id: string }) => device.device_id);
    assert.deepEqual((await ids()).toSorted(), ['silo-01x', 'silo-1', 'silo-13']);
    const keys: { name: string; revoked_at: string | null }[] = await get('keys');
    assert.notEqual(keys.find(({ name }) => name === 'bridge demo')?.revoked_at, null);
    demo.signal('SIGTERM');
    assert.equal(await demo.exited, 0);
    assert.throws(() => process.kill(pid, 0));
    assert.doesNotMatch(demo.stdout, /the bridge does not end/);

    const again = granary(t, ['up', '--bridge', '--no-history'], env);
    await again.printed(/The demo was removed; delete .*demo-removed/);
    const after = granary(t, ['devices', '--json'], env);
    assert.equal(await after.exited, 0);
    assert.equal(JSON.parse(after.stdout).length, 3);
    again.signal('SIGTERM');
    assert.equal(await again.exited, 0);
  });

  test('says every fault of a site file and ends', async (t) => {
    const site = join(folder, 'faulty.yaml');
    await writeFile(
      site,
      'bridge: {id: x}\ndevices:\n  - {id: a, mapping: none, endpoint: "tcp://h:1"}\n  - {id: b}\n',
    );
    const { code, stderr } = await command(t, 'run', '--site', site);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /faulty\.yaml:3 \/devices\/0\/mapping there is no mapping none[\s\S]*faulty\.yaml:4 /,
    );
  });
});
