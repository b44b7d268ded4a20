import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND_MS } from '@granary/contract/time';
import {
  after,
  command,
  DRONE_UNIT,
  missionControl,
  moveTo,
  pilotAtHome,
  ROVER_UNIT,
  SHORT_WAY,
  START_MS,
  upload,
} from '@granary/testing/simulator/field';
import { acceptUpload, control } from './field-controller.ts';
import { interruptedIn, isFieldMemory, memoryOf, powerUp } from './memory.ts';
import { execute } from './pilot/commands.ts';
import { commandProgress, missionProgress, type Pilot } from './pilot/pilot.ts';
import { isAirborne } from './vehicle/drive.ts';
import { apartM } from './vehicle/ground.ts';

const LATER_MS = START_MS + 100 * SECOND_MS;

/** The state after it was written to the file and read back. */
function restarted(pilot: Pilot, unit = ROVER_UNIT): Pilot {
  const memory: unknown = JSON.parse(JSON.stringify(memoryOf(unit, pilot)));
  assert.ok(isFieldMemory(memory));
  return powerUp(unit, memory, LATER_MS);
}

const onMission = () =>
  control(acceptUpload(pilotAtHome(), upload(SHORT_WAY)).pilot, missionControl('start'));

test('place, battery and load are as they were left, and nothing moves', () => {
  const before = after(10, execute(pilotAtHome(), moveTo(60, 10)).pilot);
  const again = restarted({ ...before, body: { ...before.body, payloadKg: 1.5 } });
  assert.ok(apartM(again.body, before.body) < 1e-3);
  assert.deepEqual(
    [again.body.batteryPercent, again.body.payloadKg, again.body.speedMS],
    [before.body.batteryPercent, 1.5, 0],
  );
  assert.equal(apartM(after(60, again).body, again.body), 0);
  assert.deepEqual(again.configuration, before.configuration);
});

test('jobs under way have failed, and are listed as interrupted', () => {
  const moving = after(5, execute(pilotAtHome(), moveTo(60, 10)).pilot);
  assert.deepEqual(interruptedIn(memoryOf(ROVER_UNIT, moving)), { commandIds: ['cmd_move'], missionIds: [] });
  const { state, reason } = commandProgress(restarted(moving), 'cmd_move', 0);
  assert.deepEqual([state, reason], ['failed', 'power lost']);
  const running = after(8, onMission());
  assert.deepEqual(interruptedIn(memoryOf(ROVER_UNIT, running)), { commandIds: [], missionIds: ['ms_1'] });
  const mission = missionProgress(restarted(running), 'ms_1', 0);
  assert.deepEqual([mission.state, mission.reason], ['failed', 'power lost']);
  assert.equal(mission.waypoints?.[0]?.state, 'reached');
});

test('ended jobs are not carried out again, and refused ones stay refused', () => {
  const done = after(30, onMission());
  const refused = execute(done, command('resume')).pilot;
  const again = restarted(refused);
  assert.equal(acceptUpload(again, upload(SHORT_WAY)).pilot, again);
  assert.equal(execute(again, command('resume')).ack.accepted, false);
});

test('a mission that waits for a start or a resume still waits', () => {
  const waiting = acceptUpload(pilotAtHome(), upload(SHORT_WAY)).pilot;
  assert.deepEqual(restarted(waiting).mission, waiting.mission);
  const paused = control(after(8, onMission()), missionControl('pause'));
  const again = restarted(paused);
  assert.deepEqual(again.mission, paused.mission);
  const done = after(40, control(again, missionControl('resume')));
  assert.equal(missionProgress(done, 'ms_1', 0).state, 'completed');
});

test('a drone that lost its power in the air has come down', () => {
  const unit = DRONE_UNIT;
  const flying = after(10, execute(pilotAtHome(unit), moveTo(60, 10, { unit, altitude: 150 })).pilot, {
    unit,
  });
  assert.ok(isAirborne(unit, flying.body));
  assert.ok(!isAirborne(unit, restarted(flying, unit).body));
});

test('an invalid stored state is ignored', () => {
  const sound = memoryOf(ROVER_UNIT, onMission());
  assert.ok(isFieldMemory(sound));
  const mission = sound.mission ?? assert.fail();
  for (const damaged of [
    null,
    [],
    { offsetKg: 0, operations: [] },
    { ...sound, position: { latitude: 91, longitude: 0, altitude: 0 } },
    { ...sound, batteryPercent: null },
    { ...sound, configuration: {} },
    { ...sound, commands: sound.missions.concat([{ mission_id: 'ms_1', state: 'failed', ts: 1 }]) },
    { ...sound, mission: { ...mission, upload: {} } },
    { ...sound, mission: { ...mission, state: 'tired' } },
  ]) {
    assert.ok(!isFieldMemory(damaged), JSON.stringify(damaged));
  }
});

test('an emergency stop stays in force, and an interrupted one is confirmed when it is sent again', () => {
  const braking = execute(after(3, onMission()), command('emergency_stop')).pilot;
  const again = restarted(braking);
  assert.equal(again.isStopped, true);
  const repeated = after(1, execute(again, command('emergency_stop')).pilot);
  assert.equal(commandProgress(repeated, 'cmd_emergency_stop', 0).state, 'succeeded');
  const { isStopped: _, ...older } = memoryOf(ROVER_UNIT, pilotAtHome());
  assert.ok(isFieldMemory(older) && !powerUp(ROVER_UNIT, older, LATER_MS).isStopped);
});
