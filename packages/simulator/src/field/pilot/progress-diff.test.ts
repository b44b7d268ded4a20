import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  after,
  command,
  missionControl,
  moveTo,
  pilotAtHome,
  SHORT_WAY,
  upload,
} from '@granary/testing/simulator/field';
import { acceptUpload, control } from '../field-controller.ts';
import { execute } from './commands.ts';
import type { Pilot } from './pilot.ts';
import { changedProgress, heartbeatOf, mergeProgress } from './progress-diff.ts';

const onMission = () =>
  control(acceptUpload(pilotAtHome(), upload(SHORT_WAY)).pilot, missionControl('start'));
const reportedWaypoints = (before: Pilot, later: Pilot) =>
  changedProgress(before, later).flatMap((report) => ('waypoints' in report ? (report.waypoints ?? []) : []));

test('an unchanged job has no changed progress, but a heartbeat', () => {
  const moving = execute(pilotAtHome(), moveTo(60, 0)).pilot;
  const later = after(2, moving);
  assert.deepEqual(changedProgress(moving, later), []);
  assert.deepEqual(heartbeatOf(later), [
    { command_id: 'cmd_move', state: 'executing', ts: later.body.timeMs },
  ]);
  const away = after(1, onMission());
  assert.deepEqual(heartbeatOf(away), [
    { mission_id: 'ms_1', state: 'running', waypoints: [], ts: away.body.timeMs },
  ]);
});

test('an idle device has no reports, also when a mission waits for its start', () => {
  assert.deepEqual(heartbeatOf(pilotAtHome()), []);
  assert.deepEqual(heartbeatOf(acceptUpload(pilotAtHome(), upload(SHORT_WAY)).pilot), []);
});

test('every command that ended is reported', () => {
  const held = execute(after(2, execute(pilotAtHome(), moveTo(60, 0)).pilot), command('hold')).pilot;
  const stopped = execute(held, command('emergency_stop')).pilot;
  assert.deepEqual(
    changedProgress(held, stopped).map((report) => [
      'command_id' in report && report.command_id,
      report.state,
    ]),
    [
      ['cmd_hold', 'cancelled'],
      ['cmd_move', 'cancelled'],
    ],
  );
});

test('of a mission the changed waypoints and the end are reported', () => {
  const away = onMission();
  const first = after(6.5, away);
  assert.deepEqual(
    reportedWaypoints(away, first).map(({ index, state }) => [index, state]),
    [[0, 'reached']],
  );
  const done = after(30, first);
  const [report] = changedProgress(first, done);
  assert.equal(report?.state, 'completed');
  assert.deepEqual(
    reportedWaypoints(first, done).map(({ index, action_result }) => [index, action_result]),
    [
      [0, 'succeeded'],
      [1, 'succeeded'],
    ],
  );
});

test('two merged reports of one mission contain the waypoints of both, and the newer state where they differ', () => {
  const [a, b] = [0, 1].map((index) => ({ index, state: 'active' }) as const);
  assert.ok(a && b);
  const reached = { ...a, state: 'reached' } as const;
  const older = { mission_id: 'ms_1', state: 'running', waypoints: [a], ts: 1 } as const;
  const newer = { mission_id: 'ms_1', state: 'paused', waypoints: [reached, b], ts: 2 } as const;
  const mutable = (report: typeof older | typeof newer) => ({ ...report, waypoints: [...report.waypoints] });
  assert.deepEqual(mergeProgress(mutable(older), mutable(newer)), { ...newer, waypoints: [reached, b] });
  assert.deepEqual(mergeProgress(mutable(newer), mutable({ ...older, waypoints: [a] })), {
    ...older,
    waypoints: [a, b],
  });
  assert.equal(mergeProgress(mutable(older), { ...mutable(newer), mission_id: 'ms_2' }), null);
  assert.equal(mergeProgress(mutable(older), { command_id: 'ms_1', state: 'failed', ts: 3 }), null);
});
