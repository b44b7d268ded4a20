import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { topicOf, type UpSubject } from '@granary/contract/link/messages';
import { describeEachEngine, type TestEngine } from '@granary/testing/app/engines';
import { apiOf, siloNamed } from '@granary/testing/server/service';
import { connectAsync, type MqttClient } from 'mqtt';
import { pino } from 'pino';
import { createService, type Started } from '../../compose.ts';
import { readSettings } from '../../process/settings.ts';

const SILOS = '/v1/siloscale/devices';
const ROVERS = '/v1/fielddevice/devices';
const FIVE_MINUTES_MS = 300_000;

/** Makes the database refuse every new row of a device in a table, as a fault of the service would. */
async function refuseRowsOf(engine: TestEngine, table: string, deviceId: string): Promise<void> {
  const deviceNo = `(SELECT device_no FROM devices WHERE device_id = '${deviceId}')`;
  if (engine.name === 'sqlite') {
    await engine.query(`CREATE TRIGGER refuse_${table} BEFORE INSERT ON ${table}
      WHEN NEW.device_no = ${deviceNo} BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`);
    return;
  }
  await engine.query(`
    CREATE FUNCTION refuse_${table}() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.device_no = ${deviceNo} THEN RAISE 'refused by the test'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER refuse_${table} BEFORE INSERT ON ${table}
      FOR EACH ROW EXECUTE FUNCTION refuse_${table}();
  `);
}

describeEachEngine('one device whose messages cannot be stored', (engine) => {
  const lines: string[] = [];
  const undos: (() => Promise<unknown>)[] = [];
  let started: Started | undefined;
  const api = apiOf(
    () => started ?? assert.fail('not started'),
    () => started?.adminKey.key ?? '',
  );

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'granary-isolation-'));
    undos.push(() => rm(dataDir, { recursive: true, force: true }));
    const { location } = engine;
    const settings = readSettings({
      GRANARY_HTTP_PORT: '0',
      GRANARY_MQTT_PORT: '0',
      GRANARY_RATE_LIMIT: 'off',
      GRANARY_DATA_DIR: location.engine === 'sqlite' ? location.folder : dataDir,
      GRANARY_DATABASE_URL: location.engine === 'postgres' ? location.url : '',
    });
    const service = createService(settings, {
      logger: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }),
    });
    started = await service.start();
    undos.push(() => service.stop());
  });

  after(async () => {
    for (const undo of undos.reverse()) await undo();
  });

  interface Device {
    readonly client: MqttClient;
    readonly publish: (payload: unknown, subject?: UpSubject) => Promise<unknown>;
    readonly closes: () => number;
  }

  async function connect(deviceId: string, root = SILOS): Promise<Device> {
    const { capacity, ...fieldDevice } = siloNamed(deviceId);
    const registered = await api.post(root, root === SILOS ? { ...fieldDevice, capacity } : fieldDevice);
    const { username, secret: password } = registered.body.data.credentials;
    const login = { clientId: username, username, password, reconnectPeriod: 0 };
    const client = await connectAsync(api.started.mqttUrl, login);
    undos.push(() => client.endAsync(true));
    let closes = 0;
    client.on('close', () => closes++);
    client.on('error', () => undefined);
    return {
      client,
      publish: (payload, subject = 'telemetry') =>
        client.publishAsync(topicOf(deviceId, subject), JSON.stringify(payload), { qos: 1 }),
      closes: () => closes,
    };
  }

  const weightOf = async (deviceId: string) =>
    (await api.get(`${SILOS}/${deviceId}/sensors`)).body.data.level.actual;
  const rejectionsOf = async (deviceId: string, root = SILOS) =>
    (await api.get(`${root}/${deviceId}/rejections`)).body.data;
  const linesOf = (deviceId: string) => lines.filter((line) => line.includes(`"device_id":"${deviceId}"`));

  test('91 messages of 1,000 readings of 1e8 kg in five minutes affect no other device, and the device can still report', async () => {
    const extreme = await connect('extreme');
    const otherSilo = await connect('other-silo');
    const startMs = Math.floor(Date.now() / FIVE_MINUTES_MS - 1) * FIVE_MINUTES_MS;
    const message = (round: number) =>
      Array.from({ length: 1_000 }, (_, n) => ({ ts: startMs + round * 1_000 + n, weight: 1e8 }));
    const rounds = Array.from({ length: 91 }, (_, round) => round);
    await Promise.all([
      ...rounds.map((round) => extreme.publish(message(round))),
      ...rounds.map((round) => otherSilo.publish({ ts: startMs + round, weight: 500 })),
    ]);
    const laterMs = startMs + FIVE_MINUTES_MS - 1;
    for (const device of [extreme, otherSilo]) await device.publish({ ts: laterMs, weight: 250 });
    assert.deepEqual([await weightOf('extreme'), await weightOf('other-silo')], [250, 250]);
    const overHttp = await api.post(`${SILOS}/extreme/telemetry`, { ts: laterMs - 1, weight: 750 });
    assert.equal(overHttp.status, 200, overHttp.text);
    const query = `from=${new Date(startMs).toISOString()}&interval=5m`;
    const history = async (aggregate: string) =>
      (await api.get(`${SILOS}/extreme/sensors/history?${query}&aggregate=${aggregate}`)).body.data.points[0];
    assert.equal((await history('bad_count')).value, 91_000);
    assert.deepEqual([(await history('count')).value, (await history('max')).value], [2, 75]);
    assert.deepEqual([extreme.closes(), otherSilo.closes()], [0, 0]);
  });

  test('only messages that cannot be stored are rejected, with a reason, a line in the log and a count', async () => {
    const unstorable = await connect('unstorable');
    const healthy = await Promise.all(['a', 'b', 'c', 'd'].map((name) => connect(`healthy-${name}`)));
    const stored = await api.post(`${SILOS}/healthy-a/telemetry`, { ts: Date.now(), weight: 1 });
    assert.equal(stored.status, 200);
    await refuseRowsOf(engine, 'readings', 'unstorable');
    const tsMs = Date.now();
    for (let round = 1; round <= 20; round++) {
      const reading = { ts: tsMs + round, weight: round };
      const overHttp = ['unstorable', 'healthy-a'].map((id) =>
        api.post(`${SILOS}/${id}/telemetry`, { ...reading, ts: reading.ts - 1_000 }),
      );
      await Promise.all([unstorable, ...healthy].map((device) => device.publish(reading)));
      assert.deepEqual(
        (await Promise.all(overHttp)).map(({ status }) => status),
        [500, 200],
      );
    }
    for (const name of ['a', 'b', 'c', 'd']) assert.equal(await weightOf(`healthy-${name}`), 20);
    assert.equal(await weightOf('unstorable'), null);
    for (const device of [unstorable, ...healthy]) assert.equal(device.closes(), 0);
    const { total, recent } = await rejectionsOf('unstorable');
    assert.equal(total, 20);
    assert.match(recent[0].reason, /could not process this message/);
    assert.doesNotMatch(JSON.stringify(recent), /refused by the test|INSERT/);
    assert.match(linesOf('unstorable').join(), /refused by the test/);
    assert.ok(linesOf('unstorable').length < 10, `${linesOf('unstorable').length} lines`);
    const { body } = await api.raw('GET', '/readyz', {});
    assert.equal(body.ingest.unstorable_arrivals >= 20, true);
  });

  test('a reply that cannot be processed is acknowledged and shown, and the next one is processed', async () => {
    const silo = await connect('replies');
    await refuseRowsOf(engine, 'operations', 'replies');
    const progress = { state: 'running', amount_kg: 1, operation_id: 'op_panel', ts: Date.now() };
    await silo.publish(progress, 'progress');
    await silo.publish({ state: 'maintenance' }, 'status');
    const { total, recent } = await rejectionsOf('replies');
    assert.equal(total, 1);
    assert.match(recent[0].reason, /could not process this message/);
    assert.match(recent[0].payload, /op_panel/);
    assert.equal((await api.get(`${SILOS}/replies`)).body.data.status, 'maintenance');
    assert.match(linesOf('replies').join(), /refused by the test/);
    const rover = await connect('waypoints', ROVERS);
    const waypoints = [{ index: 0, state: 'reached', reached_at: Date.now() * 1e6 }];
    await rover.publish(
      { mission_id: 'ms_unknown', state: 'running', waypoints, ts: Date.now() },
      'progress',
    );
    await rover.publish({ ts: Date.now(), battery_level: 50 });
    assert.equal((await rejectionsOf('waypoints', ROVERS)).total, 1);
    assert.deepEqual([silo.closes(), rover.closes()], [0, 0]);
  });

  test('a device with a wrong clock causes a few log lines, and one rejection for each message', async () => {
    const device = await connect('wrong-clock');
    const seconds = Math.floor(Date.now() / 1_000);
    const message = Array.from({ length: 1_000 }, (_, n) => ({ ts: seconds + n, weight: 1 }));
    const good = { ts: Date.now(), weight: 42 };
    for (let round = 0; round < 50; round++) await device.publish([good, ...message.slice(1)]);
    const { total, recent } = await rejectionsOf('wrong-clock');
    assert.equal(total, 50);
    assert.match(recent[0].reason, /^\/1\/ts looks like seconds; send milliseconds or ISO 8601; 999 of 1000/);
    assert.equal(await weightOf('wrong-clock'), 42);
    const bytes = linesOf('wrong-clock').join('\n').length;
    assert.ok(bytes < 5_000, `${bytes} bytes of log`);
  });
});
