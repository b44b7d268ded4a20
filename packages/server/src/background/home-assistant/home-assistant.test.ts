import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, it } from 'node:test';
import type { App } from '@granary/app/app';
import { describeEachEngine } from '@granary/testing/app/engines';
import { newDevice, newFieldDevice, weigh } from '@granary/testing/app/fixtures';
import { alertState, insertAlerts } from '@granary/testing/app/fleet-rows';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { eventually } from '@granary/testing/server/eventually';
import { connectAsync, type MqttClient } from 'mqtt';
import { pino } from 'pino';
import { HomeAssistant } from './home-assistant.ts';

const SILENT = pino({ level: 'silent' });
const without = process.env['GRANARY_TEST_WITHOUT']?.includes('mosquitto')
  ? 'mosquitto is not installed here'
  : false;

/** What the documentation of Home Assistant asks of an announcement of a sensor. */
const FIELDS = new Set(
  `name unique_id state_topic value_template unit_of_measurement device_class state_class expire_after
   availability availability_mode device origin json_attributes_topic json_attributes_template`.split(/\s+/),
);
const DEVICE_FIELDS = new Set(
  'identifiers name model manufacturer suggested_area configuration_url'.split(' '),
);
/** The device classes of Home Assistant that are used, with their units. */
const UNITS: Readonly<Record<string, readonly string[]>> = {
  weight: ['kg'],
  temperature: ['°C'],
  humidity: ['%'],
  battery: ['%'],
  moisture: ['%'],
};
const TOPIC = /^homeassistant\/(sensor|binary_sensor)\/[a-zA-Z0-9_-]+\/[a-zA-Z0-9_-]+\/config$/;

interface Announcement {
  readonly [field: string]: unknown;
  readonly availability: readonly { readonly topic: string }[];
  readonly device: Readonly<Record<string, unknown>>;
}

function checkAnnouncement(topic: string, text: string): Announcement {
  assert.match(topic, TOPIC);
  const config = JSON.parse(text) as Announcement;
  for (const field of Object.keys(config)) assert.ok(FIELDS.has(field), field);
  for (const field of Object.keys(config.device)) assert.ok(DEVICE_FIELDS.has(field), field);
  for (const field of ['unique_id', 'state_topic', 'name', 'device', 'origin'])
    assert.ok(config[field], field);
  const units = UNITS[String(config['device_class'])];
  if (units !== undefined) assert.ok(units.includes(String(config['unit_of_measurement'])), text);
  if (config['state_class'] !== undefined) assert.equal(config['state_class'], 'measurement');
  assert.ok(config.availability.length > 0);
  return config;
}

describeEachEngine('devices in Home Assistant', (engine) => {
  let app: App;
  let broker: MosquittoBroker;
  let reader: MqttClient;
  /** The messages that the broker retains, by topic; an empty message removes one. */
  const kept = new Map<string, string>();
  const counted = new Map<string, number>();
  const working: HomeAssistant[] = [];

  const work = (access = broker.access): HomeAssistant => {
    const parts = { app, access, consoleUrl: 'https://farm.example', logger: SILENT, now: Date.now };
    const worker = new HomeAssistant({ ...parts, everyMs: 50 });
    worker.start();
    working.push(worker);
    return worker;
  };
  const announced = () => [...kept.keys()].filter((topic) => topic.endsWith('/config')).sort();
  const state = (deviceId: string) => JSON.parse(kept.get(`granary/${deviceId}/state`) ?? 'null');

  before(async () => {
    if (without !== false) return;
    app = await engine.open();
    broker = await MosquittoBroker.start();
    reader = await connectAsync(broker.url);
    reader.on('message', (topic, payload) => {
      counted.set(topic, (counted.get(topic) ?? 0) + 1);
      if (payload.length === 0) kept.delete(topic);
      else kept.set(topic, payload.toString());
    });
    await reader.subscribeAsync(['homeassistant/#', 'granary/#'], { qos: 1 });
    await app.devices.register(newDevice({ deviceId: 'silo-1', name: 'Weizen "A"' }));
    await app.devices.register(newFieldDevice({ deviceId: 'rover-1' }));
  });
  after(async () => {
    for (const worker of working) await worker.stop();
    await reader?.endAsync(true);
    await broker?.remove();
  });

  it('are announced with the sensors that have reported, and their values follow', {
    skip: without,
  }, async () => {
    const silo = await app.devices.find('silo-1');
    assert.ok(silo);
    await weigh(app, silo.deviceNo, 6_250.25, Date.now());
    work();
    await eventually(async () => announced().length, 4);
    assert.deepEqual(announced(), [
      'homeassistant/binary_sensor/granary_rover-1/alert/config',
      'homeassistant/binary_sensor/granary_silo-1/alert/config',
      'homeassistant/sensor/granary_silo-1/level/config',
      'homeassistant/sensor/granary_silo-1/weight/config',
    ]);
    for (const topic of announced()) checkAnnouncement(topic, kept.get(topic) ?? '');
    const weight = checkAnnouncement(announced()[3] ?? '', kept.get(announced()[3] ?? '') ?? '');
    assert.equal(weight.device['name'], 'Weizen "A"');
    assert.equal(weight['value_template'], "{{ value_json['weight'] }}");
    await eventually(async () => state('silo-1')?.weight, 6_250.25);
    assert.equal(state('silo-1').alert, 'OFF');
    assert.equal(kept.get('granary/status'), 'online');
    assert.deepEqual(
      weight.availability.map(({ topic }) => kept.get(topic)),
      ['online', kept.get('granary/silo-1/availability')],
    );
    await weigh(app, silo.deviceNo, 6_000, Date.now());
    await eventually(async () => state('silo-1')?.weight, 6_000);
  });

  it('show open alerts as a problem', { skip: without }, async () => {
    const silo = await app.devices.find('silo-1');
    assert.ok(silo);
    await insertAlerts(engine, [
      alertState({ alertId: 'al-1', deviceNo: silo.deviceNo, severity: 'critical' }),
    ]);
    await eventually(
      async () => JSON.stringify([state('silo-1')?.alert, state('silo-1')?.alerts]),
      JSON.stringify(['ON', { open: 1, critical: 1 }]),
    );
  });

  it('are announced again when Home Assistant starts', { skip: without }, async () => {
    const topic = 'homeassistant/sensor/granary_silo-1/weight/config';
    const times = counted.get(topic) ?? 0;
    await reader.publishAsync('homeassistant/status', 'online', { qos: 1 });
    await eventually(async () => (counted.get(topic) ?? 0) > times, true);
  });

  it('are announced again after the broker has lost everything', { skip: without }, async () => {
    const topic = 'homeassistant/sensor/granary_silo-1/weight/config';
    await reader.publishAsync(topic, '', { qos: 1, retain: true });
    await broker.end();
    await broker.restart();
    await eventually(async () => kept.has(topic), true);
  });

  it('disappear when they are removed, also while nobody was there to see it', {
    skip: without,
  }, async () => {
    await working.pop()?.stop();
    await eventually(async () => kept.get('granary/status'), 'offline');
    const foreign = 'homeassistant/sensor/other_device/weight/config';
    await reader.publishAsync(foreign, '{}', { qos: 1, retain: true });
    const silo = await app.devices.find('silo-1');
    assert.ok(silo);
    await app.devices.remove(silo.deviceNo, Date.now());
    work();
    await eventually(
      async () => announced().join(),
      `homeassistant/binary_sensor/granary_rover-1/alert/config,${foreign}`,
    );
    await eventually(async () => kept.has('granary/silo-1/state'), false);
  });

  it('are shown as unavailable when the service ends without a word', { skip: without }, async () => {
    await working.pop()?.stop();
    const { port } = broker.access;
    const sockets: Socket[] = [];
    const proxy = createServer((socket) => {
      const upstream = connect(port, broker.access.host);
      sockets.push(socket, upstream);
      for (const one of [socket, upstream]) one.on('error', () => undefined);
      socket.pipe(upstream).pipe(socket);
    }).listen(0, broker.access.host);
    await once(proxy, 'listening');
    work({ ...broker.access, port: (proxy.address() as AddressInfo).port });
    await eventually(async () => kept.get('granary/status'), 'online');
    proxy.close();
    for (const socket of sockets) socket.destroy();
    await eventually(async () => kept.get('granary/status'), 'offline');
  });
});
