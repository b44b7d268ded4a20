import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS, toIso } from '@granary/contract/time';
import { after, moveTo, pilotAtHome, SHORT_WAY, START_MS, told, upload } from '../../testing/field.ts';
import { execute } from '../commands.ts';
import { commandProgress, missionProgress, type Pilot } from '../pilot.ts';
import { control, takeMission } from './missions.ts';

const MISSION = upload(SHORT_WAY);
const OTHER = upload(SHORT_WAY, { mission_id: 'ms_2' });
const ACCEPTED = { mission_id: 'ms_1', accepted: true };
const uploaded = (): Pilot => takeMission(pilotAtHome(), MISSION).pilot;
const stateOf = (pilot: Pilot, id = 'ms_1') => missionProgress(pilot, id, 0).state;

test('nothing moves before the start, and an upload is taken once', () => {
  const { pilot, ack } = takeMission(pilotAtHome(), MISSION);
  assert.deepEqual(ack, ACCEPTED);
  assert.deepEqual(takeMission(pilot, MISSION), { pilot, ack });
  const later = after(30, pilot);
  assert.deepEqual([stateOf(later), later.body.eastM], ['uploaded', 0]);
});

test('a mission that is over is not flown again', () => {
  const done = after(30, control(uploaded(), told('start')));
  assert.equal(stateOf(done), 'completed');
  const again = takeMission(done, MISSION);
  assert.deepEqual(again, { pilot: done, ack: ACCEPTED });
  assert.equal(control(again.pilot, told('start')), done);
});

test('a second mission is refused for good while the first is there', () => {
  for (const pilot of [uploaded(), control(uploaded(), told('start'))]) {
    const ack = { mission_id: 'ms_2', accepted: false, reason: `ms_1 is ${stateOf(pilot)}` };
    const refused = takeMission(pilot, OTHER);
    assert.deepEqual(refused.ack, ack);
    const free = control(refused.pilot, told('cancel'));
    assert.deepEqual(takeMission(free, OTHER), { pilot: free, ack });
    assert.equal(stateOf(free, 'ms_2'), 'unknown');
  }
});

test('one that was never started keeps no other out when its time is over', () => {
  const missed = after(61, uploaded());
  const next = upload(SHORT_WAY, { mission_id: 'ms_2', expires_at: toIso(START_MS + 5 * MINUTE_MS) });
  const { pilot, ack } = takeMission(missed, next);
  assert.deepEqual([ack.accepted, stateOf(pilot), stateOf(pilot, 'ms_2')], [true, 'aborted', 'uploaded']);
});

test('an upload or a start that comes too late is refused', () => {
  const late = after(61, pilotAtHome());
  assert.deepEqual(takeMission(late, MISSION).ack, {
    mission_id: 'ms_1',
    accepted: false,
    reason: 'it came too late',
  });
  const missed = after(61, uploaded());
  assert.equal(stateOf(control(missed, told('start'))), 'uploaded');
});

test('pause, resume and cancel may come at any time, any number of times', () => {
  const running = after(3, control(uploaded(), told('start')));
  const paused = control(control(running, told('pause')), told('pause'));
  assert.equal(stateOf(paused), 'paused');
  assert.equal(stateOf(control(control(paused, told('resume')), told('resume'))), 'running');
  const cancelled = control(control(paused, told('cancel')), told('cancel'));
  assert.deepEqual(missionProgress(cancelled, 'ms_1', 0).reason, 'it was cancelled');
  assert.equal(control(cancelled, told('resume')), cancelled);
  const waiting = uploaded();
  assert.deepEqual(control(waiting, told('pause')).mission, waiting.mission);
  assert.equal(control(waiting, told('resume')), waiting);
});

test('a cancellation that comes before its upload keeps it out', () => {
  const forewarned = control(pilotAtHome(), told('cancel'));
  assert.equal(stateOf(forewarned), 'unknown');
  assert.equal(takeMission(forewarned, MISSION).ack.reason, 'it was cancelled before it came');
});

test('a mission that sets out takes the place of a move', () => {
  const moving = after(2, execute(uploaded(), moveTo(50, 0)).pilot);
  const away = control(moving, told('start'));
  assert.deepEqual([stateOf(away), commandProgress(away, 'cmd_move', 0).state], ['running', 'cancelled']);
});
