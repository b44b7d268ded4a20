import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { eventually } from '@granary/testing/server/eventually';
import { type Api, describeEmbeddedLinkService, siloNamed } from '@granary/testing/server/service';
import mqtt from 'mqtt';

const SILOS = '/v1/siloscale/devices';

/** A device that sends any text as telemetry, as it would with a mistake in its program. */
async function startClient(t: TestContext, api: Api, deviceId: string, secret: string) {
  const session = api.link.session(deviceId);
  const login = { clientId: deviceId, username: deviceId, password: secret, reconnectPeriod: 300 };
  const client = await mqtt.connectAsync(api.started.mqttUrl, { ...login, ...session.options });
  client.on('error', () => undefined);
  t.after(() => client.endAsync(true));
  await session.begin(client);
  return {
    client,
    send: (payload: string) => session.publish(client, 'telemetry', payload),
  };
}

describeEmbeddedLinkService('devices that only look healthy', (api) => {
  const register = async (deviceId: string): Promise<string> =>
    (await api.post(SILOS, siloNamed(deviceId))).body.data.credentials.secret;
  const detailOf = async (deviceId: string) => (await api.get(`${SILOS}/${deviceId}`)).body.data;
  const openAlerts = async (deviceId: string): Promise<string> =>
    (await alertsOf(deviceId))
      .map(({ type, status }: { readonly type: string; readonly status: string }) => `${type} ${status}`)
      .join(', ');
  const alertsOf = async (deviceId: string) => (await api.get(`${SILOS}/${deviceId}/alerts`)).body.data;

  const faults = [
    {
      deviceId: 'an-hour-ahead',
      payload: () => JSON.stringify({ ts: Date.now() + HOUR_MS, weight: 500 }),
      message: 'its clock is 1 h ahead',
    },
    {
      deviceId: 'a-year-behind',
      payload: () => JSON.stringify({ ts: Date.now() - 365 * DAY_MS, weight: 500 }),
      message: 'its clock is 1 year behind',
    },
    {
      deviceId: 'in-seconds',
      payload: () => JSON.stringify({ ts: Math.round(Date.now() / 1_000), weight: 500 }),
      message: 'its times are in seconds, not in milliseconds',
    },
    {
      deviceId: 'text-as-weight',
      payload: () => JSON.stringify({ ts: Date.now(), weight: '500.0' }),
      message: 'weight is a text, not a number',
    },
    {
      deviceId: 'no-json',
      payload: () => `{"ts": ${Date.now()}, "weight": NaN}`,
      message: /NaN is no number in JSON/,
    },
  ];
  for (const { deviceId, payload, message } of faults) {
    test(`${deviceId}: refused readings are an alert and in the overview until readings are taken`, async (t) => {
      const { send } = await startClient(t, api, deviceId, await register(deviceId));
      await api.put(`${SILOS}/${deviceId}/config`, { alarms: { off_delay_s: 0 } });
      for (let n = 0; n < 3; n++) await send(payload());
      await eventually(() => openAlerts(deviceId), 'readings_rejected active');
      const [alert] = await alertsOf(deviceId);
      const { refused_readings, status } = await detailOf(deviceId);
      assert.deepEqual(
        [alert.type, alert.severity, refused_readings.messages, refused_readings.taken, status],
        ['readings_rejected', 'warning', 3, 'none', 'online'],
      );
      if (typeof message === 'string') assert.equal(refused_readings.message, message);
      else assert.match(refused_readings.message, message);
      assert(alert.message.includes(refused_readings.message));
      const { recent } = (await api.get(`${SILOS}/${deviceId}/rejections`)).body.data;
      assert(recent.every(({ topic }: { topic: string }) => topic === topicOf(deviceId, 'telemetry')));
      const { attention } = (await api.get('/v1/overview')).body.data;
      assert(attention.some(({ id }: { id: string }) => id === alert.alert_id));
      await send(JSON.stringify({ ts: Date.now(), weight: 500 }));
      await eventually(() => openAlerts(deviceId), 'readings_rejected cleared');
      const { refused_readings: none, clock_offset_s } = await detailOf(deviceId);
      assert.deepEqual([none, clock_offset_s], [null, 0]);
    });
  }

  test('a device without a reading has an unknown clock and no refused readings', async () => {
    await register('never-seen');
    const { clock_offset_s, refused_readings } = await detailOf('never-seen');
    assert.deepEqual([clock_offset_s, refused_readings], [null, null]);
  });

  test('values of a sensor that is not declared are told, although the others are taken', async (t) => {
    const { send } = await startClient(t, api, 'undeclared', await register('undeclared'));
    for (let n = 0; n < 3; n++) {
      await send(JSON.stringify({ ts: Date.now() + n, weight: 500, sensors: { flow: 1 } }));
    }
    await eventually(() => openAlerts('undeclared'), 'readings_rejected active');
    const [alert] = await alertsOf('undeclared');
    assert.equal(alert.severity, 'info');
    assert.match(
      alert.message,
      /^A part of its readings is refused: the sensor flow is not declared \(3 messages/,
    );
  });

  test('two clients with the id of one device are told with what is known of their addresses', async (t) => {
    const deviceId = 'twins';
    const secret = await register(deviceId);
    const first = await startClient(t, api, deviceId, secret);
    const second = await startClient(t, api, deviceId, secret);
    // Each client publishes that it is online whenever it is connected again.
    for (const { client } of [first, second]) {
      const state = { state: 'online', session: `again-${client === first.client}` };
      client.on('connect', () =>
        client.publish(topicOf(deviceId, 'status'), JSON.stringify(state), { qos: 1, retain: true }),
      );
    }
    await eventually(() => openAlerts(deviceId), 'duplicate_device active');
    const [alert] = await alertsOf(deviceId);
    assert.match(
      alert.message,
      /^Two clients log in as this device and replace each other: \d+ times within a minute, all from 127\.0\.0\.1$/,
    );
  });
});
