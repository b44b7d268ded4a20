import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import type { MissionState as ReportedState } from '@granary/contract/link/field-messages';
import { MISSION_REQUESTS, type MissionReason, type MissionStatus } from '@granary/contract/missions';
import { sentence } from '@granary/contract/sentences/codes';
import { DAY_MS, HOUR_MS, toIso } from '@granary/contract/time';
import { TWO_WAYPOINT_PLAN as plan, START_MS } from '@granary/testing/core/missions';
import { FRESHNESS_MS } from '../devices/status.ts';
import { EXPIRY_SKEW_MS, MOTION_EXPIRY_MS, REPORT_SPACING_MS, STOP_RESEND_MS } from '../jobs/polling.ts';
import { missionMessage, missionRecord } from './record.ts';
import { REORDER_MS_MAX } from './reports.ts';
import { beginMission, isMissionFinished, MISSION_DOCUMENT, type MissionState } from './state.ts';
import { LOST_MARGIN_MS, type MissionSend, START_ANSWER_MS_MAX, UPLOAD_ANSWER_MS_MAX } from './steps.ts';
import {
  advanceMission,
  type MissionInput,
  type MissionTick,
  refuseRequest,
  UPLOAD_LEAD_MS,
  UPLOAD_RESEND_MS,
} from './transitions.ts';

const SOON_MS = START_MS + 1_000;

const EXPIRED_MS = plan.expiresAtMs + 1;
const LOST_MS = START_MS + plan.busyMs + LOST_MARGIN_MS + 1;

const scheduled = beginMission({ missionId: 'ms_1', deviceNo: 1, name: 'round', plan }, START_MS);
const sent = { status: 'dispatched', dispatchedAtMs: START_MS, uploadSentAtMs: START_MS } as const;
const dispatched: MissionState = { ...scheduled, ...sent };
const uploaded: MissionState = { ...dispatched, acceptedAtMs: START_MS, lastHeardAtMs: START_MS };
const starting: MissionState = { ...uploaded, startSentAtMs: START_MS };
const running: MissionState = { ...starting, status: 'in_progress', startedAtMs: START_MS };
const wanting = (requested: MissionState['requested']) => ({ requested, requestSentAtMs: START_MS });
const ended = (status: MissionStatus, reason: MissionReason | null): MissionState => ({
  ...running,
  status,
  endedAtMs: START_MS,
  result: reason === null ? null : { reason, message: sentence('was_cancelled') },
});

/** One mission for each state that the transitions distinguish. */
const SITUATIONS = {
  scheduled,
  dispatched,
  uploaded,
  starting,
  running,
  pausing: { ...running, ...wanting('pause') },
  silent: { ...running, linkLostAtMs: START_MS },
  paused: { ...running, status: 'paused' },
  resuming: { ...running, status: 'paused', ...wanting('resume') },
  cancelling: { ...running, ...wanting('cancel') },
  halting: { ...running, ...wanting('cancel'), isHaltedByStop: true },
  completed: ended('completed', null),
  aborted: ended('aborted', 'ended_by_device'),
  cancelled: ended('cancelled', 'cancelled'),
  lost: ended('failed', 'lost'),
  missed: { ...ended('missed', 'not_started'), startSentAtMs: null, startedAtMs: null },
} as const satisfies Record<string, MissionState>;

type Situation = keyof typeof SITUATIONS;

const progress = (state: ReportedState, change: object = {}): MissionInput => ({
  kind: 'progress',
  state,
  waypoints: [],
  reason: null,
  tsMs: SOON_MS,
  ...change,
});
const online: MissionTick = { kind: 'tick', isReachable: true, deviceFree: true, isStopped: false };
const offline: MissionTick = { ...online, isReachable: false };
const stopped: MissionTick = { ...online, isStopped: true };
const START_IGNORED_MS = START_MS + START_ANSWER_MS_MAX;

const INPUTS = {
  pause: [{ kind: 'pause' }, SOON_MS],
  resume: [{ kind: 'resume' }, SOON_MS],
  cancel: [{ kind: 'cancel' }, SOON_MS],
  'emergency stop': [{ kind: 'emergency_stop' }, SOON_MS],
  'start not sent': [{ kind: 'not_sent', send: 'start' }, SOON_MS],
  'resume not sent': [{ kind: 'not_sent', send: 'resume' }, SOON_MS],
  accepted: [{ kind: 'ack', accepted: true, reason: null }, SOON_MS],
  refused: [{ kind: 'ack', accepted: false, reason: 'memory full' }, SOON_MS],
  'says uploaded': [progress('uploaded'), SOON_MS],
  'says uploaded after the start has expired': [progress('uploaded'), START_IGNORED_MS],
  'says uploaded, too late': [progress('uploaded'), plan.expiresAtMs + EXPIRY_SKEW_MS + 1],
  'says running': [progress('running'), SOON_MS],
  'says paused': [progress('paused'), SOON_MS],
  'says completed': [progress('completed'), SOON_MS],
  'says aborted': [progress('aborted'), SOON_MS],
  'says failed': [progress('failed'), SOON_MS],
  'says unknown': [progress('unknown'), SOON_MS],
  tick: [online, START_MS + UPLOAD_RESEND_MS],
  'tick offline': [offline, SOON_MS],
  'tick while stopped': [stopped, START_MS + UPLOAD_RESEND_MS],
  'tick after the latest start': [online, EXPIRED_MS],
  'tick after the time limit of a silent device': [online, LOST_MS],
} as const satisfies Record<string, readonly [MissionInput, number]>;

type Outcome = MissionStatus | `${MissionStatus}, send ${MissionSend}`;

const OVER = {
  completed: 'completed',
  aborted: 'aborted',
  cancelled: 'cancelled',
  lost: 'failed',
  missed: 'missed',
} as const;
const REVOKED = {
  completed: 'completed, send cancel',
  aborted: 'aborted, send cancel',
  cancelled: 'cancelled, send cancel',
  lost: 'failed, send cancel',
  missed: 'missed, send cancel',
} as const;
const UNCHANGED = {
  scheduled: 'scheduled',
  dispatched: 'dispatched',
  uploaded: 'dispatched',
  starting: 'dispatched',
  running: 'in_progress',
  pausing: 'in_progress',
  silent: 'in_progress',
  paused: 'paused',
  resuming: 'paused',
  cancelling: 'in_progress',
  halting: 'in_progress',
  ...OVER,
} as const;

const open = <Status extends Outcome>(status: Status) => ({
  scheduled: status,
  dispatched: status,
  uploaded: status,
  starting: status,
  running: status,
  pausing: status,
  silent: status,
  paused: status,
  resuming: status,
  cancelling: status,
  halting: status,
});
/** The mission ended without a report, so a report of the device decides about its outcome. */
const presumed = <Status extends Outcome>(status: Status) => ({ lost: status, missed: status });

/** A time after which the mission must not begin. */
const LATE = {
  ...UNCHANGED,
  scheduled: 'missed',
  dispatched: 'missed, send cancel',
  uploaded: 'missed, send cancel',
  starting: 'dispatched, send report',
  running: 'in_progress, send report',
  pausing: 'in_progress, send pause',
  silent: 'in_progress, send report',
  paused: 'paused, send report',
  resuming: 'paused, send report',
  cancelling: 'in_progress, send cancel',
  halting: 'in_progress, send cancel',
  lost: 'failed, send report',
} as const;

/** A mission whose start was never sent ends at once; one that may run is ended by the device. */
const HALTED = {
  scheduled: 'missed',
  dispatched: 'missed, send cancel',
  uploaded: 'missed, send cancel',
  starting: 'dispatched, send cancel',
  running: 'in_progress, send cancel',
  pausing: 'in_progress, send cancel',
  silent: 'in_progress, send cancel',
  paused: 'paused, send cancel',
  resuming: 'paused, send cancel',
} as const;

const TABLE: Record<keyof typeof INPUTS, Record<Situation, Outcome>> = {
  pause: {
    ...UNCHANGED,
    running: 'in_progress, send pause',
    silent: 'in_progress, send pause',
    resuming: 'paused, send pause',
  },
  resume: { ...UNCHANGED, pausing: 'in_progress, send resume', paused: 'paused, send resume' },
  cancel: {
    scheduled: 'cancelled',
    dispatched: 'cancelled, send cancel',
    uploaded: 'cancelled, send cancel',
    starting: 'dispatched, send cancel',
    running: 'in_progress, send cancel',
    pausing: 'in_progress, send cancel',
    silent: 'in_progress, send cancel',
    paused: 'paused, send cancel',
    resuming: 'paused, send cancel',
    cancelling: 'in_progress',
    halting: 'in_progress',
    ...OVER,
  },
  'emergency stop': { ...UNCHANGED, ...HALTED },
  'start not sent': { ...UNCHANGED, starting: 'failed' },
  'resume not sent': UNCHANGED,
  accepted: { ...UNCHANGED, ...REVOKED },
  refused: { ...UNCHANGED, dispatched: 'failed' },
  'says uploaded': {
    ...UNCHANGED,
    running: 'failed, send cancel',
    pausing: 'failed, send cancel',
    silent: 'failed, send cancel',
    paused: 'failed, send cancel',
    resuming: 'failed, send cancel',
    cancelling: 'failed, send cancel',
    halting: 'failed, send cancel',
    ...REVOKED,
  },
  'says uploaded after the start has expired': {
    ...open('failed, send cancel'),
    scheduled: 'scheduled',
    dispatched: 'dispatched',
    uploaded: 'dispatched',
    starting: 'missed, send cancel',
    ...REVOKED,
  },
  'says uploaded, too late': {
    ...open('failed, send cancel'),
    scheduled: 'scheduled',
    dispatched: 'missed, send cancel',
    uploaded: 'missed, send cancel',
    starting: 'missed, send cancel',
    ...REVOKED,
  },
  'says running': {
    ...open('in_progress'),
    completed: 'in_progress, send cancel',
    aborted: 'in_progress, send cancel',
    cancelled: 'in_progress, send cancel',
    lost: 'in_progress',
    missed: 'in_progress, send cancel',
  },
  'says paused': {
    ...open('paused'),
    completed: 'paused, send cancel',
    aborted: 'paused, send cancel',
    cancelled: 'paused, send cancel',
    lost: 'paused',
    missed: 'paused, send cancel',
  },
  'says completed': { ...open('completed'), ...OVER, ...presumed('completed') },
  'says aborted': { ...open('aborted'), cancelling: 'cancelled', ...OVER, lost: 'aborted' },
  'says failed': { ...open('failed'), ...OVER, ...presumed('failed') },
  'says unknown': {
    ...open('failed'),
    scheduled: 'scheduled',
    dispatched: 'dispatched',
    uploaded: 'dispatched',
    cancelling: 'cancelled',
    ...OVER,
  },
  tick: {
    ...UNCHANGED,
    scheduled: 'dispatched, send upload',
    dispatched: 'dispatched, send upload',
    uploaded: 'dispatched, send start',
    starting: 'dispatched, send report',
    running: 'in_progress, send report',
    pausing: 'in_progress, send pause',
    silent: 'in_progress, send report',
    paused: 'paused, send report',
    resuming: 'paused, send report',
    cancelling: 'in_progress, send cancel',
    halting: 'in_progress, send cancel',
    lost: 'failed, send report',
  },
  'tick offline': UNCHANGED,
  'tick while stopped': {
    ...UNCHANGED,
    ...HALTED,
    cancelling: 'in_progress, send cancel',
    halting: 'in_progress, send cancel',
    lost: 'failed, send report',
  },
  'tick after the latest start': LATE,
  'tick after the time limit of a silent device': { ...LATE, silent: 'failed, send report' },
};

const keysOf = <Key extends string>(record: Record<Key, unknown>): Key[] => Object.keys(record) as Key[];

for (const name of keysOf(INPUTS)) {
  describe(`a mission, at ${name}`, () => {
    for (const situation of keysOf(SITUATIONS)) {
      const expected = TABLE[name][situation];
      it(`${situation}: ${expected}`, () => {
        const [input, nowMs] = INPUTS[name];
        const { mission, send } = advanceMission(SITUATIONS[situation], input, nowMs);
        assert.equal(send === null ? mission.status : `${mission.status}, send ${send}`, expected);
      });
    }
  });
}

const after = (from: MissionState, ...inputs: readonly (readonly [MissionInput, number])[]): MissionState =>
  inputs.reduce((mission, [input, nowMs]) => advanceMission(mission, input, nowMs).mission, from);
const sendAt = (mission: MissionState, nowMs: number, input = online): MissionSend | null =>
  advanceMission(mission, input, nowMs).send;

describe('the beginning of a mission', () => {
  it('is uploaded shortly before the start, as soon as the device is reachable and free', () => {
    const leadMs = START_MS - UPLOAD_LEAD_MS;
    assert.equal(sendAt(scheduled, leadMs - 1), null);
    assert.equal(sendAt(scheduled, leadMs), 'upload');
    assert.equal(sendAt(scheduled, SOON_MS, offline), null);
    assert.equal(sendAt(scheduled, SOON_MS, { ...online, deviceFree: false }), null);
    assert.equal(sendAt(scheduled, plan.expiresAtMs), 'upload');
  });

  it('waits for the start, and is uploaded again when the device has lost the mission before it', () => {
    const early = after(scheduled, [online, START_MS - 4_000], [INPUTS.accepted[0], START_MS - 3_000]);
    assert.equal(sendAt(early, START_MS - 1), null);
    assert.equal(sendAt(early, START_MS), 'start');
    const forgotten = after(early, [progress('unknown', { tsMs: START_MS }), START_MS - 2_000]);
    assert.equal(forgotten.acceptedAtMs, null);
    assert.equal(sendAt(forgotten, START_MS + UPLOAD_RESEND_MS), 'upload');
  });

  it('sends the start once, and requests reports from then on', () => {
    const told = after(uploaded, [online, SOON_MS]);
    assert.deepEqual(missionMessage(told, 'start'), {
      command: 'mission_start',
      mission_id: 'ms_1',
      expires_at: toIso(SOON_MS + MOTION_EXPIRY_MS),
    });
    assert.equal(sendAt(told, SOON_MS + REPORT_SPACING_MS - 1), null);
    assert.equal(sendAt(told, SOON_MS + REPORT_SPACING_MS), 'report');
    assert.equal(sendAt(told, SOON_MS + MOTION_EXPIRY_MS), 'report');
    assert.equal(sendAt(told, EXPIRED_MS), 'report');
  });

  it('needs a device that is free, not only reachable', () => {
    assert.notEqual(sendAt(uploaded, SOON_MS, { ...online, deviceFree: false }), 'start');
  });

  it('is missed when the device does not answer the upload', () => {
    const lastMs = START_MS + UPLOAD_ANSWER_MS_MAX;
    assert.equal(after(dispatched, [online, lastMs]).status, 'dispatched');
    const missed = after(dispatched, [online, lastMs + 1]);
    assert.deepEqual([missed.status, missed.result?.reason], ['missed', 'not_started']);
  });

  it('that is due during an emergency stop is missed for that reason, and not before its time', () => {
    assert.equal(after(scheduled, [stopped, START_MS - 1]).status, 'scheduled');
    const missed = after(scheduled, [stopped, START_MS]);
    assert.deepEqual([missed.status, missed.result?.reason], ['missed', 'emergency_stop_active']);
  });
});

describe('a mission', () => {
  it('sends a pause until the device confirms', () => {
    const pausing = after(running, [{ kind: 'pause' }, SOON_MS], [progress('running'), SOON_MS]);
    assert.equal(pausing.requested, 'pause');
    assert.equal(sendAt(pausing, SOON_MS + STOP_RESEND_MS - 1), null);
    assert.equal(sendAt(pausing, SOON_MS + STOP_RESEND_MS), 'pause');
    assert.equal(sendAt(pausing, SOON_MS + STOP_RESEND_MS, offline), null);
    const paused = after(pausing, [progress('paused'), SOON_MS]);
    assert.deepEqual([paused.status, paused.requested], ['paused', null]);
  });

  it('sends a resume once, and drops the request when it has expired', () => {
    const resuming = after(SITUATIONS.paused, [{ kind: 'resume' }, SOON_MS]);
    assert.deepEqual(missionMessage(resuming, 'resume'), {
      command: 'mission_resume',
      mission_id: 'ms_1',
      expires_at: toIso(SOON_MS + MOTION_EXPIRY_MS),
    });
    assert.notEqual(sendAt(resuming, SOON_MS + STOP_RESEND_MS), 'resume');
    assert.equal(after(resuming, [online, SOON_MS + MOTION_EXPIRY_MS - 1]).requested, 'resume');
    assert.equal(after(resuming, [online, SOON_MS + MOTION_EXPIRY_MS]).requested, null);
    assert.equal(after(resuming, INPUTS['resume not sent']).requested, null);
  });

  it('that an emergency stop ended is aborted for that reason when the device reports it', () => {
    const halted = after(running, INPUTS['emergency stop'], INPUTS['says aborted']);
    assert.deepEqual([halted.status, halted.result?.reason], ['aborted', 'emergency_stop']);
    const forgotten = after(running, INPUTS['emergency stop'], INPUTS['says unknown']);
    assert.deepEqual([forgotten.status, forgotten.result?.reason], ['failed', 'forgotten']);
  });

  it('is read as it was stored', () => {
    assert.deepEqual(MISSION_DOCUMENT.read(MISSION_DOCUMENT.write(running)), running);
  });

  it('has a status detail of one sentence', () => {
    for (const mission of Object.values(SITUATIONS)) {
      assert.match(missionRecord(mission).status_detail, /^[A-Z][^.]*(\.\d{3}Z[^.]*)*\.$/);
    }
  });

  it('can be paused and resumed only while it runs', () => {
    for (const [situation, mission] of Object.entries(SITUATIONS)) {
      const isRunning = ['running', 'pausing', 'silent', 'paused', 'resuming'].includes(situation);
      for (const kind of MISSION_REQUESTS) {
        const ask = () => refuseRequest(mission, kind);
        if (isRunning || kind === 'cancel') ask();
        else assert.throws(ask, (error) => error instanceof Refusal && error.code === 'mission_not_running');
      }
    }
  });

  it('shows since when its device has been silent', () => {
    const away = after(running, [offline, SOON_MS], [offline, SOON_MS + 1]);
    assert.equal(away.linkLostAtMs, SOON_MS);
    assert.equal(missionRecord(away).link_lost_at, toIso(SOON_MS));
    assert.equal(missionRecord(away).link_loss_action, 'hold');
    assert.equal(after(away, [online, SOON_MS + 2]).linkLostAtMs, null);
  });

  it('has a result with the reason when it did not complete', () => {
    const resultOf = (from: MissionState, ...step: readonly [MissionInput, number]) =>
      after(from, step).result;
    assert.deepEqual(resultOf(dispatched, ...INPUTS.refused), {
      reason: 'refused',
      message: sentence('device_said', { words: 'memory full' }),
    });
    assert.deepEqual(resultOf(running, progress('aborted', { reason: 'low battery' }), SOON_MS), {
      reason: 'ended_by_device',
      message: sentence('device_said', { words: 'low battery' }),
    });
    const unsent = after(SITUATIONS.starting, INPUTS['start not sent']);
    assert.equal(resultOf(unsent, ...INPUTS['says aborted'])?.reason, 'not_sent');
    assert.equal(resultOf(running, ...INPUTS['says unknown'])?.reason, 'forgotten');
    assert.equal(
      resultOf(SITUATIONS.silent, ...INPUTS['tick after the time limit of a silent device'])?.reason,
      'lost',
    );
    assert.equal(resultOf(scheduled, ...INPUTS['tick after the latest start'])?.reason, 'not_started');
  });

  it('ignores delayed reports, but accepts those of a device clock that was set back', () => {
    const paused = after(running, [progress('paused'), SOON_MS]);
    assert.equal(after(paused, [progress('running', { tsMs: SOON_MS - 1 }), SOON_MS]).status, 'paused');
    const backMs = SOON_MS - REORDER_MS_MAX - 1;
    assert.equal(after(paused, [progress('running', { tsMs: backMs }), SOON_MS]).status, 'in_progress');
    const completed = after(running, [progress('completed'), SOON_MS]);
    assert.equal(advanceMission(completed, progress('running'), SOON_MS).mission, completed);
    assert.equal(after(paused, [progress('uploaded'), SOON_MS]).status, 'paused');
  });

  it('that is lost ends as lost in one step, also while an emergency stop is in force', () => {
    const stopped = { ...offline, isStopped: true };
    const once = after(SITUATIONS.silent, [stopped, LOST_MS]);
    assert.equal(once.result?.reason, 'lost');
    assert.equal(after(once, [stopped, LOST_MS]), once);
  });

  it('that ended as lost is asked for reports for a day', () => {
    const lost = after(SITUATIONS.silent, [offline, LOST_MS]);
    assert.equal(isMissionFinished(lost, LOST_MS + DAY_MS), false);
    assert.equal(sendAt(lost, LOST_MS + DAY_MS), 'report');
    assert.equal(isMissionFinished(lost, LOST_MS + DAY_MS + 1), true);
    const asked = after(lost, [online, LOST_MS + HOUR_MS]);
    assert.equal(sendAt(asked, LOST_MS + HOUR_MS + REPORT_SPACING_MS - 1), null);
    assert.equal(after(asked, [progress('completed'), LOST_MS + HOUR_MS]).status, 'completed');
  });
});

describe('a service that was down for a long time', () => {
  it('waits for reports for some time before a mission ends as lost', () => {
    const heardAgain = after(running, [offline, LOST_MS]);
    assert.deepEqual([heardAgain.status, heardAgain.linkLostAtMs], ['in_progress', LOST_MS]);
    assert.equal(after(heardAgain, [offline, LOST_MS + FRESHNESS_MS]).status, 'in_progress');
    assert.equal(after(heardAgain, [offline, LOST_MS + FRESHNESS_MS + 1]).status, 'failed');
    const back = after(heardAgain, [progress('completed'), LOST_MS + 1]);
    assert.equal(back.status, 'completed');
  });
});
