import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MissionControl } from '@granary/contract/link/field-messages';
import { toIso } from '@granary/contract/time';
import {
  after,
  command,
  missionControl,
  moveTo,
  pilotAtHome,
  SHORT_WAY,
  START_MS,
  upload,
} from '@granary/testing/simulator/field';
import { acceptUpload, control } from '../field-controller.ts';
import { execute } from './commands.ts';
import { commandProgress, endTask, missionProgress, type Pilot } from './pilot.ts';

const obeys = (pilot: Pilot, ...args: Parameters<typeof command>) => execute(pilot, command(...args)).pilot;
const onMission = () =>
  control(acceptUpload(pilotAtHome(), upload(SHORT_WAY)).pilot, missionControl('start'));
const stateOf = (pilot: Pilot, id: string) => commandProgress(pilot, id, 0).state;

test('a command is carried out once, however often it is sent', () => {
  const { pilot, ack } = execute(pilotAtHome(), moveTo(10, 0));
  assert.deepEqual(ack, { command_id: 'cmd_move', accepted: true });
  assert.deepEqual(execute(pilot, moveTo(10, 0)), { pilot, ack });
  const there = after(20, pilot);
  assert.deepEqual(execute(there, moveTo(10, 0)), { pilot: there, ack });
});

test('an expired command is refused, and stays refused', () => {
  const late = { ...moveTo(10, 0), expires_at: toIso(START_MS - 1) };
  const ack = { command_id: 'cmd_move', accepted: false, reason: 'it came too late' };
  const refused = execute(pilotAtHome(), late);
  assert.deepEqual(refused.ack, ack);
  assert.equal(refused.pilot.task, null);
  assert.deepEqual(execute(refused.pilot, moveTo(10, 0)), { pilot: refused.pilot, ack });
});

const REFUSALS: readonly (readonly [
  what: string,
  pilot: Pilot,
  name: Parameters<typeof command>[0],
  reason: string,
])[] = [
  ['resume with nothing held', pilotAtHome(), 'resume', 'there is nothing to resume'],
  ['a scan during a mission', onMission(), 'scan', 'ms_1 is running'],
  [
    'a sample during a pause',
    control(onMission(), missionControl('pause')),
    'collect_sample',
    'ms_1 is paused',
  ],
  [
    'a hold during an emergency stop',
    obeys(after(2, onMission()), 'emergency_stop'),
    'hold',
    'an emergency stop is under way',
  ],
];

for (const [what, pilot, name, reason] of REFUSALS) {
  test(`${what} is refused`, () => {
    assert.deepEqual(execute(pilot, command(name)).ack, {
      command_id: `cmd_${name}`,
      accepted: false,
      reason,
    });
  });
}

test('a move during a mission is refused, and the mission goes on', () => {
  const { pilot, ack } = execute(onMission(), moveTo(5, 5));
  assert.equal(ack.accepted, false);
  assert.equal(missionProgress(after(30, pilot), 'ms_1', 0).state, 'completed');
});

test('the next command replaces the previous one, also one that is held', () => {
  const first = execute(pilotAtHome(), moveTo(50, 0)).pilot;
  const second = execute(after(2, first), moveTo(0, 50, { command_id: 'cmd_2' })).pilot;
  assert.deepEqual(commandProgress(second, 'cmd_move', 1), {
    command_id: 'cmd_move',
    state: 'cancelled',
    reason: 'move_to_coordinates came',
    ts: 1,
  });
  const third = obeys(after(3, obeys(second, 'hold')), 'scan');
  assert.deepEqual(
    [stateOf(third, 'cmd_hold'), stateOf(third, 'cmd_2'), stateOf(third, 'cmd_scan')],
    ['succeeded', 'cancelled', 'executing'],
  );
});

test('an emergency stop ends everything that has begun', () => {
  const held = obeys(after(2, execute(pilotAtHome(), moveTo(50, 0)).pilot), 'hold');
  const stopped = obeys(held, 'emergency_stop');
  assert.deepEqual([stateOf(stopped, 'cmd_move'), stateOf(stopped, 'cmd_hold')], ['cancelled', 'cancelled']);
  const { state, reason } = missionProgress(obeys(onMission(), 'emergency_stop'), 'ms_1', 0);
  assert.deepEqual([state, reason], ['aborted', 'emergency stop']);
});

test('an emergency stop is confirmed when the device stands still, not before', () => {
  const moving = after(5, execute(pilotAtHome(), moveTo(50, 0)).pilot);
  const braking = obeys(moving, 'emergency_stop');
  assert.equal(stateOf(after(0.1, braking), 'cmd_emergency_stop'), 'executing');
  const standing = after(1, braking);
  assert.deepEqual([stateOf(standing, 'cmd_emergency_stop'), standing.body.speedMS], ['succeeded', 0]);
});

test('a mission that waits for its start is over after an emergency stop', () => {
  const stopped = obeys(acceptUpload(pilotAtHome(), upload(SHORT_WAY)).pilot, 'emergency_stop');
  assert.equal(missionProgress(stopped, 'ms_1', 0).state, 'aborted');
  assert.equal(control(stopped, missionControl('start')), stopped);
});

test('after an emergency stop nothing moves until it is released, and a release moves nothing', () => {
  const stopped = after(2, obeys(onMission(), 'emergency_stop'));
  const reason = 'an emergency stop is in force';
  for (const name of ['resume', 'return_to_base', 'scan', 'collect_sample', 'hold'] as const) {
    assert.equal(execute(stopped, command(name)).ack.reason, reason, name);
  }
  assert.equal(execute(stopped, moveTo(5, 5)).ack.reason, reason);
  assert.equal(acceptUpload(stopped, upload(SHORT_WAY, { mission_id: 'ms_2' })).ack.reason, reason);
  const released = obeys(stopped, 'release_emergency_stop');
  assert.equal(stateOf(released, 'cmd_release_emergency_stop'), 'succeeded');
  const rested = after(10, released);
  const placeOf = ({ body: { eastM, northM } }: Pilot) => [eastM, northM];
  assert.deepEqual(placeOf(rested), placeOf(stopped));
  assert.equal(execute(rested, moveTo(5, 5, { command_id: 'cmd_2' })).ack.accepted, true);
});

test('an emergency stop is not released while the device still brakes', () => {
  const braking = obeys(after(3, onMission()), 'emergency_stop');
  assert.equal(execute(braking, command('release_emergency_stop')).ack.accepted, false);
  assert.equal(braking.isStopped, true);
});

test('an interrupted emergency stop is carried out when it is sent again', () => {
  const braking = obeys(after(3, onMission()), 'emergency_stop');
  const cutOff = { ...endTask(braking, 'failed', 'power lost') };
  assert.equal(stateOf(after(2, obeys(cutOff, 'emergency_stop')), 'cmd_emergency_stop'), 'succeeded');
});

test('an expired start or resume moves nothing', () => {
  const late = { expires_at: toIso(START_MS - 1) };
  const waiting = acceptUpload(pilotAtHome(), upload(SHORT_WAY)).pilot;
  assert.equal(control(waiting, { ...missionControl('start'), ...late } as MissionControl), waiting);
  const paused = control(onMission(), missionControl('pause'));
  assert.equal(control(paused, { ...missionControl('resume'), ...late } as MissionControl), paused);
});

test('a command that was never received is reported as unknown', () => {
  assert.deepEqual(commandProgress(pilotAtHome(), 'cmd_9', 7), {
    command_id: 'cmd_9',
    state: 'unknown',
    ts: 7,
  });
});
