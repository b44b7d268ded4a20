import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MISSION_STATES, type MissionState as ReportedState } from '@granary/contract/link/field-messages';
import {
  ACTION_RESULTS,
  MISSION_REQUESTS,
  MISSION_STATUSES,
  WAYPOINT_STATUSES,
} from '@granary/contract/missions';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { beginMission, isMissionOver, type MissionState, mergeWaypoints } from './state.ts';
import { LOST_MARGIN_MS, type MissionTransition } from './steps.ts';
import { advanceMission, type MissionInput } from './transitions.ts';

const START_MS = 1_000_000_000_000;
const WAYPOINTS = 3;

const scheduled = beginMission(
  {
    missionId: 'ms_1',
    deviceNo: 1,
    name: 'round',
    plan: {
      waypoints: Array(WAYPOINTS).fill({ lat: 0, lng: 0, action: 'none' }),
      startAtMs: START_MS + 10 * SECOND_MS,
      expiresAtMs: START_MS + 5 * MINUTE_MS,
      busyMs: 2 * MINUTE_MS,
      linkLossAction: 'continue',
      preflight: {
        distance_m: 0,
        duration_s: 0,
        return_distance_m: 0,
        battery_required: 0,
        battery_available: 100,
        battery_reserve: 20,
        legs: [],
      },
    },
  },
  START_MS,
);

const timeMs = fc.integer({ min: -MINUTE_MS, max: 30 * MINUTE_MS }).map((sinceMs) => START_MS + sinceMs);
const tick = fc.record({
  kind: fc.constant('tick' as const),
  isReachable: fc.boolean(),
  deviceFree: fc.boolean(),
  isStopped: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
});
const waypoint = fc.record(
  {
    index: fc.integer({ min: 0, max: WAYPOINTS }),
    state: fc.constantFrom(...WAYPOINT_STATUSES),
    reached_at: timeMs,
    action_result: fc.constantFrom(...ACTION_RESULTS),
  },
  { requiredKeys: ['index', 'state'] },
);
const word = fc.record({
  state: fc.constantFrom(...MISSION_STATES),
  waypoints: fc.array(waypoint, { maxLength: 4 }),
  reason: fc.option(fc.string()),
  tsMs: timeMs,
});
const input: fc.Arbitrary<MissionInput> = fc.oneof(
  fc.record({ kind: fc.constantFrom(...MISSION_REQUESTS) }),
  fc.constant({ kind: 'emergency_stop' } as const),
  fc.record({
    kind: fc.constant('declare_ended' as const),
    declaration: fc.constant({ reason: 'looked', looked_by: 'Ada', by: null }),
    isReachable: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('not_sent' as const),
    send: fc.constantFrom('upload' as const, 'start' as const, 'resume' as const),
  }),
  fc.record({ kind: fc.constant('ack' as const), accepted: fc.boolean(), reason: fc.option(fc.string()) }),
  word.map((said) => ({ kind: 'progress' as const, ...said })),
  tick,
  tick,
);
const steps = fc.array(fc.tuple(input, timeMs), { maxLength: 40 });

interface Step extends MissionTransition {
  readonly before: MissionState;
  readonly input: MissionInput;
}

/** The steps of a random sequence of inputs; time jumps in both directions, because a clock may be set. */
function walk(inputs: readonly (readonly [MissionInput, number])[], from = scheduled): Step[] {
  let before = from;
  return inputs.map(([given, nowMs]) => {
    const step = { before, input: given, ...advanceMission(before, given, nowMs) };
    before = step.mission;
    return step;
  });
}

const onEveryStep = (check: (step: Step) => void): void =>
  fc.assert(
    fc.property(steps, (inputs) => walk(inputs).forEach(check)),
    { numRuns: 500 },
  );

/** Missions close to their start, which an unrestricted random sequence rarely reaches. */
const uploaded: MissionState = {
  ...scheduled,
  status: 'dispatched',
  dispatchedAtMs: START_MS,
  uploadSentAtMs: START_MS,
  acceptedAtMs: START_MS,
};
const ready = fc.constantFrom(scheduled, uploaded);
const tickWhileReady = fc.record({
  kind: fc.constant('tick' as const),
  isReachable: fc.constant(true),
  deviceFree: fc.constant(true),
  isStopped: fc.integer({ min: 0, max: 5 }).map((chance) => chance === 0),
});
const stepsAtStart = fc.array(
  fc.tuple(
    fc.oneof({ weight: 2, arbitrary: tickWhileReady }, { weight: 1, arbitrary: input }),
    fc.integer({ min: 0, max: 4 * MINUTE_MS }).map((sinceMs) => START_MS + 10 * SECOND_MS + sinceMs),
  ),
  { maxLength: 12 },
);

describe('whatever happens to a mission', () => {
  it('its status is a known one, with an end and a reason exactly when it says so', () => {
    const open = ['scheduled', 'dispatched', 'in_progress', 'paused'];
    onEveryStep(({ mission }) => {
      assert.ok(MISSION_STATUSES.includes(mission.status));
      assert.equal(mission.endedAtMs === null, open.includes(mission.status));
      assert.equal(mission.result !== null, isMissionOver(mission) && mission.status !== 'completed');
      if (isMissionOver(mission)) assert.equal(mission.requested, null);
    });
  });

  it('its start is sent only while it is on the device and has not begun', () => {
    onEveryStep(({ before, send }) => {
      if (send !== 'start') return;
      assert.equal(before.status, 'dispatched');
      assert.notEqual(before.acceptedAtMs, null);
      assert.equal(before.requested, null);
    });
  });

  it('its start is sent at most once, and a resume once for each request', () => {
    fc.assert(
      fc.property(ready, stepsAtStart, (from, inputs) => {
        const walked = walk(inputs, from);
        assert.ok(walked.filter(({ send }) => send === 'start').length <= 1);
        for (const { input: given, send } of walked)
          if (send === 'resume') assert.equal(given.kind, 'resume');
      }),
      { numRuns: 2_000 },
    );
  });

  it('neither its upload nor its start is sent while an emergency stop is in force', () => {
    fc.assert(
      fc.property(ready, stepsAtStart, (from, inputs) => {
        for (const { input: given, send } of walk(inputs, from)) {
          if (given.kind !== 'tick' || !given.isStopped) continue;
          assert.ok(send === null || send === 'cancel' || send === 'report');
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('it is uploaded only as long as its start was never sent', () => {
    onEveryStep(({ before, send }) => {
      if (send === 'upload') assert.equal(before.startSentAtMs, null);
    });
  });

  it('only a report of the device completes it', () => {
    onEveryStep(({ before, input: given, mission }) => {
      if (mission.status !== 'completed' || before.status === 'completed') return;
      assert.ok(given.kind === 'progress' && given.state === 'completed');
    });
  });

  it('an ended mission is reopened only to be cancelled, unless it had ended as lost', () => {
    onEveryStep(({ before, mission, send }) => {
      if (!isMissionOver(before) || isMissionOver(mission) || before.result?.reason === 'lost') return;
      assert.deepEqual([mission.requested, send], ['cancel', 'cancel']);
    });
  });

  it('a second tick at the same time changes nothing', () => {
    fc.assert(
      fc.property(steps, tick, timeMs, (inputs, once, nowMs) => {
        const before = walk(inputs).at(-1)?.mission ?? scheduled;
        const ticked = advanceMission(before, once, nowMs).mission;
        assert.deepEqual(advanceMission(ticked, once, nowMs), { mission: ticked, send: null });
      }),
      { numRuns: 500 },
    );
  });
});

describe('the merged states of the waypoints', () => {
  it('do not depend on the order of the reports, or on how often they arrive', () => {
    const words = fc.array(word, { maxLength: 6 });
    fc.assert(
      fc.property(words, fc.array(fc.nat(), { maxLength: 12 }), (said, picks) => {
        const learnAll = (from: readonly (typeof said)[number][]) =>
          from.reduce((known, one) => mergeWaypoints(known, one), scheduled.waypoints);
        const echoes = said.length === 0 ? [] : picks.flatMap((pick) => said[pick % said.length] ?? []);
        const inOrder = learnAll(said);
        assert.deepEqual(learnAll([...echoes, ...said.toReversed()]), inOrder);
        assert.equal(mergeWaypoints(inOrder, said[0] ?? { ...emptyWord }), inOrder);
      }),
      { numRuns: 500 },
    );
  });
});

const emptyWord = { state: 'running', waypoints: [], reason: null, tsMs: START_MS } as const;

/** A correct device: it starts an uploaded mission once and before the start expires; it may lose its memory. */
class TruthfulDevice {
  state: ReportedState = 'unknown';
  runs = 0;
  leftS = 60;

  obey(send: NonNullable<MissionTransition['send']>, nowMs: number): void {
    const isHeld = this.state === 'uploaded' || this.state === 'running' || this.state === 'paused';
    if (send === 'upload' && this.state === 'unknown') this.state = 'uploaded';
    if (send === 'start' && this.state === 'uploaded' && nowMs <= scheduled.plan.expiresAtMs) {
      this.state = 'running';
      this.runs += 1;
    }
    if (send === 'pause' && this.state === 'running') this.state = 'paused';
    if (send === 'resume' && this.state === 'paused') this.state = 'running';
    if (send === 'cancel' && isHeld) this.state = 'aborted';
  }

  pass(): void {
    if (this.state !== 'running') return;
    this.leftS -= 1;
    if (this.leftS === 0) this.state = 'completed';
  }
}

/** The faults in one second of a mission. */
const second = fc.record({
  linkIsUp: fc.boolean(),
  messageIsLost: fc.boolean(),
  replyIsLost: fc.boolean(),
  deviceForgets: fc.integer({ min: 0, max: 100 }).map((chance) => chance === 0),
  asked: fc.option(fc.constantFrom(...MISSION_REQUESTS), { freq: 30 }),
});
const NO_TROUBLE = {
  linkIsUp: true,
  messageIsLost: false,
  replyIsLost: false,
  deviceForgets: false,
  asked: 'resume',
} as const;
const SECONDS_TO_END_MAX = (scheduled.plan.busyMs + LOST_MARGIN_MS + 10 * MINUTE_MS) / SECOND_MS;

describe('with a device that answers truthfully in the end', () => {
  it('every mission ends, in the state that the device is in, and none runs twice', () => {
    fc.assert(
      fc.property(fc.array(second, { maxLength: 400 }), (troubles) => {
        const device = new TruthfulDevice();
        let mission = scheduled;
        let forgot = false;
        const calm = Array<typeof NO_TROUBLE>(SECONDS_TO_END_MAX).fill(NO_TROUBLE);
        for (const [index, trouble] of [...troubles, ...calm].entries()) {
          const nowMs = START_MS + index * SECOND_MS;
          const { linkIsUp, messageIsLost, replyIsLost, deviceForgets, asked } = trouble;
          const take = ({ mission: after, send }: MissionTransition): void => {
            mission = after;
            if (send !== null && linkIsUp && !messageIsLost) device.obey(send, nowMs);
          };
          device.pass();
          if (deviceForgets && device.state !== 'unknown') {
            forgot = true;
            device.state = 'unknown';
          }
          if (asked !== null) take(advanceMission(mission, { kind: asked }, nowMs));
          take(
            advanceMission(
              mission,
              { kind: 'tick', isReachable: linkIsUp, deviceFree: true, isStopped: false },
              nowMs,
            ),
          );
          if (!linkIsUp || replyIsLost || mission.status === 'scheduled') continue;
          const said = { ...emptyWord, kind: 'progress', state: device.state, tsMs: nowMs } as const;
          take(advanceMission(mission, said, nowMs));
        }
        assert.ok(isMissionOver(mission), mission.status);
        assert.ok(device.state !== 'running' && device.state !== 'paused');
        assert.ok(device.runs <= 1);
        if (forgot) return;
        assert.equal(mission.status === 'completed', device.state === 'completed');
        if (device.state === 'aborted' && device.runs > 0) assert.equal(mission.status, 'cancelled');
        if (device.runs === 0) assert.ok(['missed', 'cancelled'].includes(mission.status), mission.status);
      }),
      { numRuns: 200 },
    );
  });
});
