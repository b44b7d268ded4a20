import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { MissionProgress } from '@granary/contract/link/field-messages';
import type { MissionRequestKind } from '@granary/contract/missions';
import { HOUR_MS, SECOND_MS } from '@granary/contract/time';
import { MISSIONS_AHEAD_MAX } from '@granary/core/missions/planning/plan';
import { HALT_CONFIRMATION_MS_MAX } from '@granary/core/missions/steps';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  eventsOfDevice,
  isRefusal,
  locate,
  missionAt,
  NOW_MS,
  newId,
  readyFieldDevice,
  readySilo,
  tickDue,
} from '@granary/testing/app/fixtures';
import { effectsDuring, sentIn } from '@granary/testing/app/recorded-effects';
import type { App } from '../app.ts';
import type { MissionPage } from './missions.ts';

describeEachEngine('missions', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  const create = (deviceNo: number, startMs: number, missionId = newId('ms'), at = app) =>
    at.missions.create({
      deviceNo,
      missionId,
      mission: missionAt(startMs),
      isReachable: true,
      nowMs: NOW_MS,
    });

  /** Creates a mission that starts now and is sent to its device, which accepts it. */
  async function dispatched(deviceNo: number): Promise<string> {
    const { missionId } = await create(deviceNo, NOW_MS);
    await tickDue(app, 'field', NOW_MS);
    const ack = { mission_id: missionId, accepted: true };
    await app.missions.acknowledged({ deviceNo, ack, nowMs: NOW_MS });
    return missionId;
  }

  const report = (deviceNo: number, missionId: string, progress: Partial<MissionProgress>, nowMs = NOW_MS) =>
    app.missions.progressed({
      deviceNo,
      progress: { mission_id: missionId, state: 'running', ts: nowMs, ...progress },
      nowMs,
    });

  const control = (deviceNo: number, missionId: string, request: MissionRequestKind) =>
    app.missions.control({ deviceNo, missionId, control: request, isReachable: true, nowMs: NOW_MS });

  const missionEvents = async (deviceNo: number): Promise<unknown[]> =>
    (await eventsOfDevice(app, deviceNo))
      .filter(({ type }) => type.startsWith('mission.'))
      .map(({ type, data }) => `${type.slice('mission.'.length)} ${data['status']}`);

  it('are stored with their preflight, and wait for their start time', async () => {
    const deviceNo = await readyFieldDevice(app);
    const mission = await create(deviceNo, NOW_MS + HOUR_MS);
    assert.equal(mission.status, 'scheduled');
    assert.equal(mission.plan.preflight.legs.length, 2);
    assert.deepEqual(await app.missions.find(deviceNo, mission.missionId), mission);
    assert.deepEqual(await missionEvents(deviceNo), ['status_changed scheduled']);
  });

  it('are neither stored nor logged when they are refused', async () => {
    const deviceNo = await readyFieldDevice(app);
    await locate(app, deviceNo, { battery: 20 }, NOW_MS + 1);
    const missionId = newId('ms');
    await assert.rejects(create(deviceNo, NOW_MS, missionId), isRefusal('mission_infeasible'));
    assert.equal(await app.missions.find(deviceNo, missionId), undefined);
    assert.deepEqual(await missionEvents(deviceNo), []);
    await assert.rejects(create(await readySilo(app), NOW_MS), isRefusal('not_supported'));
  });

  describe('of a device whose base is removed', () => {
    const base = { latitude: 52, longitude: 13, altitude: 40 };
    const home = { base, failsafe: { link_loss_action: 'return_to_base' } } as const;
    const away = { base: null, failsafe: { link_loss_action: 'hold' } } as const;

    it('hold when the link is lost, if they were not sent yet', async () => {
      const deviceNo = await readyFieldDevice(app);
      await app.configuration.change(deviceNo, home, NOW_MS);
      const { missionId, plan } = await create(deviceNo, NOW_MS + HOUR_MS);
      assert.equal(plan.linkLossAction, 'return_to_base');
      await app.configuration.change(deviceNo, away, NOW_MS);
      const changed = await app.missions.find(deviceNo, missionId);
      assert.equal(changed?.plan.linkLossAction, 'hold');
      assert.deepEqual(await missionEvents(deviceNo), ['status_changed scheduled', 'updated scheduled']);
      await locate(app, deviceNo, {}, NOW_MS + HOUR_MS);
      const { sends } = await tickDue(app, 'field', NOW_MS + HOUR_MS);
      const [upload] = sends.flatMap(({ message }) =>
        message.command === 'mission_upload' ? [message] : [],
      );
      assert.equal(upload?.link_loss_action, 'hold');
    });

    it('keep the base while they are under way', async () => {
      const deviceNo = await readyFieldDevice(app);
      await app.configuration.change(deviceNo, home, NOW_MS);
      const missionId = await dispatched(deviceNo);
      await assert.rejects(app.configuration.change(deviceNo, away, NOW_MS), isRefusal('no_base'));
      const kept = await app.configuration.get(deviceNo);
      assert.deepEqual(kept?.configuration, { ...kept?.configuration, base });
      await report(deviceNo, missionId, { state: 'completed' });
      await app.configuration.change(deviceNo, away, NOW_MS);
    });
  });

  it('never overlap, however many are created at once', async () => {
    const deviceNo = await readyFieldDevice(app);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) =>
        create(deviceNo, NOW_MS + n * SECOND_MS, newId('ms'), n % 2 ? app : other),
      ),
    );
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    assert.equal(refused.length, 39);
    assert(refused.every(isRefusal('mission_in_progress')));
    await create(deviceNo, NOW_MS + HOUR_MS);
    assert.equal((await missionEvents(deviceNo)).length, 2);
  });

  it('follow the device through their waypoints, in whatever order it reports them', async () => {
    const deviceNo = await readyFieldDevice(app);
    const missionId = await dispatched(deviceNo);
    await report(deviceNo, missionId, { waypoints: [{ index: 1, state: 'reached' }] }, NOW_MS + 2);
    const late = [{ index: 0, state: 'reached', action_result: 'succeeded' }] as const;
    await report(deviceNo, missionId, { waypoints: [...late] }, NOW_MS + 1);
    await report(deviceNo, missionId, { state: 'completed' }, NOW_MS + 3);
    const mission = await app.missions.find(deviceNo, missionId);
    assert.equal(mission?.status, 'completed');
    assert.deepEqual(
      mission?.waypoints.map(({ status }) => status),
      ['reached', 'reached'],
    );
    assert.deepEqual(await missionEvents(deviceNo), [
      'status_changed scheduled',
      'status_changed dispatched',
      'status_changed in_progress',
      'waypoint_changed in_progress',
      'waypoint_changed in_progress',
      'status_changed completed',
    ]);
  });

  it('are paused, resumed and cancelled in the states that allow it, and each request is sent once', async () => {
    const deviceNo = await readyFieldDevice(app);
    const missionId = await dispatched(deviceNo);
    await assert.rejects(control(deviceNo, missionId, 'pause'), isRefusal('mission_not_running'));
    await report(deviceNo, missionId, {});
    const sentBy = async (work: () => Promise<unknown>) =>
      sentIn((await effectsDuring(app, work)).effects).map(({ message }) => message);
    const pause = () => control(deviceNo, missionId, 'pause');
    assert.deepEqual(await sentBy(pause), [{ command: 'mission_pause', mission_id: missionId }]);
    assert.deepEqual(await sentBy(pause), []);
    await report(deviceNo, missionId, { state: 'paused' });
    assert.equal((await control(deviceNo, missionId, 'resume'))?.mission.requested, 'resume');
    const cancel = () => control(deviceNo, missionId, 'cancel');
    assert.equal((await sentBy(() => Promise.all([cancel(), cancel(), cancel()]))).length, 1);
    await report(deviceNo, missionId, { state: 'aborted' });
    const again = await effectsDuring(app, cancel);
    assert.deepEqual([again.result?.mission.status, sentIn(again.effects)], ['cancelled', []]);
    assert.equal(await control(await readyFieldDevice(app), missionId, 'cancel'), undefined);
  });

  it('claim their device: the database itself refuses a second claim', async () => {
    const deviceNo = await readyFieldDevice(app);
    await dispatched(deviceNo);
    const { missionId } = await create(deviceNo, NOW_MS + HOUR_MS);
    const claim = `UPDATE missions SET claims_device = 1 WHERE mission_id = '${missionId}'`;
    await assert.rejects(engine.query(claim), /unique/i);
  });

  it('raise an alert when the device still reports running some time after the cancellation', async () => {
    const deviceNo = await readyFieldDevice(app);
    const missionId = await dispatched(deviceNo);
    await report(deviceNo, missionId, {});
    await control(deviceNo, missionId, 'cancel');
    const dueMs = NOW_MS + HALT_CONFIRMATION_MS_MAX;
    await report(deviceNo, missionId, {}, dueMs - SECOND_MS);
    // The cancellation is sent again, but the time limit counts from the first one.
    await tickDue(app, 'field', dueMs - SECOND_MS);
    const alertsAt = async (nowMs: number) => {
      await app.alerts.evaluateDue({ nowMs, limit: 1_000 });
      const open = await app.alerts.list({ deviceNo, filter: 'open', beforeAlertId: null, limit: 10 });
      return open.map(({ type, severity, cause }) => [type, severity, cause]);
    };
    assert.deepEqual(await alertsAt(dueMs - 1), []);
    assert.deepEqual(await alertsAt(dueMs), [['mission_failed', 'critical', missionId]]);
  });

  it('that the device reports as running after their end are cancelled, also while the next is under way', async () => {
    const deviceNo = await readyFieldDevice(app);
    const missionId = await dispatched(deviceNo);
    await control(deviceNo, missionId, 'cancel');
    await dispatched(deviceNo);
    const reported = await effectsDuring(app, () => report(deviceNo, missionId, {}, NOW_MS + 1));
    assert.deepEqual(reported.result, { kind: 'applied' });
    assert.deepEqual(
      sentIn(reported.effects).map(({ message }) => message),
      [{ command: 'mission_cancel', mission_id: missionId }],
    );
    assert.equal((await app.missions.find(deviceNo, missionId))?.status, 'in_progress');
  });

  it('that the device reports as running before they were sent are in progress, beside the one that was sent', async () => {
    const deviceNo = await readyFieldDevice(app);
    await dispatched(deviceNo);
    const { missionId } = await create(deviceNo, NOW_MS + HOUR_MS);
    assert.equal((await report(deviceNo, missionId, {})).kind, 'applied');
    assert.equal((await app.missions.find(deviceNo, missionId))?.status, 'in_progress');
  });

  it('of another device are an unknown reference in a report', async () => {
    const deviceNo = await readyFieldDevice(app);
    const otherDeviceNo = await readyFieldDevice(app);
    const missionId = await dispatched(deviceNo);
    assert.equal((await report(otherDeviceNo, missionId, { state: 'completed' })).kind, 'unknown_reference');
    assert.equal((await report(deviceNo, 'ms_unknown', {})).kind, 'unknown_reference');
    assert.equal((await app.missions.find(deviceNo, missionId))?.status, 'dispatched');
    assert.equal(await app.missions.find(otherDeviceNo, missionId), undefined);
  });

  it('are cancelled by an emergency stop, and missed while it is in force', async () => {
    const deviceNo = await readyFieldDevice(app);
    const running = await dispatched(deviceNo);
    await report(deviceNo, running, {});
    const { missionId: later } = await create(deviceNo, NOW_MS + HOUR_MS);
    const request = { command: 'emergency_stop' } as const;
    const stop = { deviceNo, commandId: `cmd_${running}`, request, isReachable: true };
    await app.commands.issue({ ...stop, nowMs: NOW_MS });
    assert.equal((await app.missions.find(deviceNo, running))?.requested, 'cancel');
    assert.equal((await app.missions.find(deviceNo, later))?.status, 'scheduled');
    await report(deviceNo, running, { state: 'aborted' }, NOW_MS + 1);
    assert.equal((await app.missions.find(deviceNo, running))?.result?.reason, 'emergency_stop');
    await assert.rejects(create(deviceNo, NOW_MS + 2 * HOUR_MS), isRefusal('emergency_stop_active'));
    await tickDue(app, 'field', NOW_MS + HOUR_MS);
    const missed = await app.missions.find(deviceNo, later);
    assert.deepEqual([missed?.status, missed?.result?.reason], ['missed', 'emergency_stop_active']);
  });

  it('are not resumed while an emergency stop is in force, or while the device is not reachable', async () => {
    const deviceNo = await readyFieldDevice(app);
    const missionId = await dispatched(deviceNo);
    await report(deviceNo, missionId, { state: 'paused' });
    const resume = { deviceNo, missionId, control: 'resume', nowMs: NOW_MS } as const;
    await assert.rejects(
      app.missions.control({ ...resume, isReachable: false }),
      isRefusal('device_offline'),
    );
    const unsent = { deviceNo, missionId, send: 'resume', nowMs: NOW_MS } as const;
    await app.missions.control({ ...resume, isReachable: true });
    await app.missions.notSent(unsent);
    const withdrawn = await app.missions.find(deviceNo, missionId);
    assert.deepEqual([withdrawn?.status, withdrawn?.requested], ['paused', null]);
    const request = { command: 'emergency_stop' } as const;
    const stop = { deviceNo, commandId: `cmd_${missionId}`, request, isReachable: true };
    await app.commands.issue({ ...stop, nowMs: NOW_MS });
    await assert.rejects(
      app.missions.control({ ...resume, isReachable: true }),
      isRefusal('mission_not_running'),
    );
  });

  it('whose start was not sent have failed for that reason', async () => {
    const deviceNo = await readyFieldDevice(app);
    const missionId = await dispatched(deviceNo);
    await tickDue(app, 'field', NOW_MS);
    const unsent = { deviceNo, missionId, send: 'start', nowMs: NOW_MS } as const;
    await app.missions.notSent(unsent);
    const mission = await app.missions.find(deviceNo, missionId);
    assert.deepEqual([mission?.status, mission?.result?.reason], ['failed', 'not_sent']);
  });

  it('are previewed by the decision of their creation, and nothing is stored', async () => {
    const deviceNo = await readyFieldDevice(app);
    const preview = (startMs: number, nowMs = NOW_MS) => {
      const { mission_name: _, ...mission } = missionAt(startMs);
      return app.missions.preflight({ deviceNo, mission, isReachable: true, shiftMs: 8 * HOUR_MS, nowMs });
    };
    const before = await preview(NOW_MS + HOUR_MS);
    assert.equal(before.refusal, null);
    assert.deepEqual(await missionEvents(deviceNo), []);
    const created = await create(deviceNo, NOW_MS + HOUR_MS);
    assert.deepEqual(before.preflight, created.plan.preflight);
    const again = await preview(NOW_MS + HOUR_MS);
    assert.equal(again.refusal?.code, 'mission_in_progress');
    assert.deepEqual(again.preflight, before.preflight);
    const silo = await readySilo(app);
    const ofSilo = { ...missionAt(NOW_MS), deviceNo: silo };
    await assert.rejects(
      app.missions.preflight({
        deviceNo: silo,
        mission: ofSilo,
        isReachable: true,
        shiftMs: 8 * HOUR_MS,
        nowMs: NOW_MS,
      }),
      isRefusal('not_supported'),
    );
  });

  it('are limited in number, and listed newest first', async () => {
    const deviceNo = await readyFieldDevice(app);
    const ids: string[] = [];
    for (let n = 1; n <= MISSIONS_AHEAD_MAX; n++) {
      ids.unshift((await create(deviceNo, NOW_MS + n * HOUR_MS)).missionId);
    }
    await assert.rejects(create(deviceNo, NOW_MS + 1_000 * HOUR_MS), isRefusal('mission_in_progress'));
    await control(deviceNo, ids[0] ?? '', 'cancel');
    const list = async (filter: Partial<MissionPage>) => {
      const page = { deviceNo, status: null, beforeMissionId: null, limit: 3, ...filter };
      return (await app.missions.list(page)).map(({ missionId }) => missionId);
    };
    assert.deepEqual(await list({}), ids.slice(0, 3));
    assert.deepEqual(await list({ status: 'cancelled' }), ids.slice(0, 1));
    assert.deepEqual(await list({ beforeMissionId: ids[2] ?? '' }), ids.slice(3, 6));
  });
});
