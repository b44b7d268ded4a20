import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WAYPOINTS_MAX } from '@granary/contract/missions';
import { START_MS, TWO_WAYPOINT_PLAN } from '@granary/testing/core/missions';
import { missionEvents } from './events.ts';
import { beginMission, type MissionState } from './state.ts';
import { advanceMission } from './transitions.ts';

const EVENT_BYTES_MAX = 2_048;

const scheduled = beginMission(
  {
    missionId: `ms_${'1'.repeat(26)}`,
    deviceNo: 1,
    name: 'n'.repeat(200),
    plan: { ...TWO_WAYPOINT_PLAN, waypoints: Array(WAYPOINTS_MAX).fill({ lat: 1, lng: 2, action: 'scan' }) },
  },
  START_MS,
);
const running: MissionState = { ...scheduled, status: 'in_progress', startSentAtMs: START_MS };

const reported = (state: 'running' | 'failed', count: number, reason: string | null = null) =>
  advanceMission(
    running,
    {
      kind: 'progress',
      state,
      waypoints: Array.from({ length: count }, (_, index) => ({
        index,
        state: 'reached' as const,
        reached_at: START_MS,
        action_result: 'succeeded' as const,
      })),
      reason,
      tsMs: START_MS,
    },
    START_MS,
  ).mission;

const typesOf = (before: MissionState | null, after: MissionState) =>
  missionEvents(before, after).map(({ type }) => type);

describe('the events of a mission', () => {
  it('contain a changed status only where the status changed', () => {
    assert.deepEqual(typesOf(null, scheduled), ['mission.status_changed']);
    assert.deepEqual(typesOf(scheduled, running), ['mission.status_changed']);
    assert.deepEqual(typesOf(running, { ...running, requested: 'pause' }), ['mission.updated']);
    assert.deepEqual(typesOf(running, { ...running, linkLostAtMs: START_MS }), ['mission.updated']);
    assert.deepEqual(typesOf(running, reported('running', 1)), ['mission.waypoint_changed']);
    assert.deepEqual(typesOf(running, reported('failed', 1)), [
      'mission.status_changed',
      'mission.waypoint_changed',
    ]);
    assert.deepEqual(typesOf(running, { ...running, lastHeardAtMs: START_MS }), []);
  });

  it('contain only what changed', () => {
    const [event] = missionEvents(running, reported('running', 1));
    assert.deepEqual(event?.data, {
      mission_id: running.missionId,
      status: 'in_progress',
      waypoints_reached: 1,
      waypoints_total: WAYPOINTS_MAX,
      waypoints_changed: 1,
      waypoints: [
        { index: 0, status: 'reached', reached_at: '2001-09-09T01:46:40.000Z', action_result: 'succeeded' },
      ],
    });
  });

  it('stay below two kilobytes, with 500 waypoints and the longest reason', () => {
    const after = reported('failed', WAYPOINTS_MAX, '\u{1F69C}'.repeat(250));
    for (const { data } of missionEvents(running, after)) {
      assert.ok(Buffer.byteLength(JSON.stringify(data)) < EVENT_BYTES_MAX);
    }
  });
});
