import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { makeDriver } from '@granary/bridge/drivers/mqtt/mqtt-driver';
import { attach, RecordedDriver, until } from '@granary/testing/bridge/driver-rig';
import { RTL_433_DISCOVERY } from '@granary/testing/bridge/rtl-433';
import { runInProcess } from '@granary/testing/cli/in-process';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { pythonWithPaho } from '@granary/testing/link/outside-clients';
import { connectAsync } from 'mqtt';
import { parse } from 'yaml';

const missing = process.env['GRANARY_TEST_WITHOUT'] ?? '';
const without = missing.includes('mosquitto') ? 'mosquitto is not installed here' : false;
const withoutRtl433 = missing.includes('rtl_433') ? 'rtl_433 is not installed here' : without;

/** The signal of a Nexus thermometer, which it sends four times: id 90, 21.5 °C, 55 %. */
const SIGNAL = '{36}5a80d7f37'.repeat(4);
const NEXUS = '19';

async function startBroker(t: TestContext): Promise<MosquittoBroker> {
  const broker = await MosquittoBroker.start();
  t.after(() => broker.remove());
  return broker;
}

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-discover-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const TEMPERATURE = {
  state_topic: 'zigbee2mqtt/barn',
  device_class: 'temperature',
  unit_of_measurement: '°F',
  value_template: '{{ value_json.temperature }}',
  unique_id: 'barn_temperature',
  availability_topic: 'zigbee2mqtt/barn/availability',
  device: { identifiers: ['0x01'], name: 'Barn sensor', model: 'WSD', manufacturer: 'Aqara' },
};

test('announced devices are listed, and a person writes them down', { skip: without }, async (t) => {
  const broker = await startBroker(t);
  const folder = await folderOf(t);
  const site = join(folder, 'site.yaml');
  await writeFile(site, '# our farm\nbridge: {id: farm}\ndevices: []\n');
  const client = await connectAsync(broker.url);
  t.after(() => client.endAsync(true));
  const announce = async (topic: string, config: object): Promise<unknown> =>
    await client.publishAsync(`homeassistant/${topic}/config`, JSON.stringify(config), {
      qos: 1,
      retain: true,
    });
  await announce('sensor/0x01/temperature', TEMPERATURE);
  await announce('sensor/0x01/rain', {
    ...TEMPERATURE,
    unique_id: 'rain',
    device_class: 'precipitation',
    state_class: 'total_increasing',
    unit_of_measurement: 'in',
    value_template: '{{ value_json.rain }}',
  });
  await announce('sensor/0x01/odd', {
    ...TEMPERATURE,
    name: 'Odd',
    value_template: '{{ value_json.x * 2 }}',
  });
  await announce('binary_sensor/0x01/door', {
    ...TEMPERATURE,
    name: 'Barn sensor door',
    unique_id: 'd',
    device_class: 'door',
    value_template: '{{ value_json.contact }}',
    payload_on: false,
    payload_off: true,
  });
  await announce('switch/0x01/relay', { ...TEMPERATURE, name: 'Relay', command_topic: 'x' });

  const listed = await runInProcess(['bridge', 'discover', broker.url, '--seconds', '0.3']);
  assert.equal(listed.exitCode, 0, listed.stderr);
  assert.match(listed.stdout, /0x01 +Barn sensor +Aqara WSD +.*temperature/);
  assert.match(listed.stdout, /sensor Odd +its template is not understood: \{\{ value_json\.x \* 2 \}\}/);
  assert.match(listed.stdout, /switch Relay +the bridge reads sensors only, and this is a switch/);
  assert.match(listed.stdout, /Nothing was written/);

  const args = [
    'bridge',
    'discover',
    broker.url,
    '--seconds',
    '0.3',
    '--device',
    '0x01',
    '--write',
    join(folder, 'mappings'),
    '--site',
    site,
  ];
  const written = await runInProcess(args);
  assert.equal(written.exitCode, 0, written.stderr);
  const text = await readFile(site, 'utf8');
  assert.match(text, /^# our farm/);
  assert.deepEqual(parse(text), {
    bridge: { id: 'farm' },
    mappings: ['mappings/announced-barn-sensor.yaml'],
    devices: [
      {
        id: 'Barn-sensor',
        name: 'Barn sensor',
        mapping: 'announced-barn-sensor',
        endpoint: broker.url,
        profile: 'weather_station',
      },
    ],
  });
  assert.deepEqual(await readdir(join(folder, 'mappings')), ['announced-barn-sensor.yaml']);
  const again = await runInProcess(args);
  assert.match(again.stdout, /Left as it is[\s\S]*Nothing new/);
  assert.equal(await readFile(site, 'utf8'), text);

  const mapping = await readFile(join(folder, 'mappings', 'announced-barn-sensor.yaml'), 'utf8');
  const rig = new RecordedDriver();
  await rig.start(t, (events, parts) => makeDriver([attach('barn', mapping, broker.url)], events, parts));
  await until(() => assert.ok(rig.log.includes('listens to a broker')));
  for (const [temperature, rain] of [
    [212, 1],
    [32, 2],
  ])
    await client.publishAsync('zigbee2mqtt/barn', JSON.stringify({ temperature, rain, contact: false }));
  await until(() => assert.equal(rig.samples.length, 2));
  assert.deepEqual(
    rig.values.map((values) => values.split(' ').sort().join(' ')),
    ['barn door=1 temperature=100', 'barn door=1 rainfall=25.4 temperature=0'],
  );
});

test('devices with the same name, or a hostile one, get ids and mappings of their own', {
  skip: without,
}, async (t) => {
  const broker = await startBroker(t);
  const folder = await folderOf(t);
  const site = join(folder, 'site.yaml');
  await writeFile(site, 'bridge: {id: farm}\n');
  const client = await connectAsync(broker.url);
  t.after(() => client.endAsync(true));
  const names = ['Sensor', 'Sensor', '../../etc/passwd', '\u001b[31mred\nline', '__proto__'];
  for (const [index, name] of names.entries()) {
    const device = { identifiers: [`0x${index}`], name };
    const config = JSON.stringify({ ...TEMPERATURE, unique_id: `u${index}`, name: '}: {', device });
    await client.publishAsync(`homeassistant/sensor/x${index}/t/config`, config, { qos: 1, retain: true });
  }
  const args = ['--seconds', '0.3', '--write', join(folder, 'mappings'), '--site', site];
  const { exitCode, stdout, stderr } = await runInProcess(['bridge', 'discover', broker.url, ...args]);
  assert.equal(exitCode, 0, stderr);
  assert.ok(!stdout.includes('\u001b[31m'), 'nothing of a device controls the terminal');
  const { devices } = parse(await readFile(site, 'utf8')) as { devices: { id: string }[] };
  assert.deepEqual(
    devices.map(({ id }) => id),
    ['Sensor-0x0', 'Sensor-0x1', 'etc-passwd', '31mred-line', '__proto__'],
  );
  const files = await readdir(join(folder, 'mappings'));
  assert.equal(files.length, names.length);
  for (const file of files) attach('x', await readFile(join(folder, 'mappings', file), 'utf8'), broker.url);
});

test('the mistakes of a caller are named', { skip: without }, async (t) => {
  const broker = await startBroker(t);
  const run = async (...args: string[]) => {
    const { exitCode, stderr, stdout } = await runInProcess(['bridge', 'discover', ...args]);
    return `${exitCode} ${stderr}${stdout}`;
  };
  assert.match(await run('http://x'), /^2 .*the address must be an address such as mqtt:\/\//);
  assert.match(await run(broker.url, '--site', 'x.yaml'), /^2 .*--site needs --write/);
  assert.match(await run(broker.url, '--seconds', '0.1'), /^0 Nothing was announced within 0.1 s/);
  assert.match(
    await run(broker.url, '--seconds', '0.1', '--device', 'x'),
    /^1 .*no device announces itself as x/,
  );
  assert.match(await run('mqtt://127.0.0.1:1', '--seconds', '0.1'), /^4 .*cannot be used/);
  assert.match(await run(broker.url, '--profile', 'castle'), /^2 /);
  assert.match(await run('tcp://127.0.0.1:1', '--units', 'all'), /^2 .*--units must be a list/);
  assert.match(await run('tcp://127.0.0.1:1', '--units', '1'), /^4 .*cannot be used/);
});

test('what rtl_433 and its script for Home Assistant announce is understood, and read', {
  skip: withoutRtl433,
}, async (t) => {
  const broker = await startBroker(t);
  const { host, port } = broker.access;
  const folder = await folderOf(t);
  const script = spawn(
    pythonWithPaho() ?? 'python3',
    [RTL_433_DISCOVERY, '-H', host, '-p', String(port), '-r', '-q'],
    { stdio: 'ignore' },
  );
  t.after(async () => {
    const exited = once(script, 'exit');
    script.kill('SIGKILL');
    await exited;
  });
  const client = await connectAsync(broker.url);
  t.after(() => client.endAsync(true));
  const receive = async (): Promise<void> => {
    // The program ends before its own connection to a broker is open, so its output is published here, on its topics.
    const { stdout } = await promisify(execFile)('rtl_433', [
      '-R',
      NEXUS,
      '-C',
      'si',
      '-F',
      'json',
      '-y',
      SIGNAL,
    ]);
    const event = JSON.parse(stdout) as Readonly<Record<string, string | number>>;
    await client.publishAsync('rtl_433/barn/events', stdout.trim());
    for (const [field, value] of Object.entries(event))
      await client.publishAsync(
        `rtl_433/barn/devices/${event['model']}/${event['channel']}/${event['id']}/${field}`,
        String(value),
      );
  };
  await until(async () => {
    await receive();
    const { stdout } = await runInProcess(['bridge', 'discover', broker.url, '--seconds', '0.3', '--json']);
    assert.ok((JSON.parse(stdout) as unknown[]).length > 0);
  });
  await runInProcess(['bridge', 'discover', broker.url, '--seconds', '0.3', '--write', folder]);
  const [file = ''] = await readdir(folder);
  const mapping = await readFile(join(folder, file), 'utf8');
  const rig = new RecordedDriver();
  await rig.start(t, (events, parts) => makeDriver([attach('radio', mapping, broker.url)], events, parts));
  await until(() => assert.ok(rig.log.includes('listens to a broker')));
  await receive();
  await until(() => {
    for (const value of ['temperature=21.5', 'humidity=55'])
      assert.ok(
        rig.values.some((values) => values.includes(value)),
        rig.values.join(),
      );
  });
});
