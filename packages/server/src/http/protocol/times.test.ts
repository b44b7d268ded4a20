import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TIME_MS_MAX } from '@granary/contract/time';
import { startRover } from '@granary/testing/server/devices/scripted-rover';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { WAYPOINT } from '@granary/testing/server/missions';
import { describeRequests } from '@granary/testing/server/service';

/** An earlier version accepted each of these texts as a time and could not read it later. */
const UNREADABLE = ['2099-12-31T23:59:60Z', '2099-03-01T12:00:00+01:00[Europe/Berlin]'];
const WRONG = [...UNREADABLE, '2099-02-30T00:00:00Z', '2099-01-01T24:00:00Z', '2099-01-01T00:00:00', 'soon'];

describeRequests('times', (api) => {
  let silo = '';
  let rover = '';
  let alertId = '';

  before(async () => {
    const scripted = await startSilo(api, 'timed', 150);
    silo = scripted.path;
    const field = await startRover(api, 'timed-rover');
    rover = field.path;
    const alerts = async () => (await api.get(`${silo}/alerts`)).body.data;
    await eventually(async () => (await alerts()).length > 0, true);
    alertId = (await alerts())[0].alert_id;
    await Promise.all([scripted.leave(), field.leave()]);
  });

  const refuses = async (method: string, path: string, body: unknown, faultAt: string) => {
    const answer = await (method === 'PUT' ? api.put(path, body) : api.post(path, body));
    assert.deepEqual([answer.status, answer.body.error?.code], [400, 'invalid_input'], answer.text);
    const paths = answer.body.error.details.map((fault: { path: string }) => fault.path);
    assert.ok(paths.includes(faultAt), answer.text);
  };

  for (const time of WRONG) {
    test(`${time} is refused in every field that is a time`, async () => {
      const key = { name: 'k', scopes: ['read'], expires_at: time };
      await refuses('POST', '/v1/keys', key, '/expires_at');
      const maintenance = { maintenance: { next_scheduled: time } };
      for (const device of [silo, rover]) {
        await refuses('PUT', `${device}/config`, maintenance, '/maintenance/next_scheduled');
      }
      const mission = { mission_name: 'm', waypoints: [WAYPOINT], scheduled_start: time };
      await refuses('POST', `${rover}/missions`, mission, '/scheduled_start');
      await refuses('POST', `${silo}/alerts/${alertId}/shelve`, { until: time, reason: 'r' }, '/until');
      await refuses('POST', `${silo}/telemetry`, { ts: time, weight: 1 }, '/ts');
      await refuses('POST', `${rover}/telemetry`, [{ ts: time, altitude: 1 }], '/0/ts');
      for (const path of [`${silo}/sensors/history`, `${rover}/sensors/history`, `${rover}/track`]) {
        for (const name of ['from', 'to']) {
          const answer = await api.get(`${path}?${name}=${encodeURIComponent(time)}`);
          assert.deepEqual([answer.status, answer.body.error?.code], [400, 'invalid_input'], answer.text);
          assert.equal(answer.body.error.details[0].path, `/${name}`);
        }
      }
    });
  }

  test('a time of a device outside the range of dates is refused', async () => {
    for (const ts of [TIME_MS_MAX + 1, 1_700_000_000_000_000_000, -1]) {
      await refuses('POST', `${silo}/telemetry`, { ts, weight: 1 }, '/ts');
    }
  });
});
