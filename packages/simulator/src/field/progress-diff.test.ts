import assert from 'node:assert/strict';
import { test } from 'node:test';
import { after, command, moveTo, pilotAtHome, SHORT_WAY, told, upload } from '../testing/field.ts';
import { execute } from './commands.ts';
import { control, takeMission } from './missions/missions.ts';
import type { Pilot } from './pilot.ts';
import { changedProgress, heartbeatOf, mergeProgress } from './progress-diff.ts';

const onMission = () => control(takeMission(pilotAtHome(), upload(SHORT_WAY)).pilot, told('start'));
const waypointsTold = (before: Pilot, later: Pilot) =>
  changedProgress(before, later).flatMap((told) => ('waypoints' in told ? (told.waypoints ?? []) : []));

test('what goes on is no news, and has a pulse', () => {
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

test('an idle device has nothing to say, also when a mission waits for its start', () => {
  assert.deepEqual(heartbeatOf(pilotAtHome()), []);
  assert.deepEqual(heartbeatOf(takeMission(pilotAtHome(), upload(SHORT_WAY)).pilot), []);
});

test('every command that ended is news', () => {
  const held = execute(after(2, execute(pilotAtHome(), moveTo(60, 0)).pilot), command('hold')).pilot;
  const stopped = execute(held, command('emergency_stop')).pilot;
  assert.deepEqual(
    changedProgress(held, stopped).map((told) => ['command_id' in told && told.command_id, told.state]),
    [
      ['cmd_hold', 'cancelled'],
      ['cmd_move', 'cancelled'],
    ],
  );
});

test('of a mission the waypoints that changed are news, and how it ended', () => {
  const away = onMission();
  const first = after(6.5, away);
  assert.deepEqual(
    waypointsTold(away, first).map(({ index, state }) => [index, state]),
    [[0, 'reached']],
  );
  const done = after(30, first);
  const [told] = changedProgress(first, done);
  assert.equal(told?.state, 'completed');
  assert.deepEqual(
    waypointsTold(first, done).map(({ index, action_result }) => [index, action_result]),
    [
      [0, 'succeeded'],
      [1, 'succeeded'],
    ],
  );
});

test('two reports on one mission say together what each said of its waypoints, the newer first of all', () => {
  const [a, b] = [0, 1].map((index) => ({ index, state: 'active' }) as const);
  assert.ok(a && b);
  const reached = { ...a, state: 'reached' } as const;
  const older = { mission_id: 'ms_1', state: 'running', waypoints: [a], ts: 1 } as const;
  const newer = { mission_id: 'ms_1', state: 'paused', waypoints: [reached, b], ts: 2 } as const;
  const mutable = (told: typeof older | typeof newer) => ({ ...told, waypoints: [...told.waypoints] });
  assert.deepEqual(mergeProgress(mutable(older), mutable(newer)), { ...newer, waypoints: [reached, b] });
  assert.deepEqual(mergeProgress(mutable(newer), mutable({ ...older, waypoints: [a] })), {
    ...older,
    waypoints: [a, b],
  });
  assert.equal(mergeProgress(mutable(older), { ...mutable(newer), mission_id: 'ms_2' }), null);
  assert.equal(mergeProgress(mutable(older), { command_id: 'ms_1', state: 'failed', ts: 3 }), null);
});
