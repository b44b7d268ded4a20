import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MissionState as ReportedState } from '@granary/contract/link/field-messages';
import { MINUTE_MS, toIso } from '@granary/contract/time';
import { EXPIRY_SKEW_MS, MOTION_EXPIRY_MS } from '../jobs/polling.ts';
import { refuseDeclaration } from './declared-end.ts';
import { missionRecord } from './record.ts';
import { beginMission, isMissionFinished, type MissionState, missionHoldsDevice } from './state.ts';
import { HALT_CONFIRMATION_MS_MAX } from './steps.ts';
import { advanceMission } from './transitions.ts';

const START_MS = 1_000_000_000_000;
const DECLARATION = { reason: 'it was towed home', looked_by: 'Ada', by: null };

const scheduled = beginMission(
  {
    missionId: 'ms_1',
    deviceNo: 1,
    name: 'round',
    plan: {
      waypoints: [{ lat: 1, lng: 2, action: 'none' }],
      startAtMs: START_MS,
      expiresAtMs: START_MS + 5 * MINUTE_MS,
      busyMs: 20 * MINUTE_MS,
      linkLossAction: 'hold',
      preflight: {
        distance_m: 1,
        duration_s: 1,
        return_distance_m: 1,
        battery_required: 1,
        battery_available: 90,
        battery_reserve: 20,
        legs: [],
      },
    },
  },
  START_MS,
);
const uploaded: MissionState = { ...scheduled, status: 'dispatched', dispatchedAtMs: START_MS };
const starting: MissionState = { ...uploaded, acceptedAtMs: START_MS, startSentAtMs: START_MS };
const running: MissionState = { ...starting, status: 'in_progress', startedAtMs: START_MS };
const cancelling: MissionState = {
  ...running,
  requested: 'cancel',
  requestedAtMs: START_MS,
  requestSentAtMs: START_MS,
};
const completed: MissionState = { ...running, status: 'completed', endedAtMs: START_MS };
const GONE_MS = START_MS + MOTION_EXPIRY_MS + EXPIRY_SKEW_MS + 1;
const OVERDUE_MS = START_MS + HALT_CONFIRMATION_MS_MAX;

const CASES: readonly (readonly [string, MissionState, boolean, nowMs: number, refusal: RegExp | null])[] = [
  ['a scheduled mission', scheduled, false, GONE_MS, /has not begun: cancel it/],
  ['a mission whose start was not sent', uploaded, false, GONE_MS, /has not begun: cancel it/],
  ['a mission that may still begin', starting, false, GONE_MS - 1, /may still begin the mission until/],
  ['a mission that an absent device may have begun', starting, false, GONE_MS, null],
  ['a running mission of an absent device', running, false, START_MS + 1, null],
  ['a paused mission of an absent device', { ...running, status: 'paused' }, false, START_MS + 1, null],
  ['a running mission of a connected device', running, true, GONE_MS, /connected: cancel the mission first/],
  ['a cancel that may still be confirmed', cancelling, true, OVERDUE_MS - 1, /may still confirm it/],
  ['a cancel that is not confirmed', cancelling, true, OVERDUE_MS, null],
  ['a completed mission', completed, false, GONE_MS, /already ended as completed/],
];

const declare = (mission: MissionState, isReachable: boolean, nowMs: number): MissionState =>
  advanceMission(mission, { kind: 'declare_ended', declaration: DECLARATION, isReachable }, nowMs).mission;

const report = (state: ReportedState, tsMs = GONE_MS) =>
  ({ kind: 'progress', state, waypoints: [], reason: null, tsMs }) as const;

describe('the end of a mission is declared', () => {
  for (const [name, mission, isReachable, nowMs, refusal] of CASES) {
    it(`${name}: ${refusal === null ? 'accepted' : 'refused'}`, () => {
      const check = () => refuseDeclaration(mission, { isReachable, nowMs });
      if (refusal === null) check();
      else assert.throws(check, refusal);
      const after = declare(mission, isReachable, nowMs);
      if (refusal !== null) return assert.equal(after, mission);
      assert.deepEqual([after.status, after.result?.reason], ['failed', 'declared_ended']);
      assert.equal(missionHoldsDevice(after), false);
      assert.equal(isMissionFinished(after, nowMs), true);
      assert.equal(declare(after, isReachable, nowMs + MINUTE_MS), after);
      refuseDeclaration(after, { isReachable, nowMs });
    });
  }

  it('and recorded with who looked and why, and never as a report of the device', () => {
    const { declared, status_detail } = missionRecord(declare(running, false, GONE_MS));
    assert.deepEqual(declared, { ...DECLARATION, at: toIso(GONE_MS) });
    assert.match(
      status_detail,
      /declared ended by Ada \(it was towed home\); the device did not report it\.$/,
    );
  });

  it('and a device that still runs it is told to end it', () => {
    const { mission, send } = advanceMission(declare(running, false, GONE_MS), report('running'), GONE_MS);
    assert.deepEqual([mission.status, mission.requested, send], ['in_progress', 'cancel', 'cancel']);
    const ended = advanceMission(mission, report('aborted', GONE_MS + 1), GONE_MS + 1).mission;
    assert.deepEqual([ended.status, ended.declared?.lookedBy], ['cancelled', 'Ada']);
  });

  it('and a late end that the device reports still decides', () => {
    const declared = declare(running, false, GONE_MS);
    assert.equal(advanceMission(declared, report('completed'), GONE_MS).mission.status, 'completed');
    assert.equal(
      advanceMission(declared, report('unknown'), GONE_MS).mission.result?.reason,
      'declared_ended',
    );
  });
});
