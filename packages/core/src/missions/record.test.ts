import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MissionState as ReportedState, WaypointProgress } from '@granary/contract/link/field-messages';
import { toIso } from '@granary/contract/time';
import { TWO_WAYPOINT_PLAN as plan, START_MS } from '@granary/testing/core/missions';
import { missionMessage, missionRecord } from './record.ts';
import { beginMission, type MissionState } from './state.ts';
import { advanceMission, type MissionInput } from './transitions.ts';

const SOON_MS = START_MS + 1_000;

const scheduled = beginMission({ missionId: 'ms_1', deviceNo: 1, name: 'round', plan }, START_MS);
const running: MissionState = {
  ...scheduled,
  status: 'in_progress',
  acceptedAtMs: START_MS,
  startSentAtMs: START_MS,
  startedAtMs: START_MS,
};

const progress = (state: ReportedState, change: object = {}): MissionInput => ({
  kind: 'progress',
  state,
  waypoints: [],
  reason: null,
  tsMs: SOON_MS,
  ...change,
});
const after = (from: MissionState, ...inputs: readonly (readonly [MissionInput, number])[]): MissionState =>
  inputs.reduce((mission, [input, nowMs]) => advanceMission(mission, input, nowMs).mission, from);

describe('the waypoints of a mission', () => {
  const told = (...waypoints: WaypointProgress[]) => progress('running', { waypoints });
  const statuses = (mission: MissionState) => missionRecord(mission).waypoints.map(({ status }) => status);

  it('go from pending to active to reached, with the result of what was done there', () => {
    const active = after(running, [told({ index: 0, state: 'active' }), SOON_MS]);
    assert.deepEqual(statuses(active), ['active', 'pending']);
    const reached = { index: 0, state: 'reached', reached_at: START_MS, action_result: 'succeeded' } as const;
    assert.deepEqual(missionRecord(after(active, [told(reached), SOON_MS])).waypoints[0], {
      lat: 1,
      lng: 2,
      action: 'scan',
      status: 'reached',
      reached_at: toIso(START_MS),
      action_result: 'succeeded',
    });
  });

  it('that a device does not report are skipped at the end, until a late report corrects that', () => {
    const completed = after(running, [
      progress('completed', { waypoints: [{ index: 1, state: 'reached' }] }),
      SOON_MS,
    ]);
    assert.deepEqual(statuses(completed), ['skipped', 'reached']);
    const late = after(completed, [
      progress('running', { tsMs: SOON_MS - 5, waypoints: [{ index: 0, state: 'reached' }] }),
      SOON_MS,
    ]);
    assert.deepEqual([late.status, ...statuses(late)], ['completed', 'reached', 'reached']);
  });

  it('whose time is no date are shown without one', () => {
    const reached = told({ index: 0, state: 'reached', reached_at: 1e18 });
    assert.equal(missionRecord(after(running, [reached, SOON_MS])).waypoints[0]?.reached_at, null);
  });

  it('that do not exist are ignored in reports', () => {
    const { waypoints } = after(running, [told({ index: 2, state: 'reached' }), SOON_MS]);
    assert.equal(waypoints, running.waypoints);
  });
});

describe('the message of a mission', () => {
  it('gives the device the whole mission at once', () => {
    assert.deepEqual(missionMessage(scheduled, 'upload'), {
      command: 'mission_upload',
      mission_id: 'ms_1',
      waypoints: plan.waypoints,
      start_at: toIso(START_MS),
      expires_at: toIso(plan.expiresAtMs),
      link_loss_action: 'hold',
    });
    assert.deepEqual(missionMessage(scheduled, 'pause'), { command: 'mission_pause', mission_id: 'ms_1' });
    assert.deepEqual(missionMessage(scheduled, 'report'), { command: 'report', mission_id: 'ms_1' });
  });
});
