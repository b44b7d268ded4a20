import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topicOf, type UpSubject } from '@granary/contract/link/messages';
import { roverNamed, startRover } from '@granary/testing/server/devices/scripted-rover';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { running } from '@granary/testing/server/missions';
import { type Api, describeService, siloNamed } from '@granary/testing/server/service';
import { connectAsync } from 'mqtt';

const SILOS = '/v1/siloscale/devices';
const ROVERS = '/v1/fielddevice/devices';

/** Numbers as text, because some of them are not numbers in JavaScript. */
const NUMBERS = [
  '0',
  '-0',
  '1e-320',
  '5e-324',
  '1e15',
  '-1e15',
  '9007199254740991',
  '9007199254740993',
  '1e22',
  '-1e22',
  '1.7976931348623157e308',
  '-1.7976931348623157e308',
  '1e309',
  '-1e309',
  '1e400',
  '0.1e-400',
  '123456789012345678901234567890',
  '9'.repeat(400),
  'NaN',
  'Infinity',
  '-Infinity',
  '1e',
  '0x10',
  '01',
  'null',
  'true',
  '"1"',
  '[1]',
  '{}',
];
const TIMES = [
  '0',
  '-1',
  '1',
  '1700000000',
  '1700000000000000',
  '1700000000000000000',
  '9007199254740991',
  '1e300',
  '8640000000000000',
  '8640000000000001',
  '-8640000000000001',
  '253402300800000',
  '1.5',
  '1e309',
  'null',
  '"0000-01-01T00:00:00Z"',
  '"0001-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59.999Z"',
  '"+010000-01-01T00:00:00Z"',
  '"2026-11-15T23:59:60Z"',
  '"2026-02-30T00:00:00Z"',
  '"2026-11-15T24:00:00Z"',
  '"2026-11-15T10:00:00"',
  '"2026-11-15T10:00:00+99:99"',
  '"2026-11-15T10:00:00Z[Europe/Berlin]"',
  '"now"',
  '""',
  '" "',
  '"\\u0000"',
  `"${'2'.repeat(100_000)}"`,
];
const TEXTS = [
  '',
  ' ',
  '\\u0000',
  '\\ud800',
  '\\udfff\\ud800',
  '\\u202e',
  '\\uffff',
  "'; DROP TABLE devices; --",
  '../../x',
  '__proto__',
  'constructor',
  'x'.repeat(65),
  'x'.repeat(100_000),
  'é'.repeat(64),
  '%00',
  '{}',
  '🚜',
];

interface Case {
  readonly subject: UpSubject;
  readonly payload: string;
}

/** Messages that share a commit, which takes most of the time. */
const IN_FLIGHT = 16;

const now = (): number => Date.now();

function telemetryCases(channels: readonly string[]): Case[] {
  const values = NUMBERS.flatMap((value) =>
    channels.map((channel) => `{"ts":${now()},"${channel}":${value}}`),
  );
  const times = TIMES.map((ts) => `{"ts":${ts},"${channels[0]}":1}`);
  const names = TEXTS.map((name) => `{"ts":${now()},"${name}":1}`);
  return [...values, ...times, ...names].map((payload) => ({ subject: 'telemetry', payload }));
}

const siloCases = (): Case[] => [
  ...telemetryCases(['weight', 'temperature', 'humidity']),
  ...TIMES.map((ts) => progress(`"operation_id":"op_x","state":"running","amount_kg":1,"ts":${ts}`)),
  ...NUMBERS.map((kg) => progress(`"operation_id":"op_y","state":"running","amount_kg":${kg},"ts":${now()}`)),
  ...TEXTS.flatMap((text): Case[] => [
    progress(`"operation_id":"${text}","state":"running","amount_kg":1,"ts":${now()}`),
    progress(`"operation_id":"op_z","state":"failed","amount_kg":1,"ts":${now()},"reason":"${text}"`),
    { subject: 'ack', payload: `{"operation_id":"${text}","accepted":false,"reason":"${text}"}` },
    { subject: 'status', payload: `{"state":"${text}"}` },
  ]),
];

const roverCases = (): Case[] => [
  ...telemetryCases(['latitude', 'longitude', 'altitude', 'battery_level', 'wind_speed', 'light_intensity']),
  ...TIMES.flatMap((ts) => [
    progress(`"command_id":"cmd_x","state":"executing","ts":${ts}`),
    progress(`"mission_id":"ms_x","state":"running","ts":${ts}`),
    progress(
      `"mission_id":"ms_x","state":"running","ts":${now()},"waypoints":[{"index":0,"state":"reached","reached_at":${ts}}]`,
    ),
  ]),
  ...NUMBERS.map((index) =>
    progress(
      `"mission_id":"ms_x","state":"running","ts":${now()},"waypoints":[{"index":${index},"state":"reached"}]`,
    ),
  ),
  ...TEXTS.map((text): Case => ({ subject: 'ack', payload: `{"command_id":"${text}","accepted":true}` })),
];

const progress = (fields: string): Case => ({ subject: 'progress', payload: `{${fields}}` });

const shown = (payload: string): string => payload.slice(0, 200);

/** The number of stored readings and rejections together: each telemetry message must increase it. */
async function storedOrRejected(api: Api, path: string, sensor: string): Promise<number> {
  const { total } = (await api.get(`${path}/rejections`)).body.data;
  const to = new Date(Date.now() + 3_600_000).toISOString();
  let stored = 0;
  for (const aggregate of ['count', 'bad_count']) {
    const history = await api.get(`${path}/sensors/history?sensor=${sensor}&aggregate=${aggregate}&to=${to}`);
    for (const { value } of history.body.data.points) stored += value;
  }
  return total + stored;
}

describeService('extreme values, times and texts', (api) => {
  const publishAll = async (root: string, registration: { device_id: string }, cases: readonly Case[]) => {
    const { username, secret } = (await api.post(root, registration)).body.data.credentials;
    const login = { clientId: username, username, password: secret, reconnectPeriod: 0 };
    const device = await connectAsync(api.started.mqttUrl, login);
    const closed = Promise.withResolvers<void>();
    device.once('close', () => closed.resolve());
    for (let from = 0; from < cases.length; from += IN_FLIGHT) {
      const sent = cases.slice(from, from + IN_FLIGHT);
      const acknowledged = sent.map(({ subject, payload }) =>
        device.publishAsync(topicOf(username, subject), payload, { qos: 1 }),
      );
      await Promise.race([Promise.all(acknowledged), closed.promise]);
      const payloads = sent.map(({ payload }) => shown(payload)).join('\n');
      assert.equal(device.connected, true, `the connection was closed after one of\n${payloads}`);
    }
    await device.endAsync();
    const { status, body } = await api.get(`${root}/${username}/rejections`);
    assert.equal(status, 200);
    assert.ok(body.data.total > cases.length / 2, `${body.data.total} of ${cases.length} were rejected`);
    assert.equal((await api.get(`${root}/${username}`)).status, 200);
    assert.equal((await api.get(`${root}/${username}/alerts`)).status, 200);
  };

  test('on the link each message is acknowledged, and the connection stays open', async () => {
    await publishAll(SILOS, siloNamed('extreme-silo'), siloCases());
    await publishAll(ROVERS, roverNamed('extreme-rover'), roverCases());
  });

  test('on the link each reading is stored or listed as a rejection', async () => {
    const { username, secret } = (await api.post(SILOS, siloNamed('counted'))).body.data.credentials;
    const login = { clientId: username, username, password: secret, reconnectPeriod: 0 };
    const device = await connectAsync(api.started.mqttUrl, login);
    const path = `${SILOS}/${username}`;
    let before = 0;
    let tsMs = Date.now() - NUMBERS.length;
    for (const value of NUMBERS) {
      const payload = `{"ts":${tsMs++},"temperature":${value}}`;
      await device.publishAsync(topicOf(username, 'telemetry'), payload, { qos: 1 });
      const after = await storedOrRejected(api, path, 'temperature');
      assert.equal(after, before + 1, payload);
      before = after;
    }
    await device.endAsync();
  });

  test('in reports on a running mission and a running operation, both stay readable', async () => {
    const rover = await startRover(api, 'running-rover');
    const { id } = await running(api, rover);
    const silo = await startSilo(api, 'running-silo');
    const started = await api.post(`${silo.path}/operations/feed`, { amount: 10, rate: 1 });
    const { operation_id } = started.body.data;
    await silo.take('start');
    await silo.ack({ operation_id, accepted: true });
    const report = (fields: string) => rover.publish('progress', `{"mission_id":"${id}",${fields}}`);
    const weigh = (fields: string) =>
      silo.publish('progress', `{"operation_id":"${operation_id}",${fields}}`);
    for (const time of TIMES) {
      const waypoints = `[{"index":0,"state":"reached","reached_at":${time}}]`;
      await report(`"state":"running","ts":${now()},"waypoints":${waypoints}`);
      await report(`"state":"running","ts":${time}`);
      await weigh(`"state":"running","amount_kg":1,"ts":${time}`);
    }
    for (const value of NUMBERS) await weigh(`"state":"running","amount_kg":${value},"ts":${now()}`);
    const mission = await api.get(`${rover.path}/missions/${id}`);
    assert.deepEqual([mission.status, mission.body.data.status], [200, 'in_progress']);
    const operation = await api.get(`${silo.path}/operations/${operation_id}`);
    assert.equal(operation.status, 200);
    await silo.progress({ operation_id, state: 'stopped', amount_kg: 2 });
    await rover.leave();
    await silo.leave();
  });

  test('over HTTP each request is stored or refused with 4xx, also where it could cause movement', async () => {
    await api.post(SILOS, siloNamed('http-silo'));
    await api.post(ROVERS, roverNamed('http-rover'));
    const [silo, rover] = [`${SILOS}/http-silo`, `${ROVERS}/http-rover`];
    const requests: (() => Promise<void>)[] = [];
    const send = async (method: string, path: string, body: string): Promise<void> => {
      const headers = { ...api.authorization, 'content-type': 'application/json' };
      const { status, text } = await api.raw(method, path, { headers, body });
      const isStoredOrRefused = status === 200 || (status >= 400 && status < 500);
      assert.ok(isStoredOrRefused, `${method} ${path} ${shown(body)}: ${status} ${text.slice(0, 300)}`);
    };
    const plan = (method: string, path: string, body: string) => {
      requests.push(() => send(method, path, body));
    };
    for (const { subject, payload } of siloCases()) {
      if (subject === 'telemetry') plan('POST', `${silo}/telemetry`, payload);
    }
    for (const value of NUMBERS) {
      plan('POST', `${silo}/operations/feed`, `{"amount":${value},"rate":1}`);
      plan('POST', `${silo}/operations/feed`, `{"amount":1,"rate":${value}}`);
      plan('PUT', `${silo}/config`, `{"thresholds":{"low_level":${value}}}`);
      plan('PUT', `${silo}/config`, `{"maintenance":{"interval_hours":${value}}}`);
      plan('PUT', `${silo}/config`, `{"reporting":{"interval_s":${value},"offline_delay_s":${value}}}`);
      const waypoint = `{"lat":${value},"lng":${value},"action":"none"}`;
      plan('POST', `${rover}/missions`, `{"mission_name":"m","waypoints":[${waypoint}]}`);
      const parameters = `{"latitude":${value},"longitude":0,"altitude":${value}}`;
      const move = `{"command":"move_to_coordinates","parameters":${parameters}}`;
      plan('POST', `${rover}/remote/command`, move);
      plan('POST', '/sandbox/plants', `{"id":${value},"name":"Fern"}`);
    }
    for (const time of TIMES) {
      plan('PUT', `${silo}/config`, `{"maintenance":{"next_scheduled":${time}}}`);
      const waypoints = '[{"lat":48.2,"lng":16.3,"action":"none"}]';
      const mission = `{"mission_name":"m","waypoints":${waypoints},"scheduled_start":${time}}`;
      plan('POST', `${rover}/missions`, mission);
      plan('POST', '/v1/keys', `{"name":"k","scopes":["read"],"expires_at":${time}}`);
    }
    for (const text of TEXTS) {
      plan('POST', `${silo}/operations/discharge`, `{"amount":1,"target_container":"${text}"}`);
      plan('POST', `${silo}/alerts/${encodeURIComponent(text)}/acknowledge`, `{"acknowledged_by":"${text}"}`);
      plan('POST', '/v1/keys', `{"name":"${text}","scopes":["read"],"device_ids":["${text}"]}`);
      plan('POST', '/sandbox/plants', `{"id":1,"name":"${text}","tag":"${text}"}`);
      plan('POST', SILOS, JSON.stringify({ ...siloNamed('x') }).replace('"x"', `"${text}"`));
    }
    for (let from = 0; from < requests.length; from += IN_FLIGHT) {
      await Promise.all(requests.slice(from, from + IN_FLIGHT).map((request) => request()));
    }
  });
});
