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
import fc from 'fast-check';
import { acceptUpload, control } from '../field-controller.ts';
import { isAirborne } from '../vehicle/drive.ts';
import { apartM } from '../vehicle/ground.ts';
import { execute } from './commands.ts';
import { commandProgress, missionProgress, type Pilot } from './pilot.ts';
import { advance } from './piloting.ts';

const HOME = { eastM: 0, northM: 0 };
const obeys = (pilot: Pilot, ...args: Parameters<typeof command>) => execute(pilot, command(...args)).pilot;
const commandState = (pilot: Pilot, id: string) => commandProgress(pilot, id, 0).state;
const onMission = (unit = ROVER_UNIT) =>
  control(acceptUpload(pilotAtHome(unit), upload(SHORT_WAY, { unit })).pilot, missionControl('start'));
const missionState = (pilot: Pilot) => missionProgress(pilot, 'ms_1', 0).state;
const withBattery = (pilot: Pilot, batteryPercent: number): Pilot => ({
  ...pilot,
  body: { ...pilot.body, batteryPercent },
});

test('a move goes there, and costs battery by way, time and load', () => {
  const moving = execute(pilotAtHome(), moveTo(30, 40)).pilot;
  assert.equal(commandState(after(10, moving), 'cmd_move'), 'executing');
  const there = after(30, moving);
  assert.equal(commandState(there, 'cmd_move'), 'succeeded');
  assert.ok(apartM(there.body, { eastM: 30, northM: 40 }) < 1e-3);
  const spent = (pilot: Pilot) => 100 - pilot.body.batteryPercent;
  assert.ok(spent(there) > 0.15);
  const loaded = { ...moving, body: { ...moving.body, payloadKg: 60 } };
  assert.ok(spent(after(30, loaded)) > spent(there) + 0.14);
  assert.ok(spent(after(3_600, there)) > spent(there));
});

test('at its base a device is charged and unloaded', () => {
  const home = withBattery(pilotAtHome(), 40);
  const later = after(600, { ...home, body: { ...home.body, payloadKg: 2 } });
  assert.ok(later.body.batteryPercent > 49);
  assert.equal(later.body.payloadKg, 0);
  assert.equal(after(7_200, later).body.batteryPercent, 100);
});

test('a mission is flown and driven to its end, and the sample is on board', () => {
  for (const unit of [ROVER_UNIT, DRONE_UNIT]) {
    const done = after(30, onMission(unit), { unit });
    const { state, waypoints = [] } = missionProgress(done, 'ms_1', 0);
    assert.equal(state, 'completed', unit.id);
    assert.deepEqual(
      waypoints.map((waypoint) => [waypoint.state, waypoint.action_result]),
      [
        ['reached', 'succeeded'],
        ['reached', 'succeeded'],
      ],
    );
    assert.equal(done.body.payloadKg, 0.5);
  }
});

test('hold interrupts a move and resume continues it', () => {
  const held = after(5, obeys(after(5, execute(pilotAtHome(), moveTo(60, 0)).pilot), 'hold'));
  assert.deepEqual(
    [commandState(held, 'cmd_hold'), commandState(held, 'cmd_move')],
    ['succeeded', 'executing'],
  );
  assert.deepEqual(
    { ...after(60, held).body, timeMs: 0, batteryPercent: 0 },
    { ...held.body, timeMs: 0, batteryPercent: 0 },
  );
  const there = after(40, obeys(held, 'resume'));
  assert.deepEqual(
    [commandState(there, 'cmd_resume'), commandState(there, 'cmd_move')],
    ['succeeded', 'succeeded'],
  );
});

test('hold pauses a mission, and resume continues it', () => {
  const held = obeys(after(3, onMission()), 'hold');
  assert.equal(missionState(held), 'paused');
  assert.equal(missionState(after(40, obeys(after(5, held), 'resume'))), 'completed');
});

test('return_to_base aborts a mission and returns home; a drone lands there', () => {
  const home = after(40, obeys(after(8, onMission(DRONE_UNIT), { unit: DRONE_UNIT }), 'return_to_base'), {
    unit: DRONE_UNIT,
  });
  assert.deepEqual(missionProgress(home, 'ms_1', 0).reason, 'return_to_base came');
  assert.equal(commandState(home, 'cmd_return_to_base'), 'succeeded');
  assert.ok(apartM(home.body, HOME) < 1e-3);
  assert.ok(!isAirborne(DRONE_UNIT, home.body));
});

test('scan and collect_sample take their time', () => {
  for (const [name, seconds] of [
    ['scan', 2],
    ['collect_sample', 3],
  ] as const) {
    const busy = obeys(pilotAtHome(), name);
    assert.equal(commandState(after(seconds - 0.5, busy), `cmd_${name}`), 'executing');
    assert.equal(commandState(after(seconds, busy), `cmd_${name}`), 'succeeded');
  }
});

const HAPPENINGS = ['move', 'resume', 'return', 'scan', 'start', 'pause', 'resume_mission', 'wait'] as const;
type Happening = (typeof HAPPENINGS)[number];

function happen(pilot: Pilot, what: Happening, index: number): Pilot {
  const id = `cmd_${index}`;
  switch (what) {
    case 'move':
      return execute(pilot, moveTo(40 - index, 5 * index, { command_id: id })).pilot;
    case 'resume':
      return obeys(pilot, 'resume', {}, id);
    case 'return':
      return obeys(pilot, 'return_to_base', {}, id);
    case 'scan':
      return obeys(pilot, 'scan', {}, id);
    case 'start':
      return control(acceptUpload(pilot, upload(SHORT_WAY)).pilot, missionControl('start'));
    case 'pause':
      return control(pilot, missionControl('pause'));
    case 'resume_mission':
      return control(pilot, missionControl('resume'));
    case 'wait':
      return pilot;
  }
}

const lives = fc.array(fc.record({ what: fc.constantFrom(...HAPPENINGS), seconds: fc.nat(20) }), {
  maxLength: 12,
});

function live(life: readonly { readonly what: Happening; readonly seconds: number }[], from: Pilot): Pilot {
  return life.reduce((pilot, { what, seconds }, index) => after(seconds, happen(pilot, what, index)), from);
}

test('nothing moves after an emergency stop, whatever happened before', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const stopped = after(2, obeys(live(life, pilotAtHome()), 'emergency_stop'));
      assert.equal(commandState(stopped, 'cmd_emergency_stop'), 'succeeded');
      assert.deepEqual([stopped.task, stopped.held, stopped.isReturningHome], [null, null, false]);
      const later = after(120, stopped);
      assert.equal(apartM(later.body, stopped.body), 0);
      assert.notEqual(later.mission?.state, 'running');
    }),
    { numRuns: 60 },
  );
});

test('whatever happens, the battery is between empty and full, and an empty one moves nothing', () => {
  fc.assert(
    fc.property(lives, fc.double({ min: 0, max: 100, noNaN: true }), (life, batteryPercent) => {
      const lived = live(life, withBattery(pilotAtHome(), batteryPercent));
      assert.ok(lived.body.batteryPercent >= 0 && lived.body.batteryPercent <= 100);
      const move = moveTo(-300, 0, { command_id: 'cmd_last' });
      const moving = after(4, execute({ ...lived, configuration: null }, move).pilot);
      const later = after(5, withBattery(moving, 0));
      assert.equal(apartM(later.body, moving.body), 0);
    }),
    { numRuns: 60 },
  );
});

test('a paused mission stands after its braking distance', () => {
  fc.assert(
    fc.property(fc.nat(150), (tenths) => {
      const paused = control(after(tenths / 10, onMission()), missionControl('pause'));
      const standing = after(3, paused);
      assert.ok(apartM(paused.body, standing.body) <= 3.5);
      assert.equal(apartM(after(60, standing).body, standing.body), 0);
    }),
    { numRuns: 40 },
  );
});

test('an empty battery fails every job, except an emergency stop', () => {
  const empty = after(60, withBattery({ ...onMission(), configuration: null }, 0.02));
  const { state, reason } = missionProgress(empty, 'ms_1', 0);
  assert.deepEqual([state, reason, empty.body.batteryPercent], ['failed', 'battery empty', 0]);
  const stopped = after(1, obeys(withBattery(after(5, onMission()), 0), 'emergency_stop'));
  assert.equal(commandState(stopped, 'cmd_emergency_stop'), 'succeeded');
});

test('a clock that is set back causes no movement', () => {
  const moving = after(5, onMission());
  const back = advance(ROVER_UNIT, moving, START_MS - 60 * SECOND_MS, {
    linkLostSinceMs: null,
    skipsWaypoints: false,
  });
  assert.equal(apartM(back.body, moving.body), 0);
  assert.equal(back.body.timeMs, START_MS - 60 * SECOND_MS);
});
