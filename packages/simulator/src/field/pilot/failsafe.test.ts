import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import { SECOND_MS } from '@granary/contract/time';
import {
  after,
  command,
  configurationOf,
  DRONE_UNIT,
  missionControl,
  moveTo,
  pilotAtHome,
  ROVER_UNIT,
  SHORT_WAY,
  START_MS,
  upload,
} from '@granary/testing/simulator/field';
import { acceptUpload, control } from '../field-controller.ts';
import { isAirborne } from '../vehicle/drive.ts';
import { apartM } from '../vehicle/ground.ts';
import { execute } from './commands.ts';
import { commandProgress, missionProgress, type Pilot } from './pilot.ts';
import { LINK_LOSS_AFTER_MS } from './piloting.ts';

const HOME = { eastM: 0, northM: 0 };
type Actions = FieldConfiguration['failsafe'];

function declared(
  pilot: Pilot,
  failsafe: Partial<Actions>,
  geofence = configurationOf(ROVER_UNIT).geofence,
): Pilot {
  const configuration = configurationOf(ROVER_UNIT);
  return {
    ...pilot,
    configuration: { ...configuration, geofence, failsafe: { ...configuration.failsafe, ...failsafe } },
  };
}

const onMission = (pilot: Pilot, link_loss_action: Actions['link_loss_action'] = 'return_to_base') =>
  control(acceptUpload(pilot, upload(SHORT_WAY, { link_loss_action })).pilot, missionControl('start'));
const fate = (pilot: Pilot) => {
  const { state, reason } = missionProgress(pilot, 'ms_1', 0);
  return [state, reason];
};
const low = (pilot: Pilot): Pilot => ({ ...pilot, body: { ...pilot.body, batteryPercent: 20 } });

const ENDS = {
  continue: ['completed', undefined],
  hold: ['paused', 'REASON'],
  return_to_base: ['aborted', 'REASON'],
} as const;

for (const action of ['continue', 'hold', 'return_to_base'] as const) {
  const expected = (reason: string) => ENDS[action].map((word) => (word === 'REASON' ? reason : word));

  test(`a lost link in a mission that declares ${action}`, () => {
    const running = after(3, onMission(pilotAtHome(), action));
    const lost = after(60, running, { linkLostSinceMs: running.body.timeMs });
    assert.deepEqual(fate(lost), expected('link lost'));
    if (action === 'return_to_base') assert.ok(apartM(lost.body, HOME) < 1e-3);
  });

  test(`a low battery where ${action} is declared`, () => {
    const lived = after(60, low(onMission(declared(pilotAtHome(), { low_battery_action: action }))));
    assert.deepEqual(fate(lived), expected('low battery'));
  });

  test(`outside of the fence where ${action} is declared`, () => {
    const fence = [
      { eastM: -5, northM: -5 },
      { eastM: 5, northM: -5 },
      { eastM: 0, northM: 5 },
    ];
    const pilot = declared(pilotAtHome(), { geofence_breach_action: action }, upload(fence).waypoints);
    assert.deepEqual(fate(after(60, onMission(pilot))), expected('outside the geofence'));
  });
}

test('a short interruption of the link has no effect, and a restored link changes nothing by itself', () => {
  const running = after(3, onMission(pilotAtHome(), 'hold'));
  const linkLostSinceMs = running.body.timeMs;
  const almost = after(LINK_LOSS_AFTER_MS / SECOND_MS - 1, running, { linkLostSinceMs });
  assert.equal(fate(after(30, almost))[0], 'completed');
  const held = after(10, running, { linkLostSinceMs });
  assert.equal(fate(after(30, held))[0], 'paused');
  assert.equal(fate(after(30, control(held, missionControl('resume'))))[0], 'completed');
});

test('a move follows what the configuration declares', () => {
  const moving = after(
    3,
    execute(declared(pilotAtHome(), { link_loss_action: 'hold' }), moveTo(200, 0)).pilot,
  );
  const lost = after(60, moving, { linkLostSinceMs: START_MS });
  assert.deepEqual(commandProgress(lost, 'cmd_move', 1), {
    command_id: 'cmd_move',
    state: 'failed',
    reason: 'link lost',
    ts: 1,
  });
  assert.equal(lost.body.speedMS, 0);
});

test('with a low battery it can be sent home and nowhere else', () => {
  const away = low(after(30, execute(pilotAtHome(), moveTo(30, 0)).pilot));
  const sent = after(20, execute(away, moveTo(60, 0, { command_id: 'cmd_2' })).pilot);
  assert.equal(commandProgress(sent, 'cmd_2', 0).reason, 'low battery');
  assert.ok(apartM(after(20, sent).body, HOME) < 1e-3);
  const called = after(20, execute(away, command('return_to_base')).pilot);
  assert.equal(commandProgress(called, 'cmd_return_to_base', 0).state, 'succeeded');
});

test('a rover that idles away from home with a low battery stays; a drone in the air comes home', () => {
  const idle = low(after(30, execute(pilotAtHome(), moveTo(30, 0)).pilot));
  assert.equal(apartM(after(60, idle).body, idle.body), 0);
  const unit = DRONE_UNIT;
  const hovering = low(
    after(30, execute(pilotAtHome(unit), moveTo(30, 0, { unit, altitude: 140 })).pilot, { unit }),
  );
  assert.ok(isAirborne(unit, hovering.body));
  const home = after(60, hovering, { unit });
  assert.ok(!isAirborne(unit, home.body));
  assert.ok(apartM(home.body, HOME) < 1e-3);
});

test('a lost link or a low battery moves nothing while an emergency stop is in force', () => {
  const moving = after(3, execute(pilotAtHome(), moveTo(50, 0)).pilot);
  const stopped = after(2, execute(moving, command('emergency_stop')).pilot);
  const later = after(60, low(stopped), { linkLostSinceMs: stopped.body.timeMs });
  assert.equal(apartM(later.body, stopped.body), 0);
  assert.equal(later.isReturningHome, false);
});
