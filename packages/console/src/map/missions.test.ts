import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WaypointStatus } from '@granary/contract/missions';
import { loadTexts } from '@granary/words/languages';
import { missionPath, missionStatus } from './vehicles.ts';

const { missions } = (await loadTexts('en')).page;
const VEHICLE = { lat: 9, lng: 9 };
const waypoints = (...statuses: WaypointStatus[]) =>
  statuses.map((status, lat) => ({
    lat,
    lng: 0,
    action: 'scan' as const,
    status,
    reached_at: null,
    action_result: null,
  }));
const lats = (points: readonly { readonly lat: number }[]): number[] => points.map(({ lat }) => lat);

test('while a mission is under way the vehicle is between what is done and what is left', () => {
  const mission = {
    status: 'in_progress' as const,
    waypoints: waypoints('reached', 'skipped', 'reached', 'active'),
  };
  const { done, left } = missionPath(mission, VEHICLE);
  assert.deepEqual(
    [lats(done), lats(left)],
    [
      [0, 2, 9],
      [9, 3],
    ],
  );
});

test('before the first waypoint nothing is done', () => {
  const mission = { status: 'in_progress' as const, waypoints: waypoints('active', 'pending') };
  const { done, left } = missionPath(mission, VEHICLE);
  assert.deepEqual([lats(done), lats(left)], [[], [9, 0, 1]]);
});

test('after its end the vehicle is no part of it', () => {
  const mission = { status: 'aborted' as const, waypoints: waypoints('reached', 'pending') };
  const { done, left } = missionPath(mission, VEHICLE);
  assert.deepEqual([lats(done), lats(left)], [[0], [0, 1]]);
  assert.deepEqual(lats(missionPath(mission, null).left), [0, 1]);
});

test('a mission that an emergency stop ended says so', () => {
  const statusOf = (reason: 'emergency_stop' | 'ended_by_device'): string =>
    missionStatus(
      { status: 'aborted', result: { reason, message: '', message_code: 'ended_early', message_values: {} } },
      missions,
    );
  assert.deepEqual(
    [statusOf('emergency_stop'), statusOf('ended_by_device')],
    ['Ended by an emergency stop', 'Aborted by the vehicle'],
  );
});
