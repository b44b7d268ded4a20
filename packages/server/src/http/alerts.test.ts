import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALERT_FILTERS } from '@granary/contract/alerts';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { describeService } from '@granary/testing/server/service';

const later = (ms: number) => new Date(Date.now() + ms).toISOString();

describeService('alerts', (api) => {
  const alertsOf = async (path: string, query = '') => (await api.get(`${path}/alerts${query}`)).body.data;
  const shown = async (path: string, query = ''): Promise<string> =>
    (await alertsOf(path, query))
      .map(({ type, status }: { type: string; status: string }) => `${type} ${status}`)
      .sort()
      .join(', ');

  test('a reading beyond a threshold raises an alert, and a reading within it clears the alert', async () => {
    const silo = await startSilo(api, 'crossing');
    await api.put(`${silo.path}/config`, { alarms: { off_delay_s: 1 } });
    await silo.weigh(150);
    await eventually(() => shown(silo.path), 'low_level active');
    const [alert] = await alertsOf(silo.path);
    assert.match(alert.alert_id, /^al_/);
    assert.deepEqual(
      [alert.severity, alert.current_value, alert.threshold, alert.acknowledged_by],
      ['warning', 15, 20, null],
    );
    await silo.weigh(500);
    await eventually(() => shown(silo.path), 'low_level cleared');
    const path = `${silo.path}/alerts/${alert.alert_id}`;
    const acknowledged = await api.post(`${path}/acknowledge`, { acknowledged_by: 'Ada' });
    assert.equal(acknowledged.body.data.status, 'resolved');
    assert.deepEqual(await alertsOf(silo.path), []);
    assert.equal(await shown(silo.path, '?status=all'), 'low_level resolved');
    await silo.leave();
  });

  test('a change of configuration raises an alert immediately', async () => {
    const silo = await startSilo(api, 'reconfigured');
    await api.put(`${silo.path}/config`, { thresholds: { low_level: 60 } });
    assert.equal(await shown(silo.path), 'low_level active');
    await silo.leave();
  });

  test('a lost link raises an alert, and the return of the device clears it', async () => {
    const silo = await startSilo(api, 'link-lost');
    await api.put(`${silo.path}/config`, { reporting: { offline_delay_s: 0 }, alarms: { off_delay_s: 0 } });
    await silo.dropConnection();
    await eventually(() => shown(silo.path), 'device_offline active');
    await silo.reconnect();
    await silo.weigh(500);
    await eventually(() => shown(silo.path), 'device_offline cleared');
    await silo.leave();
  });

  test('an acknowledgement stores the name of the person, and a second one changes nothing', async () => {
    const silo = await startSilo(api, 'acknowledged', 150);
    await eventually(() => shown(silo.path), 'low_level active');
    const [{ alert_id: id }] = await alertsOf(silo.path);
    const path = `${silo.path}/alerts/${id}/acknowledge`;
    for (const wrong of [{}, { acknowledged_by: '' }, { acknowledged_by: 'Ada', colour: 'green' }]) {
      assert.equal((await api.post(path, wrong)).status, 400);
    }
    const first = await api.post(path, { acknowledged_by: 'Ada', note: 'refill is ordered' });
    const { status, acknowledged_by, note, acknowledged_at } = first.body.data;
    assert.deepEqual([status, acknowledged_by, note], ['acknowledged', 'Ada', 'refill is ordered']);
    assert.ok(Date.parse(acknowledged_at));
    const again = await api.post(path, { acknowledged_by: 'Bob' });
    assert.deepEqual([again.status, again.body], [200, first.body]);
    const missing = await api.post(`${silo.path}/alerts/al_nothing/acknowledge`, { acknowledged_by: 'Ada' });
    assert.deepEqual([missing.status, missing.body.error.code], [404, 'alert_not_found']);
    await silo.leave();
  });

  test('a shelved alert has the end, the reason and the person, and is in no default list', async () => {
    const silo = await startSilo(api, 'shelved', 150);
    await eventually(() => shown(silo.path), 'low_level active');
    const [{ alert_id: id }] = await alertsOf(silo.path);
    const path = `${silo.path}/alerts/${id}/shelve`;
    const until = later(60_000);
    for (const wrong of [{ until }, { until: later(-1), reason: 'r' }, { until: 'soon', reason: 'r' }]) {
      assert.equal((await api.post(path, wrong)).status, 400);
    }
    const { body } = await api.post(path, { until, reason: 'being emptied', shelved_by: 'Ada' });
    const { shelved_until, shelve_reason, shelved_by } = body.data;
    assert.deepEqual([shelved_until, shelve_reason, shelved_by], [until, 'being emptied', 'Ada']);
    for (const [query, expected] of [
      ['', ''],
      ['?status=open', ''],
      ['?status=active', ''],
      ['?status=shelved', 'low_level active'],
      ['?status=all', 'low_level active'],
    ] as const) {
      assert.equal(await shown(silo.path, query), expected, query);
    }
    const one = await api.get(`${silo.path}/alerts/${id}`);
    assert.deepEqual([one.status, one.body], [200, body]);
    const back = await api.post(`${silo.path}/alerts/${id}/unshelve`);
    assert.deepEqual([back.status, back.body.data.shelved_until], [200, null]);
    assert.equal(await shown(silo.path), 'low_level active');
    assert.deepEqual((await api.post(`${silo.path}/alerts/${id}/unshelve`)).body, back.body);
    for (const missing of ['al_nothing', 'al_nothing/unshelve']) {
      const call = missing.endsWith('unshelve') ? api.post : api.get;
      const { status, body: refused } = await call(`${silo.path}/alerts/${missing}`);
      assert.deepEqual([status, refused.error.code], [404, 'alert_not_found']);
    }
    assert.equal(
      (await api.post(`${silo.path}/alerts/al_nothing/shelve`, { until, reason: 'r' })).status,
      404,
    );
    await silo.leave();
  });

  test('alerts are listed by status and by page, newest first', async () => {
    const silo = await startSilo(api, 'listed', 50);
    await eventually(() => shown(silo.path), 'critical_level active, low_level active');
    const [{ alert_id: newest, type }] = await alertsOf(silo.path);
    await api.post(`${silo.path}/alerts/${newest}/acknowledge`, { acknowledged_by: 'Ada' });
    const other = type === 'low_level' ? 'critical_level' : 'low_level';
    assert.equal(await shown(silo.path, '?status=active'), `${other} active`);
    assert.equal(await shown(silo.path, '?status=acknowledged'), `${type} acknowledged`);
    assert.equal((await alertsOf(silo.path, '?status=open')).length, 2);
    assert.equal((await alertsOf(silo.path, '?status=resolved')).length, 0);
    const first = (await api.get(`${silo.path}/alerts?limit=1`)).body;
    const rest = (await api.get(`${silo.path}/alerts?limit=1&cursor=${first.page.next_cursor}`)).body;
    assert.deepEqual([first.data[0].type, rest.data[0].type], [type, other]);
    const refused = await api.get(`${silo.path}/alerts?status=unknown`);
    assert.equal(refused.status, 400);
    for (const known of ALERT_FILTERS) assert.match(refused.body.error.details[0].message, new RegExp(known));
    assert.equal((await api.get('/v1/siloscale/devices/unknown/alerts')).status, 404);
    await silo.leave();
  });

  test('an implausible reading raises sensor_fault, which a plausible one clears', async () => {
    const silo = await startSilo(api, 'implausible');
    await api.put(`${silo.path}/config`, { alarms: { off_delay_s: 0 } });
    await silo.weigh(99_999);
    await eventually(() => shown(silo.path), 'sensor_fault active');
    const [alert] = await alertsOf(silo.path);
    assert.equal(
      alert.message,
      'Weight reads 99999 kg, which cannot be true: it is outside -20 kg to 1100 kg',
    );
    assert.deepEqual([alert.current_value, alert.threshold], [99_999, 1_100]);
    await silo.weigh(88_888);
    await eventually(async () => (await alertsOf(silo.path))[0].current_value, 88_888);
    await silo.weigh(500);
    await eventually(() => shown(silo.path), 'sensor_fault cleared');
    await silo.leave();
  });

  test('after a clean disconnect a device stays online while its last reading is recent', async () => {
    const silo = await startSilo(api, 'clean-disconnect');
    await silo.disconnect();
    const lost = await startSilo(api, 'lost');
    await lost.dropConnection();
    const status = async (path: string) => (await api.get(path)).body.data.status;
    await eventually(() => status(lost.path), 'offline');
    assert.equal(await status(silo.path), 'online');
    assert.equal(await shown(silo.path, '?status=all'), '');
    assert.equal(await shown(lost.path, '?status=all'), '');
  });

  test('a scale that reports every five minutes is online and good between two reports', async () => {
    const silo = await startSilo(api, 'slow-reporting', null);
    await api.put(`${silo.path}/config`, { reporting: { interval_s: 300 } });
    const minutesAgo = new Date(Date.now() - 299_000).toISOString();
    await silo.publish('telemetry', { ts: minutesAgo, weight: 500 });
    const sensors = async () => (await api.get(`${silo.path}/sensors`)).body.data.level.quality;
    await eventually(sensors, 'good');
    await api.put(`${silo.path}/config`, { reporting: { interval_s: 10 } });
    assert.equal(await sensors(), 'stale');
    assert.equal((await api.get(silo.path)).body.data.sensors[0].status, 'stale');
    await silo.leave();
  });
});
