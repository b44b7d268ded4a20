import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WaypointProgress } from '@granary/contract/link/field-messages';
import { WAYPOINT_ACTIONS, type WaypointAction } from '@granary/contract/missions';
import { START_MS, type Stop, upload } from '@granary/testing/simulator/field';
import fc from 'fast-check';
import {
  isDone,
  isHalfDone,
  type MissionRun,
  nextStop,
  pauseRun,
  proceedRun,
  resumeRun,
  setOut,
  uploadedRun,
} from './mission-machine.ts';

const stops = (...actions: WaypointAction[]): Stop[] =>
  actions.map((action, index) => ({ eastM: 10 * index, northM: 5, action }));
const states = ({ waypoints }: MissionRun) => waypoints.map(({ state }) => state);
const pass = (run: MissionRun, elapsedMs: number, isThere = false, skipsWaypoints = false) =>
  proceedRun(run, { isThere, elapsedMs, nowMs: START_MS, skipsWaypoints });
const arrive = (run: MissionRun) => pass(run, 100, true);

test('nothing happens before it starts, nor while it is paused', () => {
  const waiting = uploadedRun(upload(stops('scan')));
  assert.equal(arrive(waiting), waiting);
  assert.equal(nextStop(waiting), undefined);
  const paused = pauseRun(setOut(waiting), 'because');
  assert.equal(arrive(paused), paused);
  assert.equal(nextStop(paused), undefined);
  assert.deepEqual(resumeRun(paused), setOut(waiting));
});

test('one waypoint after the other: reached, worked at, and then the next', () => {
  const first = setOut(uploadedRun(upload(stops('scan', 'none'))));
  assert.deepEqual(states(first), ['active', 'pending']);
  assert.equal(pass(first, 60_000), first);
  const there = arrive(first);
  assert.deepEqual(there.waypoints[0], { index: 0, state: 'reached', reached_at: START_MS });
  assert.equal(nextStop(there), undefined);
  const working = pass(there, 1_900);
  assert.equal(working.waypoints, there.waypoints);
  const second = pass(working, 100);
  assert.deepEqual(second.waypoints[0]?.action_result, 'succeeded');
  assert.deepEqual(states(second), ['reached', 'active']);
  assert.equal(nextStop(second), second.upload.waypoints[1]);
  const done = pass(arrive(second), 100);
  assert.ok(isDone(done));
  assert.equal(done.waypoints[1]?.action_result, undefined);
});

const STAYS: readonly (readonly [action: WaypointAction, waitSeconds: number | undefined, stayMs: number])[] =
  [
    ['none', undefined, 0],
    ['none', 5, 5_000],
    ['photograph', undefined, 1_000],
    ['collect_sample', 2, 5_000],
    ['wait', undefined, 30_000],
    ['wait', 0, 0],
    ['wait', 90, 90_000],
  ];

for (const [action, wait_seconds, stayMs] of STAYS) {
  test(`${action} with a wait of ${wait_seconds} s takes ${stayMs} ms`, () => {
    const waypoint = { lat: 52, lng: 8, action, ...(wait_seconds === undefined ? {} : { wait_seconds }) };
    const there = arrive(setOut(uploadedRun(upload([], { waypoints: [waypoint] }))));
    assert.ok(isDone(pass(there, stayMs)));
    if (stayMs > 0) assert.ok(!isDone(pass(there, stayMs - 1)));
  });
}

test('a device with the fault skips every second waypoint, also the last', () => {
  let run = setOut(uploadedRun(upload(stops('none', 'none', 'none', 'none'))));
  while (!isDone(run)) run = pass(run, 100, true, true);
  assert.deepEqual(states(run), ['reached', 'skipped', 'reached', 'skipped']);
});

test('half-way is where half of the waypoints are done', () => {
  let run = setOut(uploadedRun(upload(stops('none', 'none', 'none', 'none'))));
  const halves: boolean[] = [];
  while (!isDone(run)) {
    halves.push(isHalfDone(run));
    run = pass(arrive(run), 0);
  }
  assert.deepEqual(halves, [false, false, true, true]);
});

const RANK: readonly WaypointProgress['state'][] = ['pending', 'active', 'skipped', 'reached'];

test('whatever happens, at most one waypoint is active and none goes back', () => {
  const happening = fc.record({
    elapsedMs: fc.nat(5_000),
    isThere: fc.boolean(),
    skipsWaypoints: fc.boolean(),
    change: fc.constantFrom('none', 'pause', 'resume'),
  });
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...WAYPOINT_ACTIONS), { minLength: 1, maxLength: 8 }),
      fc.array(happening, { maxLength: 80 }),
      (actions, happenings) => {
        let run = setOut(uploadedRun(upload(stops(...actions))));
        for (const { change, ...step } of happenings) {
          const before = run;
          if (change === 'pause') run = pauseRun(run, null);
          if (change === 'resume') run = resumeRun(run);
          run = proceedRun(run, { ...step, nowMs: START_MS });
          assert.ok(states(run).filter((state) => state === 'active').length <= 1);
          for (const [index, { state }] of run.waypoints.entries()) {
            assert.ok(RANK.indexOf(state) >= RANK.indexOf(before.waypoints[index]?.state ?? 'pending'));
          }
        }
      },
    ),
  );
});
