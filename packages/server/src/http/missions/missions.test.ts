import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { HOME, startRover } from '@granary/testing/server/devices/scripted-rover';
import { eventually } from '@granary/testing/server/eventually';
import {
  dispatched,
  missionInHours,
  missionOf,
  running,
  TWO_WAYPOINTS,
  WAYPOINT,
} from '@granary/testing/server/missions';
import { describeService } from '@granary/testing/server/service';

describeService('missions', (api) => {
  test('a scheduled mission is uploaded, started on time, and shows each waypoint that the device reports', async () => {
    const rover = await startRover(api, 'scheduled');
    const scheduled_start = toIso(Date.now() + SECOND_MS);
    const created = await api.post(`${rover.path}/missions`, { ...TWO_WAYPOINTS, scheduled_start });
    assert.equal(created.status, 200, created.text);
    const { mission_id: id, preflight, ...record } = created.body.data;
    assert.match(id, /^ms_/);
    assert.deepEqual([record.status, record.scheduled_start], ['scheduled', scheduled_start]);
    assert.deepEqual(
      record.waypoints.map(({ status }: { status: string }) => status),
      ['pending', 'pending'],
    );
    assert.equal(preflight.legs.length, 2);
    assert.ok(preflight.battery_required > 0 && preflight.battery_available === 100);
    const upload = await rover.take('mission_upload');
    assert.deepEqual(
      [upload.mission_id, upload.waypoints, upload.start_at],
      [id, TWO_WAYPOINTS.waypoints, scheduled_start],
    );
    const mission = missionOf(api, rover, id);
    assert.equal(await mission.status(), 'dispatched');
    await rover.ack({ mission_id: id, accepted: true });
    await rover.take('mission_start');
    assert.ok(Date.now() >= Date.parse(scheduled_start));
    await rover.missionProgress({
      mission_id: id,
      state: 'running',
      waypoints: [{ index: 0, state: 'active' }],
    });
    assert.equal(await mission.status(), 'in_progress');
    await rover.missionProgress({
      mission_id: id,
      state: 'running',
      waypoints: [
        { index: 0, state: 'reached', action_result: 'succeeded' },
        { index: 1, state: 'active' },
      ],
    });
    assert.deepEqual(await mission.waypoints(), ['reached', 'active']);
    await rover.missionProgress({
      mission_id: id,
      state: 'completed',
      waypoints: [{ index: 1, state: 'reached' }],
    });
    const completed = await mission.get();
    assert.deepEqual([completed.status, completed.result], ['completed', null]);
    assert.equal(completed.waypoints[0].action_result, 'succeeded');
    assert.ok(completed.waypoints.every(({ reached_at }: { reached_at: string }) => reached_at !== null));
    await rover.leave();
  });

  test('a mission without a start time begins immediately', async () => {
    const rover = await startRover(api, 'without-start-time');
    const { id, mission } = await running(api, rover);
    assert.ok(Date.parse((await mission.get()).scheduled_start) <= Date.now());
    await rover.missionProgress({ mission_id: id, state: 'completed' });
    assert.equal(await mission.status(), 'completed');
    await rover.leave();
  });

  test('pause and resume are shown as requested until the device reports them', async () => {
    const rover = await startRover(api, 'pausing');
    const { id, mission } = await running(api, rover);
    const paused = await mission.request('pause');
    assert.deepEqual(
      [paused.status, paused.body.data.status, paused.body.data.requested],
      [200, 'in_progress', 'pause'],
    );
    assert.deepEqual(await rover.take('mission_pause'), { command: 'mission_pause', mission_id: id });
    // The request is repeated until the device reports the pause.
    await rover.take('mission_pause');
    await rover.missionProgress({ mission_id: id, state: 'paused' });
    assert.deepEqual([await mission.status(), (await mission.get()).requested], ['paused', null]);
    assert.equal((await mission.request('pause')).body.data.requested, null);
    await mission.request('resume');
    await rover.take('mission_resume');
    await rover.missionProgress({ mission_id: id, state: 'running' });
    assert.equal(await mission.status(), 'in_progress');
    await rover.leave();
  });

  test('a mission is cancelled while it runs, twice, and after its end', async () => {
    const rover = await startRover(api, 'cancelling');
    const { id, mission } = await running(api, rover);
    const [first, second] = [await mission.request('cancel'), await mission.request('cancel')];
    for (const { status, body } of [first, second]) {
      assert.deepEqual([status, body.data.status, body.data.requested], [200, 'in_progress', 'cancel']);
    }
    await rover.take('mission_cancel');
    const late = await mission.request('pause');
    assert.deepEqual([late.status, late.body.error.code], [409, 'mission_not_running']);
    await rover.missionProgress({ mission_id: id, state: 'aborted' });
    const cancelled = await mission.get();
    assert.deepEqual([cancelled.status, cancelled.result.reason], ['cancelled', 'cancelled']);
    assert.equal(cancelled.waypoints[1].status, 'skipped');
    const again = await mission.request('cancel');
    assert.deepEqual([again.status, again.body.data], [200, cancelled]);
    await rover.leave();
  });

  test('a mission that is cancelled before its start is never sent to the device', async () => {
    const rover = await startRover(api, 'cancelled-early');
    const { mission_id } = (await api.post(`${rover.path}/missions`, missionInHours(1))).body.data;
    const mission = missionOf(api, rover, mission_id);
    for (const kind of ['pause', 'resume'] as const) {
      const refused = await mission.request(kind);
      assert.deepEqual([refused.status, refused.body.error.code], [409, 'mission_not_running'], kind);
    }
    assert.equal((await mission.request('cancel')).body.data.status, 'cancelled');
    assert.equal(rover.commands.length, 0);
    await rover.leave();
  });

  test('missions are listed newest first and by status, and found only under their device', async () => {
    const rover = await startRover(api, 'listed');
    const other = await startRover(api, 'other-device');
    const ids: string[] = [];
    for (const hours of [1, 2, 3]) {
      const created = await api.post(`${rover.path}/missions`, missionInHours(hours));
      ids.unshift(created.body.data.mission_id);
    }
    await missionOf(api, rover, ids[1] ?? '').request('cancel');
    const list = async (query: string) => (await api.get(`${rover.path}/missions${query}`)).body;
    const listed = async (query: string) =>
      (await list(query)).data.map(({ mission_id }: { mission_id: string }) => mission_id);
    assert.deepEqual(await listed(''), ids);
    assert.deepEqual(await listed('?status=cancelled'), [ids[1]]);
    const { page } = await list('?limit=2');
    assert.deepEqual(await listed(`?limit=2&cursor=${page.next_cursor}`), [ids[2]]);
    assert.equal((await api.get(`${rover.path}/missions?status=lost`)).status, 400);
    for (const answer of [
      await api.get(`${other.path}/missions/${ids[0]}`),
      await api.get(`${rover.path}/missions/ms_none`),
      await api.post(`${other.path}/missions/${ids[0]}/cancel`),
    ]) {
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'mission_not_found']);
    }
    await rover.leave();
    await other.leave();
  });

  test('a request that is repeated with its idempotency key creates one mission', async () => {
    const rover = await startRover(api, 'once');
    const key = { 'idempotency-key': 'one mission' };
    const [first, second] = [
      await api.post(`${rover.path}/missions`, TWO_WAYPOINTS, key),
      await api.post(`${rover.path}/missions`, TWO_WAYPOINTS, key),
    ];
    assert.equal(second.body.data.mission_id, first.body.data.mission_id);
    assert.equal((await api.get(`${rover.path}/missions`)).body.data.length, 1);
    await rover.leave();
  });

  test('distances are correct across the antimeridian and at the pole', async () => {
    // The first case is a thousandth of a degree of longitude at the equator, the second one of latitude that crosses the pole.
    const cases = [
      [{ latitude: 0, longitude: 179.9995 }, { lat: 0, lng: -179.9995 }, 111.32],
      [{ latitude: 89.9995, longitude: 0 }, { lat: 89.9995, lng: 180 }, 111.69],
    ] as const;
    for (const [index, [place, { lat, lng }, metres]] of cases.entries()) {
      const rover = await startRover(api, `edge-${index}`, { ...place, altitude: 0, battery_level: 100 });
      const waypoints = [{ lat, lng, action: 'none' }];
      const { preflight } = (await api.post(`${rover.path}/missions`, { mission_name: 'edge', waypoints }))
        .body.data;
      assert.ok(Math.abs(preflight.distance_m / metres - 1) < 0.001, String(preflight.distance_m));
      await rover.leave();
    }
  });

  test('needs the scope operate', async () => {
    const rover = await startRover(api, 'needs-operate');
    const { key } = (await api.post('/v1/keys', { name: 'k', scopes: ['read', 'configure'] })).body.data;
    assert.equal((await api.as(key).post(`${rover.path}/missions`, TWO_WAYPOINTS)).status, 403);
    const { id, mission } = await dispatched(api, rover);
    assert.equal((await api.as(key).post(`${rover.path}/missions/${id}/cancel`)).status, 403);
    assert.equal((await api.as(key).get(`${rover.path}/missions/${id}`)).status, 200);
    await eventually(mission.status, 'dispatched');
    await rover.leave();
  });
});

describeService('missions that are refused', (api) => {
  const invalid: Record<string, unknown> = {
    'no waypoints': { ...TWO_WAYPOINTS, waypoints: [] },
    '501 waypoints': { ...TWO_WAYPOINTS, waypoints: Array.from({ length: 501 }, () => WAYPOINT) },
    'no name': { waypoints: [WAYPOINT] },
    'an empty name': { ...TWO_WAYPOINTS, mission_name: '' },
    'beyond the pole': { ...TWO_WAYPOINTS, waypoints: [{ ...WAYPOINT, lat: 91 }] },
    'beyond the antimeridian': { ...TWO_WAYPOINTS, waypoints: [{ ...WAYPOINT, lng: 180.1 }] },
    'a latitude as text': { ...TWO_WAYPOINTS, waypoints: [{ ...WAYPOINT, lat: '48' }] },
    'an unknown action': { ...TWO_WAYPOINTS, waypoints: [{ ...WAYPOINT, action: 'unknown' }] },
    'no action': { ...TWO_WAYPOINTS, waypoints: [{ lat: 1, lng: 1 }] },
    'an unknown field': { ...TWO_WAYPOINTS, colour: 'green' },
    'a start that is not a time': { ...TWO_WAYPOINTS, scheduled_start: 'soon' },
    'a start that has passed': { ...TWO_WAYPOINTS, scheduled_start: toIso(Date.now() - 120 * SECOND_MS) },
    'a start in a distant future': { ...TWO_WAYPOINTS, scheduled_start: '2999-01-01T00:00:00Z' },
    nothing: {},
  };
  test('because the request is invalid', async () => {
    const rover = await startRover(api, 'strict');
    for (const [what, body] of Object.entries(invalid)) {
      const answer = await api.post(`${rover.path}/missions`, body);
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'invalid_input'], what);
      assert.ok(answer.body.error.details.length > 0, what);
    }
    const skewed = { ...TWO_WAYPOINTS, scheduled_start: toIso(Date.now() - 30 * SECOND_MS) };
    assert.equal((await api.post(`${rover.path}/missions`, skewed)).status, 200);
    await rover.leave();
  });

  test('because the battery is not sufficient, with the numbers', async () => {
    const rover = await startRover(api, 'low-battery', { ...HOME, battery_level: 21 });
    const far = { mission_name: 'far', waypoints: [{ ...WAYPOINT, lat: HOME.latitude + 0.1 }] };
    const { status, body } = await api.post(`${rover.path}/missions`, far);
    assert.deepEqual([status, body.error.code], [422, 'mission_infeasible']);
    assert.match(body.error.message, /needs [\d.]+ % .* [\d.]+ m back.*20 % in reserve; there is 21 %/);
    await rover.leave();
  });

  test('the preflight shows the numbers and the same refusal, and creates nothing', async () => {
    const rover = await startRover(api, 'preflight', { ...HOME, battery_level: 21 });
    const preflight = async (waypoints: unknown) =>
      await api.post(`${rover.path}/missions/preflight`, { waypoints });
    const near = await preflight([WAYPOINT]);
    assert.equal(near.status, 200, near.text);
    assert.equal(near.body.data.refusal, null);
    assert.equal(near.body.data.preflight.legs.length, 1);
    const waypoints = [{ ...WAYPOINT, lat: HOME.latitude + 0.1 }];
    const { data: far } = (await preflight(waypoints)).body;
    const { error } = (await api.post(`${rover.path}/missions`, { mission_name: 'far', waypoints })).body;
    assert.deepEqual([far.refusal.code, far.refusal.message], [error.code, error.message]);
    assert.ok(far.preflight.battery_required > 21 && far.preflight.battery_available === 21);
    assert.equal((await preflight([])).body.error.code, 'invalid_input');
    assert.equal((await preflight([{ ...WAYPOINT, lat: 91 }])).status, 400);
    assert.deepEqual((await api.get(`${rover.path}/missions`)).body.data, []);
    await rover.leave();
  });

  test('because a waypoint is outside the geofence', async () => {
    const rover = await startRover(api, 'fenced');
    const [lat, lng] = [HOME.latitude, HOME.longitude];
    const corner = (north: number, east: number) => ({ lat: lat + north, lng: lng + east });
    const geofence = [corner(-0.01, -0.01), corner(-0.01, 0.01), corner(0.01, 0.01), corner(0.01, -0.01)];
    await api.put(`${rover.path}/config`, { geofence });
    const waypoints = [WAYPOINT, { ...WAYPOINT, lat: lat + 0.02 }];
    const { status, body } = await api.post(`${rover.path}/missions`, { mission_name: 'out', waypoints });
    assert.deepEqual([status, body.error.code], [422, 'outside_geofence']);
    assert.equal(body.error.details[0].path, '/waypoints/1');
    assert.equal((await api.post(`${rover.path}/missions`, TWO_WAYPOINTS)).status, 200);
    await rover.leave();
  });

  test('because of another mission at that time', async () => {
    const rover = await startRover(api, 'busy');
    const post = (body: unknown) => api.post(`${rover.path}/missions`, body);
    assert.deepEqual(
      [(await post(missionInHours(1))).status, (await post(missionInHours(5))).status],
      [200, 200],
    );
    const overlapping = await post(missionInHours(1));
    assert.deepEqual([overlapping.status, overlapping.body.error.code], [409, 'mission_in_progress']);
    const race = await Promise.all(Array.from({ length: 6 }, () => post(TWO_WAYPOINTS)));
    assert.deepEqual(race.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409]);
    await rover.leave();
  });

  test('because the device is offline, in maintenance, or has not reported its position', async () => {
    const silent = await startRover(api, 'silent', null);
    const rover = await startRover(api, 'offline');
    const refusal = async (path: string, mission: object = TWO_WAYPOINTS) =>
      (await api.post(`${path}/missions`, mission)).body.error?.code;
    assert.equal(await refusal(silent.path), 'reading_stale');
    await rover.publish('status', { state: 'maintenance' });
    assert.equal(await refusal(rover.path), 'device_in_maintenance');
    await rover.leave();
    await eventually(async () => (await api.get(rover.path)).body.data.status, 'offline');
    assert.equal(await refusal(rover.path), 'device_offline');
    assert.equal(await refusal(rover.path, missionInHours(1)), undefined);
    assert.equal(await refusal('/v1/fielddevice/devices/unknown'), 'device_not_found');
    await silent.leave();
  });
});
