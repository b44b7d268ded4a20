import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MOTION_EXPIRY_MS, REPORT_SPACING_MS } from '@granary/core/jobs/polling';
import { START_ANSWER_MS_MAX } from '@granary/core/missions/steps';
import { TestClock } from '@granary/testing/server/clock';
import { HOME, type ScriptedRover, startRover } from '@granary/testing/server/devices/scripted-rover';
import { eventually } from '@granary/testing/server/eventually';
import { dispatched, running } from '@granary/testing/server/missions';
import { type Api, describeService } from '@granary/testing/server/service';

const alertTypes = async (api: Api, rover: ScriptedRover): Promise<string> =>
  (await api.get(`${rover.path}/alerts`)).body.data.map(({ type }: { type: string }) => type).join();

describeService('missions that fail', (api) => {
  test('the device refuses the upload', async () => {
    const rover = await startRover(api, 'refusing');
    const { id, mission } = await dispatched(api, rover);
    await rover.ack({ mission_id: id, accepted: false, reason: 'no tyres' });
    const { status, result } = await mission.get();
    assert.deepEqual(
      [status, result],
      [
        'failed',
        {
          reason: 'refused',
          message: 'no tyres',
          message_code: 'device_said',
          message_values: { words: 'no tyres' },
        },
      ],
    );
    await eventually(() => alertTypes(api, rover), 'mission_failed');
    await rover.leave();
  });

  test('a waypoint is skipped, and reports arrive in the wrong order', async () => {
    const rover = await startRover(api, 'skipping');
    const { id, mission } = await running(api, rover);
    const tsMs = Date.now() + 1_000;
    const report = (offsetMs: number, state: string, index: number, waypoint: string) =>
      rover.publish('progress', {
        mission_id: id,
        state,
        waypoints: [{ index, state: waypoint }],
        ts: tsMs + offsetMs,
      });
    await report(20, 'running', 1, 'reached');
    await report(10, 'running', 1, 'active');
    assert.deepEqual(await mission.waypoints(), ['pending', 'reached']);
    await report(30, 'completed', 0, 'skipped');
    await report(25, 'running', 0, 'active');
    assert.equal(await mission.status(), 'completed');
    assert.deepEqual(await mission.waypoints(), ['skipped', 'reached']);
    await rover.leave();
  });

  test('a waypoint that the mission does not have changes nothing', async () => {
    const rover = await startRover(api, 'unknown-waypoint');
    const { id, mission } = await running(api, rover);
    await rover.missionProgress({
      mission_id: id,
      state: 'running',
      waypoints: [{ index: 7, state: 'reached' }],
    });
    assert.deepEqual(await mission.waypoints(), ['pending', 'pending']);
    await rover.leave();
  });

  test('the device loses its connection and its memory during the mission', async () => {
    const rover = await startRover(api, 'losing-memory');
    await api.put(`${rover.path}/config`, { reporting: { offline_delay_s: 0 } });
    const { id, mission } = await running(api, rover);
    await rover.missionProgress({
      mission_id: id,
      state: 'running',
      waypoints: [{ index: 0, state: 'reached' }],
    });
    await rover.dropConnection();
    await eventually(async () => (await mission.get()).link_lost_at !== null, true);
    assert.deepEqual(
      [await mission.status(), (await mission.get()).link_loss_action],
      ['in_progress', 'hold'],
    );
    await eventually(() => alertTypes(api, rover), 'device_offline');
    await rover.reconnect();
    await rover.report({ battery_level: 40 });
    await rover.missionProgress({ mission_id: id, state: 'unknown' });
    const { status, result, link_lost_at } = await mission.get();
    assert.deepEqual([status, result.reason, link_lost_at], ['failed', 'forgotten', null]);
    assert.deepEqual(await mission.waypoints(), ['reached', 'skipped']);
    assert.equal(rover.commands.filter(({ command }) => command === 'mission_upload').length, 1);
    await rover.leave();
  });

  test('the device ends the mission by itself', async () => {
    const rover = await startRover(api, 'aborting');
    const { id, mission } = await running(api, rover);
    await rover.missionProgress({ mission_id: id, state: 'aborted', reason: 'low battery' });
    const { status, result } = await mission.get();
    assert.deepEqual(
      [status, result],
      [
        'aborted',
        {
          reason: 'ended_by_device',
          message: 'low battery',
          message_code: 'device_said',
          message_values: { words: 'low battery' },
        },
      ],
    );
    await eventually(() => alertTypes(api, rover), 'mission_failed');
    await rover.leave();
  });

  test('a cancelled mission that the device reports as running is cancelled again', async () => {
    const rover = await startRover(api, 'running-again');
    const { id, mission } = await running(api, rover);
    await mission.request('cancel');
    await rover.take('mission_cancel');
    await rover.missionProgress({ mission_id: id, state: 'aborted' });
    assert.equal(await mission.status(), 'cancelled');
    await rover.missionProgress({ mission_id: id, state: 'running' });
    await rover.take('mission_cancel');
    assert.deepEqual([await mission.status(), (await mission.get()).requested], ['in_progress', 'cancel']);
    await rover.missionProgress({ mission_id: id, state: 'aborted' });
    assert.equal(await mission.status(), 'cancelled');
    await rover.leave();
  });

  test('an upload that is accepted after the cancellation is cancelled at the device', async () => {
    const rover = await startRover(api, 'late');
    const { id, mission } = await dispatched(api, rover);
    assert.equal((await mission.request('cancel')).body.data.status, 'cancelled');
    await rover.take('mission_cancel');
    await rover.ack({ mission_id: id, accepted: true });
    await rover.take('mission_cancel');
    assert.equal(await mission.status(), 'cancelled');
    await rover.leave();
  });

  test('reports about missions of other devices and unknown missions are rejected and listed', async () => {
    const rover = await startRover(api, 'with-mission');
    const other = await startRover(api, 'other-device');
    const { id, mission } = await running(api, rover);
    await other.missionProgress({ mission_id: id, state: 'completed' });
    await other.ack({ mission_id: 'ms_none', accepted: true });
    await other.publish('progress', { mission_id: id, state: 'flying', ts: 1 });
    const { total, recent } = (await api.get(`${other.path}/rejections`)).body.data;
    assert.equal(total, 3);
    assert.match(recent[2].reason, /no such mission/);
    assert.equal(await mission.status(), 'in_progress');
    await rover.leave();
    await other.leave();
  });

  test('an emergency stop ends the running mission', async () => {
    const rover = await startRover(api, 'emergency-stopped');
    const { id, mission } = await running(api, rover);
    assert.equal((await api.post(`${rover.path}/remote/command`, { command: 'emergency_stop' })).status, 200);
    await rover.take('execute');
    await rover.take('mission_cancel');
    await rover.missionProgress({ mission_id: id, state: 'aborted', reason: 'emergency stop' });
    const { status, result } = await mission.get();
    assert.deepEqual([status, result.reason], ['aborted', 'emergency_stop']);
    await rover.leave();
  });
});

const clock = new TestClock();

describeService(
  'a mission whose device does not answer',
  (api) => {
    after(() => clock.reset());

    test('an upload without an acknowledgement is repeated; a start is not, and raises an alert', async () => {
      const rover = await startRover(api, 'not-answering');
      const { id, mission } = await dispatched(api, rover);
      assert.equal((await rover.take('mission_upload')).mission_id, id);
      await rover.ack({ mission_id: id, accepted: true });
      const { expires_at } = await rover.take('mission_start');
      assert.ok(Date.parse(expires_at) <= clock.now() + MOTION_EXPIRY_MS);
      for (let time = 0; time < 2; time++) {
        clock.pass(REPORT_SPACING_MS);
        await rover.take('report');
      }
      assert.match(
        (await mission.get()).status_detail,
        /was told to start at .* has not reported that it began/,
      );
      await rover.report({ ...HOME, battery_level: 100 });
      clock.pass(REPORT_SPACING_MS);
      await rover.take('report');
      clock.pass(START_ANSWER_MS_MAX);
      await eventually(() => alertTypes(api, rover), 'mission_failed');
      await rover.missionProgress({ mission_id: id, state: 'uploaded' });
      const { status, result } = await mission.get();
      assert.deepEqual([status, result.reason], ['missed', 'not_started']);
      await rover.take('mission_cancel');
      assert.equal(rover.commands.filter(({ command }) => command === 'mission_start').length, 1);
      await rover.leave();
    });
  },
  {},
  { now: clock.now },
);
