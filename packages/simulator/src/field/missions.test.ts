import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS, toIso } from '@granary/contract/time';
import {
  after,
  missionControl,
  moveTo,
  pilotAtHome,
  SHORT_WAY,
  START_MS,
  upload,
} from '@granary/testing/simulator/field';
import { acceptUpload, control } from './field-controller.ts';
import { execute } from './pilot/commands.ts';
import { commandProgress, missionProgress, type Pilot } from './pilot/pilot.ts';

const MISSION = upload(SHORT_WAY);
const OTHER = upload(SHORT_WAY, { mission_id: 'ms_2' });
const ACCEPTED = { mission_id: 'ms_1', accepted: true };
const uploaded = (): Pilot => acceptUpload(pilotAtHome(), MISSION).pilot;
const stateOf = (pilot: Pilot, id = 'ms_1') => missionProgress(pilot, id, 0).state;

test('nothing moves before the start, and an upload is accepted once', () => {
  const { pilot, ack } = acceptUpload(pilotAtHome(), MISSION);
  assert.deepEqual(ack, ACCEPTED);
  assert.deepEqual(acceptUpload(pilot, MISSION), { pilot, ack });
  const later = after(30, pilot);
  assert.deepEqual([stateOf(later), later.body.eastM], ['uploaded', 0]);
});

test('an ended mission is not carried out again', () => {
  const done = after(30, control(uploaded(), missionControl('start')));
  assert.equal(stateOf(done), 'completed');
  const again = acceptUpload(done, MISSION);
  assert.deepEqual(again, { pilot: done, ack: ACCEPTED });
  assert.equal(control(again.pilot, missionControl('start')), done);
});

test('a second mission is refused permanently while the first is on the device', () => {
  for (const pilot of [uploaded(), control(uploaded(), missionControl('start'))]) {
    const ack = { mission_id: 'ms_2', accepted: false, reason: `ms_1 is ${stateOf(pilot)}` };
    const refused = acceptUpload(pilot, OTHER);
    assert.deepEqual(refused.ack, ack);
    const free = control(refused.pilot, missionControl('cancel'));
    assert.deepEqual(acceptUpload(free, OTHER), { pilot: free, ack });
    assert.equal(stateOf(free, 'ms_2'), 'unknown');
  }
});

test('an expired mission that was never started does not block another one', () => {
  const missed = after(61, uploaded());
  const next = upload(SHORT_WAY, { mission_id: 'ms_2', expires_at: toIso(START_MS + 5 * MINUTE_MS) });
  const { pilot, ack } = acceptUpload(missed, next);
  assert.deepEqual([ack.accepted, stateOf(pilot), stateOf(pilot, 'ms_2')], [true, 'aborted', 'uploaded']);
});

test('an expired upload or start is refused', () => {
  const late = after(61, pilotAtHome());
  assert.deepEqual(acceptUpload(late, MISSION).ack, {
    mission_id: 'ms_1',
    accepted: false,
    reason: 'it came too late',
  });
  const missed = after(61, uploaded());
  assert.equal(stateOf(control(missed, missionControl('start'))), 'uploaded');
});

test('pause, resume and cancel may be received at any time, repeatedly', () => {
  const running = after(3, control(uploaded(), missionControl('start')));
  const paused = control(control(running, missionControl('pause')), missionControl('pause'));
  assert.equal(stateOf(paused), 'paused');
  assert.equal(
    stateOf(control(control(paused, missionControl('resume')), missionControl('resume'))),
    'running',
  );
  const cancelled = control(control(paused, missionControl('cancel')), missionControl('cancel'));
  assert.deepEqual(missionProgress(cancelled, 'ms_1', 0).reason, 'it was cancelled');
  assert.equal(control(cancelled, missionControl('resume')), cancelled);
  const waiting = uploaded();
  assert.deepEqual(control(waiting, missionControl('pause')).mission, waiting.mission);
  assert.equal(control(waiting, missionControl('resume')), waiting);
});

test('a cancel that arrives before its upload makes the upload refused', () => {
  const cancelledBefore = control(pilotAtHome(), missionControl('cancel'));
  assert.equal(stateOf(cancelledBefore), 'unknown');
  assert.equal(acceptUpload(cancelledBefore, MISSION).ack.reason, 'it was cancelled before it came');
});

test('a mission that starts replaces a move', () => {
  const moving = after(2, execute(uploaded(), moveTo(50, 0)).pilot);
  const away = control(moving, missionControl('start'));
  assert.deepEqual([stateOf(away), commandProgress(away, 'cmd_move', 0).state], ['running', 'cancelled']);
});
