import { FIELD, HOME, ROVER, SILO, SILOS, type Tour, type TourClient } from './tour-client.ts';

const DAY_MS = 86_400_000;

export async function health(client: TourClient): Promise<void> {
  await client.step('GET', '/livez');
  await client.step('HEAD', '/livez');
}

export async function devices(client: TourClient): Promise<void> {
  const location = { facility: 'north', zone: 'a' };
  const silo = { device_id: 'tour-silo', name: 'Silo', model: 'GS-100', firmware_version: '1.2.3', location };
  await client.step('GET', SILOS);
  await client.step('POST', SILOS, { body: { ...silo, capacity: { max: 1_000, unit: 'kg' } } });
  await client.step('POST', SILOS, { body: { ...silo, capacity: { max: 1_000, unit: 'kg' } } });
  await client.step('POST', SILOS, { body: { device_id: 'no capacity' } });
  const other = { ...silo, device_id: 'tour-silo-2', capacity: { max: 5, unit: 'kg' } };
  await client.step('POST', SILOS, { body: other, headers: { 'idempotency-key': 'tour-1' } });
  await client.step('POST', SILOS, { body: other, headers: { 'idempotency-key': 'tour-1' } });
  await client.step('POST', SILOS, {
    body: { ...other, name: 'x' },
    headers: { 'idempotency-key': 'tour-1' },
  });
  await client.step('POST', FIELD, {
    body: { device_id: 'tour-rover', name: 'Rover', model: 'FR-7', location },
  });
  await client.step('POST', FIELD, {
    body: { device_id: 'tour-rover', name: '', model: 'FR-7', location: {} },
  });
  for (const root of [SILOS, FIELD]) {
    await client.step('GET', `${root}?limit=1`);
    await client.step('GET', `${root}?limit=0`);
    await client.step('GET', `${root}?cursor=nonsense`);
    await client.step('GET', `${root}?unknown=1`);
    await client.step('GET', `${root}/nobody`);
  }
  // The reporting interval is long, because on a busy machine the tour takes longer than readings are usually fresh.
  for (const path of [SILO, `${SILOS}/tour-silo-2`, ROVER]) {
    await client.step('PUT', `${path}/config`, { body: { reporting: { interval_s: 3_600 } } });
  }
  for (const path of [SILO, ROVER]) {
    await client.step('GET', path);
    await client.step('GET', `${path}/rejections`);
    await client.step('GET', `${path}/link`);
  }
  await client.step('GET', `${SILOS}/tour-rover`);
  await client.step('GET', `${FIELD}/tour-silo`);
}

export async function readings({ client, silo, rover }: Tour): Promise<void> {
  const nowMs = Date.now();
  await client.step('GET', `${SILO}/sensors`);
  await silo.publish('telemetry', { ts: nowMs, weight: 500, temperature: 18.5, humidity: 55 });
  await client.step('POST', `${SILO}/telemetry`, {
    body: [
      { ts: nowMs - 60_000, weight: 499.5 },
      { ts: nowMs - 120_000, weight: 499 },
    ],
  });
  await client.step('POST', `${SILO}/telemetry`, { body: { ts: nowMs - 120_000, weight: 499 } });
  await client.step('POST', `${SILO}/telemetry`, { body: [{ ts: 'yesterday', weight: 1 }] });
  await client.step('POST', `${SILO}/telemetry`, { body: { ts: nowMs, heaviness: 1 } });
  await client.step('POST', `${SILO}/telemetry`, { body: { ts: nowMs - 30_000, temperature: 900 } });
  await client.step('GET', `${SILO}/sensors`);
  const day = { from: new Date(nowMs - 3_600_000).toISOString(), to: new Date(nowMs + 60_000).toISOString() };
  // The times are whole days and minutes ago, so that the buckets are the same in every run.
  const pastMs = Math.floor(nowMs / DAY_MS - 2) * DAY_MS + 10 * 3_600_000;
  const past = [0, 60, 400, 4_000].map((s, index) => ({ ts: pastMs + s * 1_000, weight: 100 + index * 7.5 }));
  await client.step('POST', `${SILO}/telemetry`, {
    body: [...past, { ts: pastMs + 90_000, weight: 5_000_000 }],
  });
  const range = `from=${new Date(pastMs - 3_600_000).toISOString()}&to=${new Date(pastMs + 2 * 3_600_000).toISOString()}`;
  for (const interval of ['5m', '1h', '1d']) {
    for (const aggregate of ['avg', 'min', 'max', 'last', 'sum', 'count', 'bad_count']) {
      const query = `sensor=level&interval=${interval}&aggregate=${aggregate}&${range}`;
      await client.step('GET', `${SILO}/sensors/history?${query}`);
    }
  }
  await client.step('GET', `${SILO}/sensors/history?${range}`, { headers: { accept: 'text/csv' } });
  await client.step('GET', `${SILO}/sensors/history?sensor=colour&from=x`);
  await rover.publish('telemetry', {
    ts: nowMs,
    ...HOME,
    battery_level: 90,
    signal_strength: -60,
    temperature: 20,
    humidity: 50,
    soil_moisture: 30,
    light_intensity: 1_000,
    wind_speed: 3,
    atmospheric_pressure: 1_013,
  });
  await client.step('GET', `${ROVER}/location`);
  await client.step('GET', `${ROVER}/sensors/environmental`);
  const today = new Date(Math.floor(nowMs / DAY_MS) * DAY_MS).toISOString();
  await client.step(
    'GET',
    `${ROVER}/sensors/history?sensor=soil_moisture&interval=1d&from=${today}&to=${day.to}`,
  );
  await client.step('GET', `${ROVER}/track?from=${day.from}&to=${day.to}`);
  await client.step('GET', `${ROVER}/track?from=nonsense`);
  await client.step('POST', `${ROVER}/telemetry`, { body: { ts: nowMs + 1, battery_level: 89 } });
  await silo.publish('telemetry', { nonsense: true });
  await client.waitFor(`${SILO}/rejections`, ({ total }) => total > 0);
  await client.step('GET', `${SILO}/rejections`);
  await client.step('GET', SILO);
  await client.step('GET', ROVER);
}

export async function configuration({ client }: Tour): Promise<void> {
  for (const path of [SILO, ROVER]) {
    await client.step('GET', `${path}/config`);
    await client.step('PUT', `${path}/config`, { body: { reporting: { offline_delay_s: 60 } } });
    await client.step('PUT', `${path}/config`, {
      body: { reporting: { offline_delay_s: 61 } },
      headers: { 'if-match': '"1"' },
    });
    const rule = { sensor_id: 'temperature', above: 60, severity: 'info' };
    await client.step('PUT', `${path}/config`, { body: { rules: [rule] } });
    await client.step('PUT', `${path}/config`, { body: { rules: [rule, rule, { ...rule, below: 5 }] } });
    await client.step('PUT', `${path}/config`, { body: { rules: [] } });
    await client.step('PUT', `${path}/config`, { body: { unknown: true } });
    await client.step('PUT', `${path}/config`, { raw: '{"a":1,"a":2}' });
    await client.step('GET', `${path}/config/versions?limit=2`);
  }
}

export async function alerts({ client }: Tour): Promise<void> {
  // This silo has no operations, so that no other alert is raised.
  const path = `${SILOS}/tour-silo-2/alerts`;
  await client.step('POST', `${SILOS}/tour-silo-2/telemetry`, { body: { ts: Date.now(), weight: 4.95 } });
  const [alert] = await client.waitFor(path, (list) => list.length > 0);
  await client.step('GET', path);
  await client.step('GET', `${path}?status=sideways`);
  await client.step('GET', `${path}/${alert.alert_id}`);
  await client.step('GET', `${path}/al_none`);
  await client.step('POST', `${path}/${alert.alert_id}/acknowledge`, {
    body: { acknowledged_by: 'Ada', note: 'seen' },
  });
  await client.step('POST', `${path}/${alert.alert_id}/acknowledge`, { body: {} });
  await client.step('POST', `${path}/${alert.alert_id}/shelve`, {
    body: { until: new Date(Date.now() + 600_000).toISOString(), reason: 'cleaning', shelved_by: 'Ada' },
  });
  await client.step('POST', `${path}/${alert.alert_id}/shelve`, {
    body: { minutes: 10, reason: 'cleaning' },
  });
  await client.step('POST', `${path}/${alert.alert_id}/unshelve`);
  await client.step('GET', `${path}?status=all`);
  await client.step('GET', `${ROVER}/alerts`);
}

/** These steps are the last, because a removed device is in no list. */
export async function lifeCycle(client: TourClient): Promise<void> {
  const path = `${SILOS}/tour-silo-2`;
  await client.step('PATCH', path, { body: { name: 'Reserve', location: { zone: 'b' } } });
  await client.step('PATCH', path, { body: { name: 'Other' }, headers: { 'if-match': '"1"' } });
  await client.step('POST', `${path}/maintenance`, { body: { on: true } });
  await client.step('POST', `${path}/maintenance`, { body: { on: true, reason: 'new motor' } });
  await client.step('POST', `${path}/maintenance`, { body: { on: false } });
  await client.step('DELETE', path);
  await client.step('GET', path);
  await client.step('PATCH', path, { body: { name: 'Other' } });
  await client.step('GET', '/v1/devices?removed=true');
  await client.step('POST', `${path}/restore`);
  await client.step('POST', `${path}/restore`);
  await client.step('DELETE', path);
  await client.step('DELETE', `${path}?purge=yes`);
  await client.step('DELETE', `${path}?purge=true`);
}
