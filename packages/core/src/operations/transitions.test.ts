import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationProgress, ProgressState } from '@granary/contract/link/messages';
import { sentence } from '@granary/contract/sentences/codes';
import { MINUTE_MS } from '@granary/contract/time';
import {
  LATE_MS,
  plan,
  report,
  SITUATIONS,
  SOON_MS,
  START_MS,
  started,
  tick,
} from '@granary/testing/core/operation-situations';
import { REPORT_SPACING_MS, STOP_RESEND_MS } from '../jobs/polling.ts';
import {
  holdsDevice,
  isFinished,
  type OperationState,
  START_SKEW_MS,
  unsolicitedOperation,
} from './state.ts';
import { ACK_TIMEOUT_MS, advanceOperation, type OperationInput } from './transitions.ts';
import { OVERRUN_MARGIN_MS, WATCHDOG_MS_MIN } from './watchdog.ts';

/** The operation after these inputs, applied in order. */
const after = (
  from: OperationState,
  ...inputs: readonly (readonly [OperationInput, number])[]
): OperationState =>
  inputs.reduce((operation, [input, nowMs]) => advanceOperation(operation, input, nowMs).operation, from);

const inProgress = SITUATIONS.in_progress;

describe('an operation', () => {
  it('waits for its acknowledgement until the time limit', () => {
    assert.equal(after(started, [tick(), START_MS + ACK_TIMEOUT_MS - 1]).status, 'started');
    assert.equal(after(started, [tick(), START_MS + ACK_TIMEOUT_MS]).status, 'unconfirmed');
  });

  it('requests reports from a silent device, at most once per report interval', () => {
    const sends = [0, REPORT_SPACING_MS, REPORT_SPACING_MS + 1, 2 * REPORT_SPACING_MS].map(
      (_, index, times) => {
        const earlier = times.slice(0, index).map((ms) => [tick(), START_MS + ms] as const);
        return advanceOperation(after(inProgress, ...earlier), tick(), START_MS + (times[index] ?? 0)).send;
      },
    );
    assert.deepEqual(sends, [null, 'report', null, 'report']);
  });

  it('sends its stop again until the device confirms, also when the clock was set back', () => {
    const stopping = after(inProgress, [{ kind: 'stop' }, SOON_MS]);
    assert.equal(advanceOperation(stopping, tick(), SOON_MS + STOP_RESEND_MS - 1).send, null);
    assert.equal(advanceOperation(stopping, tick(), SOON_MS + STOP_RESEND_MS).send, 'stop');
    assert.equal(advanceOperation(stopping, tick(), SOON_MS - MINUTE_MS).send, 'stop');
    assert.equal(advanceOperation(stopping, tick({ isReachable: false }), SOON_MS + MINUTE_MS).send, null);
    const confirmed = after(stopping, [report('stopped'), SOON_MS]);
    assert.equal(advanceOperation(confirmed, tick(), SOON_MS + MINUTE_MS).send, null);
  });

  const at = (amountG: number, tsMs: number, state: ProgressState = 'running') =>
    [{ ...report(state), amountG, tsMs }, SOON_MS] as const;

  it('has the amount of the newest report by the clock of the device', () => {
    const amountAfter = (...reports: readonly ReturnType<typeof at>[]) =>
      after(inProgress, ...reports).amountCompletedG;
    assert.equal(amountAfter(at(2_500_000, SOON_MS), at(400_000, SOON_MS + 1)), 400_000);
    assert.equal(amountAfter(at(400_000, SOON_MS + 1), at(2_500_000, SOON_MS)), 400_000);
    assert.equal(amountAfter(at(700, SOON_MS), at(500, SOON_MS)), 700);
    assert.equal(amountAfter(at(500, SOON_MS), at(700, SOON_MS)), 700);
    assert.equal(amountAfter(at(3_000_000, SOON_MS)), 3_000_000);
  });

  it('has the amount of a correct report although an earlier one had a timestamp far in the future', () => {
    const wrong = at(77_000, Date.parse('9999-12-31T23:59:59Z'));
    const corrected = after(inProgress, wrong, at(3_000, SOON_MS));
    assert.equal(corrected.amountCompletedG, 3_000);
    assert.equal(after(corrected, at(4_000, SOON_MS + 1), at(2_000, SOON_MS)).amountCompletedG, 4_000);
    const fastMs = SOON_MS + 60 * MINUTE_MS;
    assert.equal(after(inProgress, at(5_000, fastMs), at(4_000, fastMs - 1)).amountCompletedG, 5_000);
  });

  it('has the amount that the device reports with the end, also when its clock was set back', () => {
    const ending = [at(400_000, SOON_MS), at(600_000, START_MS - MINUTE_MS, 'completed')];
    assert.equal(after(inProgress, ...ending).amountCompletedG, 600_000);
    const late = after(inProgress, ...ending, at(900_000, START_MS, 'completed'));
    assert.equal(late.amountCompletedG, 600_000);
  });

  it('keeps its amount when the device no longer knows it', () => {
    const lostMemory = after(inProgress, at(400_000, SOON_MS), at(0, SOON_MS + 1, 'unknown'));
    assert.deepEqual([lostMemory.status, lostMemory.amountCompletedG], ['failed', 400_000]);
  });

  it('that ended is not reopened by a report that was delivered twice', () => {
    const running = { ...report('running'), tsMs: SOON_MS - 1 };
    const completed = after(inProgress, [report('completed'), SOON_MS]);
    assert.equal(advanceOperation(completed, running, SOON_MS).operation, completed);
    assert.equal(after(completed, [{ ...running, tsMs: SOON_MS + 1 }, SOON_MS]).status, 'stopping');
    assert.equal(after(completed, [{ ...running, amountG: 1_001 }, SOON_MS]).status, 'stopping');
  });

  it('that ended is not reopened by a report of the very time of its end', () => {
    const completed = after(inProgress, [report('completed'), SOON_MS]);
    assert.equal(advanceOperation(completed, report('running'), SOON_MS + 1).operation, completed);
  });

  it('that ended is not reopened by a wrong amount that was reported before and is delivered again', () => {
    const wrong = at(2_500_000, SOON_MS);
    const completed = after(inProgress, wrong, at(1_000_000, SOON_MS + 1, 'completed'));
    assert.equal(after(completed, wrong), completed);
  });

  it('that was reopened has the time of that', () => {
    const stopped = after(inProgress, [report('stopped'), SOON_MS]);
    const again = after(stopped, [{ ...report('running'), tsMs: SOON_MS + 1 }, SOON_MS + 5]);
    assert.deepEqual([again.status, again.reopenedAtMs], ['stopping', SOON_MS + 5]);
    const over = after(again, [{ ...report('stopped'), tsMs: SOON_MS + 2 }, SOON_MS + 9]);
    assert.deepEqual([over.status, over.reopenedAtMs], ['stopped', SOON_MS + 5]);
  });

  it('that was reopened is not ended by the repeated report of its first end', () => {
    const stopped = [report('stopped'), SOON_MS] as const;
    const running = [{ ...report('running'), tsMs: SOON_MS + 1 }, SOON_MS + 1] as const;
    const again = after(inProgress, stopped, running, stopped);
    assert.equal(again.status, 'stopping');
    const answer = { ...report('stopped'), tsMs: SOON_MS + 2 };
    assert.equal(after(again, [answer, SOON_MS + 2]).status, 'stopped');
    assert.equal(after(again, stopped, stopped).status, 'stopping');
  });

  it('is not ended by an old "unknown", but accepts reports of a device clock that was set back', () => {
    const unknown = { ...report('unknown'), amountG: 0, tsMs: START_MS };
    const runs = after(inProgress, [report('running'), SOON_MS]);
    const unconfirmed = after(runs, [unknown, SOON_MS]);
    assert.equal(unconfirmed.status, 'in_progress');
    assert.equal(after(unconfirmed, [{ ...unknown, tsMs: START_MS + 1 }, SOON_MS]).status, 'failed');
  });

  it('has the reason of the device when it was refused or failed', () => {
    const jam = { reason: 'jam' };
    const refused = after(started, [{ kind: 'ack', accepted: false, ...jam }, SOON_MS]);
    assert.deepEqual(refused.failure, {
      reason: 'refused',
      message: sentence('device_said', { words: 'jam' }),
    });
    const failed = after(inProgress, [{ ...report('failed'), ...jam }, SOON_MS]);
    assert.deepEqual(failed.failure, {
      reason: 'device_fault',
      message: sentence('device_said', { words: 'jam' }),
    });
  });

  it('keeps the first failure, except one that the device has refuted', () => {
    const failing = SITUATIONS['stopping, failing'];
    assert.equal(after(failing, [report('failed'), SOON_MS]).failure?.reason, 'no_movement');
    const refuted = after(SITUATIONS['failed as unknown'], [report('running'), SOON_MS]);
    const stopped = { ...report('stopped'), tsMs: SOON_MS + 1 };
    assert.equal(after(refuted, [stopped, SOON_MS]).status, 'stopped');
  });
});

describe('a start that the device never acknowledged', () => {
  /** The device answers every requested report immediately: it does not know the operation. */
  const endsAfterS = (from: OperationState): number => {
    let operation = from;
    for (let sinceMs = 500; sinceMs <= MINUTE_MS; sinceMs += 500) {
      const nowMs = START_MS + sinceMs;
      const ticked = advanceOperation(operation, tick(), nowMs);
      operation = ticked.operation;
      if (ticked.send !== null) operation = after(operation, [unknownAt(nowMs), nowMs]);
      if (!holdsDevice(operation)) return sinceMs / 1_000;
    }
    return Number.POSITIVE_INFINITY;
  };
  const unknownAt = (tsMs: number) => ({ ...report('unknown'), amountG: 0, tsMs });

  it('no longer holds the device 15 s after it, if the device says that it does not know it', () => {
    assert.ok(endsAfterS(started) <= 15);
    assert.ok(endsAfterS(SITUATIONS['stopping, unheard']) <= 15);
  });

  it('may still begin until it has expired, whatever the device says', () => {
    const unconfirmed = SITUATIONS['unconfirmed, unheard'];
    const untilMs = plan.expiresAtMs + START_SKEW_MS;
    assert.equal(after(unconfirmed, [unknownAt(untilMs), untilMs]).status, 'unconfirmed');
    assert.equal(after(unconfirmed, [unknownAt(untilMs + 1), untilMs + 1]).status, 'failed');
  });

  it('never claims that nothing moved', () => {
    const over = after(SITUATIONS['unconfirmed, unheard'], [unknownAt(LATE_MS), LATE_MS]);
    assert.deepEqual([over.failure?.reason, over.isOutcomeUnknown], ['outcome_unknown', true]);
  });
});

describe('a device that has just become reachable', () => {
  it('is sent the pending stop and a report request immediately', () => {
    const newSession = tick({ isNewSession: true });
    assert.equal(advanceOperation(SITUATIONS.stopping, newSession, START_MS + 1).send, 'stop');
    assert.equal(advanceOperation(SITUATIONS.unconfirmed, newSession, START_MS + 1).send, 'report');
    assert.equal(advanceOperation(SITUATIONS.stopped, newSession, START_MS + 1).send, null);
  });
});

describe('the watchdog', () => {
  const weightAt = (sinceMs: number, valueG: number): readonly [OperationInput, number] => [
    tick({ weight: { valueG, tsMs: START_MS + sinceMs } }),
    START_MS + sinceMs,
  ];
  /** The device keeps reporting that the operation runs normally. */
  const word = (sinceMs: number): readonly [OperationInput, number] => [
    report('running'),
    START_MS + sinceMs,
  ];

  it('stops an operation whose weight does not move, and has it fail when the device confirms', () => {
    const before = after(inProgress, weightAt(0, 5_000_000), word(WATCHDOG_MS_MIN - 1));
    assert.equal(after(before, weightAt(WATCHDOG_MS_MIN - 1, 5_009_000)).status, 'in_progress');
    const [input, nowMs] = weightAt(WATCHDOG_MS_MIN, 5_009_000);
    const { operation, send } = advanceOperation(before, input, nowMs);
    assert.deepEqual(
      [operation.status, operation.failure?.reason, send],
      ['stopping', 'no_movement', 'stop'],
    );
    assert.equal(holdsDevice(operation), true);
    assert.equal(after(operation, word(WATCHDOG_MS_MIN)).status, 'stopping');
    assert.equal(after(operation, [report('stopped'), nowMs]).status, 'failed');
  });

  it('accepts any movement beyond noise', () => {
    const moved = after(inProgress, weightAt(0, 5_000_000), weightAt(29_000, 5_011_000), word(88_000));
    assert.equal(after(moved, weightAt(88_999, 5_012_000)).status, 'in_progress');
    assert.equal(after(moved, weightAt(89_000, 5_012_000)).status, 'stopping');
  });

  it('allows a slow operation more time', () => {
    const slow = { ...inProgress, plan: { ...plan, rateGPerMin: 1_000 } };
    const watched = after(slow, weightAt(0, 5_000_000), word(15 * MINUTE_MS));
    assert.equal(after(watched, weightAt(15 * MINUTE_MS, 5_000_000)).status, 'in_progress');
    assert.equal(
      after(watched, word(20 * MINUTE_MS - 1), weightAt(20 * MINUTE_MS, 5_000_000)).failure?.reason,
      'overrun',
    );
  });

  it('ignores a missing or an old weight', () => {
    const old = tick({ weight: { valueG: 5_000_000, tsMs: START_MS - 50_000 } });
    const watched = after(inProgress, [old, START_MS], word(2 * MINUTE_MS), [old, START_MS + 2 * MINUTE_MS]);
    assert.equal(watched.status, 'in_progress');
    assert.equal(after(watched, [tick(), START_MS + 2 * MINUTE_MS]).status, 'in_progress');
  });

  it('does not count the time before its first weight', () => {
    const old = tick({ weight: { valueG: 5_000_000, tsMs: START_MS - 50_000 } });
    const watched = after(inProgress, [old, START_MS], word(15_000));
    assert.equal(after(watched, weightAt(15_000, 5_000_000)).status, 'in_progress');
  });

  it('starts again when the device reports again', () => {
    const lost = after(inProgress, weightAt(0, 5_000_000), [tick({ isReachable: false }), SOON_MS]);
    const back = after(lost, word(2 * MINUTE_MS), weightAt(2 * MINUTE_MS, 5_000_000));
    assert.equal(back.status, 'in_progress');
  });

  it('does not fail an unconfirmed operation', () => {
    const longAfterMs = START_MS + 60 * MINUTE_MS;
    const lost = after(inProgress, [tick({ isReachable: false }), longAfterMs]);
    assert.deepEqual([lost.status, lost.failure], ['unconfirmed', null]);
  });

  it('stops an operation that runs longer than it may', () => {
    const limitMs = plan.maxDurationMs + OVERRUN_MARGIN_MS;
    const before = after(inProgress, word(limitMs));
    assert.equal(after(before, [tick(), START_MS + limitMs]).status, 'in_progress');
    const { operation, send } = advanceOperation(before, tick(), START_MS + limitMs + 1);
    assert.deepEqual([operation.status, operation.failure?.reason, send], ['stopping', 'overrun', 'stop']);
  });
});

describe('the measured amount of an operation', () => {
  const weigh = (operation: OperationState, sinceMs: number, valueG: number): OperationState =>
    after(operation, [tick({ weight: { valueG, tsMs: START_MS + sinceMs } }), SOON_MS]);

  it('is the change in the requested direction', () => {
    assert.equal(weigh(inProgress, 1, 5_400_000).measuredG, 400_000);
    assert.equal(weigh({ ...inProgress, type: 'discharge' }, 1, 4_600_000).measuredG, 400_000);
    assert.equal(weigh(inProgress, -1, 5_400_000).measuredG, null);
  });

  it('is final with the first reading after the end', () => {
    const completed = after(inProgress, [report('completed'), SOON_MS]);
    assert.equal(isFinished(completed, SOON_MS), false);
    const weighed = weigh(weigh(completed, 500, 5_900_000), 1_000, 6_000_000);
    assert.equal(isFinished(weighed, SOON_MS), true);
    assert.equal(weigh(weighed, 2_000, 7_000_000), weighed);
    assert.equal(weigh(completed, 2 * MINUTE_MS, 7_000_000), completed);
    assert.equal(isFinished(completed, SOON_MS + 2 * MINUTE_MS), false);
    assert.equal(isFinished(completed, SOON_MS + 2 * MINUTE_MS + 1), true);
  });
});

describe('an operation that this service did not start', () => {
  const progress: OperationProgress = {
    operation_id: 'local-7',
    type: 'discharge',
    state: 'running',
    amount_kg: 12.5,
    ts: START_MS,
  };

  it('is in progress, occupies the device and can be stopped', () => {
    const unsolicited = unsolicitedOperation(1, progress, START_MS);
    assert.ok(unsolicited !== null);
    assert.deepEqual(
      [unsolicited.status, unsolicited.amountCompletedG, unsolicited.plan],
      ['in_progress', 12_500, null],
    );
    assert.equal(holdsDevice(unsolicited), true);
    const { operation, send } = advanceOperation(unsolicited, { kind: 'stop' }, SOON_MS);
    assert.deepEqual([operation.status, send], ['stopping', 'stop']);
  });

  it('has the end that the device reported', () => {
    for (const state of ['completed', 'stopped', 'failed'] as const) {
      const unsolicited = unsolicitedOperation(1, { ...progress, state }, START_MS);
      assert.deepEqual([unsolicited?.status, unsolicited?.endedAtMs], [state, START_MS]);
    }
  });

  it('is not created if the device does not know it either', () => {
    assert.equal(unsolicitedOperation(1, { ...progress, state: 'unknown' }, START_MS), null);
  });
});
