import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationProgress, ProgressState } from '@granary/contract/link';
import type { FailureReason, OperationStatus } from '@granary/contract/operations';
import { MINUTE_MS } from '@granary/contract/time';
import { EXPIRY_SKEW_MS, REPORT_SPACING_MS } from './device-talk.ts';
import { FRESHNESS_MS } from './devices.ts';
import {
  adoptOperation,
  beginOperation,
  holdsDevice,
  isSettled,
  type OperationPlan,
  type OperationState,
} from './operation-state.ts';
import {
  ACK_TIMEOUT_MS,
  advance,
  type OperationInput,
  OVERRUN_MARGIN_MS,
  STOP_RESEND_MS,
  type Tick,
  WATCHDOG_MS_MIN,
} from './operations.ts';

const START_MS = 1_000_000_000_000;
const SOON_MS = START_MS + 1_000;
const CAPACITY_G = 10_000_000;

const plan: OperationPlan = {
  amountG: 1_000_000,
  unit: 'kg',
  rateGPerMin: 100_000,
  rateUnit: 'kg/min',
  targetContainer: null,
  maxAmountG: 1_020_000,
  maxDurationMs: 16 * MINUTE_MS,
  expiresAtMs: START_MS + 30_000,
};

const started = beginOperation(
  { operationId: 'op_1', deviceNo: 1, type: 'feed', plan, weightG: 5_000_000 },
  START_MS,
);
const heard = { acknowledgedAtMs: START_MS, lastHeardAtMs: START_MS };
const stopSent = { status: 'stopping', stopRequestedAtMs: START_MS, stopSentAtMs: START_MS } as const;
const ended = { ...started, ...heard, endedAtMs: START_MS };
const failedFor = (reason: FailureReason): OperationState => ({
  ...ended,
  status: 'failed',
  failure: { reason, message: '' },
});

/** Every state that makes a difference. */
const SITUATIONS = {
  started,
  in_progress: { ...started, ...heard, status: 'in_progress' },
  'stopping, unheard': { ...started, ...stopSent },
  stopping: { ...started, ...heard, ...stopSent },
  'stopping, failing': {
    ...started,
    ...heard,
    ...stopSent,
    failure: { reason: 'no_movement', message: '' },
  },
  'unconfirmed, unheard': { ...started, status: 'unconfirmed' },
  unconfirmed: { ...started, ...heard, status: 'unconfirmed' },
  completed: { ...ended, status: 'completed' },
  stopped: { ...ended, status: 'stopped' },
  'failed by the device': failedFor('device_fault'),
  'failed as forgotten': failedFor('forgotten'),
  'failed as not started': { ...failedFor('not_started'), acknowledgedAtMs: null },
  'failed as refused': { ...failedFor('refused'), acknowledgedAtMs: null },
} as const satisfies Record<string, OperationState>;

type Situation = keyof typeof SITUATIONS;

const report = (state: ProgressState): OperationInput & { kind: 'progress' } => ({
  kind: 'progress',
  state,
  amountG: 1_000,
  reason: null,
  tsMs: SOON_MS,
});
const tick = (change: Partial<Tick> = {}): Tick => ({
  kind: 'tick',
  isReachable: true,
  isNewSession: false,
  weight: null,
  capacityG: CAPACITY_G,
  ...change,
});

const LATE_MS = plan.expiresAtMs + EXPIRY_SKEW_MS + 1;

const INPUTS = {
  stop: [{ kind: 'stop' }, SOON_MS],
  accepted: [{ kind: 'ack', accepted: true, reason: null }, SOON_MS],
  refused: [{ kind: 'ack', accepted: false, reason: 'jam' }, SOON_MS],
  running: [report('running'), SOON_MS],
  completed: [report('completed'), SOON_MS],
  stopped: [report('stopped'), SOON_MS],
  failed: [report('failed'), SOON_MS],
  'unknown in time': [report('unknown'), SOON_MS],
  'unknown too late': [report('unknown'), LATE_MS],
  'tick at once': [tick(), START_MS + 1],
  'tick after silence': [tick(), START_MS + FRESHNESS_MS],
  'tick offline': [tick({ isReachable: false }), SOON_MS],
} as const satisfies Record<string, readonly [OperationInput, number]>;

type Outcome = OperationStatus | `${OperationStatus}, send ${'stop' | 'report'}`;

const STAYS_ENDED = {
  completed: 'completed',
  stopped: 'stopped',
  'failed by the device': 'failed',
  'failed as forgotten': 'failed',
  'failed as not started': 'failed',
  'failed as refused': 'failed',
} as const;

const REOPENED = {
  completed: 'stopping, send stop',
  stopped: 'stopping, send stop',
  'failed by the device': 'stopping, send stop',
  'failed as forgotten': 'stopping, send stop',
  'failed as not started': 'stopping, send stop',
  'failed as refused': 'stopping, send stop',
} as const;

const TABLE: Record<keyof typeof INPUTS, Record<Situation, Outcome>> = {
  stop: {
    started: 'stopping, send stop',
    in_progress: 'stopping, send stop',
    'stopping, unheard': 'stopping',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'stopping, send stop',
    unconfirmed: 'stopping, send stop',
    ...STAYS_ENDED,
  },
  accepted: {
    started: 'in_progress',
    in_progress: 'in_progress',
    'stopping, unheard': 'stopping',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'in_progress',
    unconfirmed: 'unconfirmed',
    ...STAYS_ENDED,
    'failed as not started': 'stopping, send stop',
    'failed as refused': 'stopping, send stop',
  },
  refused: {
    started: 'failed',
    in_progress: 'in_progress',
    'stopping, unheard': 'failed',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'failed',
    unconfirmed: 'unconfirmed',
    ...STAYS_ENDED,
  },
  running: {
    started: 'in_progress',
    in_progress: 'in_progress',
    'stopping, unheard': 'stopping',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'in_progress',
    unconfirmed: 'in_progress',
    ...REOPENED,
  },
  completed: {
    started: 'completed',
    in_progress: 'completed',
    'stopping, unheard': 'completed',
    stopping: 'completed',
    'stopping, failing': 'failed',
    'unconfirmed, unheard': 'completed',
    unconfirmed: 'completed',
    ...STAYS_ENDED,
    'failed as forgotten': 'completed',
    'failed as not started': 'completed',
  },
  stopped: {
    started: 'stopped',
    in_progress: 'stopped',
    'stopping, unheard': 'stopped',
    stopping: 'stopped',
    'stopping, failing': 'failed',
    'unconfirmed, unheard': 'stopped',
    unconfirmed: 'stopped',
    ...STAYS_ENDED,
    'failed as forgotten': 'stopped',
    'failed as not started': 'stopped',
  },
  failed: {
    started: 'failed',
    in_progress: 'failed',
    'stopping, unheard': 'failed',
    stopping: 'failed',
    'stopping, failing': 'failed',
    'unconfirmed, unheard': 'failed',
    unconfirmed: 'failed',
    ...STAYS_ENDED,
  },
  'unknown in time': {
    started: 'started',
    in_progress: 'failed',
    'stopping, unheard': 'stopping',
    stopping: 'stopped',
    'stopping, failing': 'failed',
    'unconfirmed, unheard': 'unconfirmed',
    unconfirmed: 'failed',
    ...STAYS_ENDED,
  },
  'unknown too late': {
    started: 'failed',
    in_progress: 'failed',
    'stopping, unheard': 'stopped',
    stopping: 'stopped',
    'stopping, failing': 'failed',
    'unconfirmed, unheard': 'failed',
    unconfirmed: 'failed',
    ...STAYS_ENDED,
  },
  'tick at once': {
    started: 'started',
    in_progress: 'in_progress',
    'stopping, unheard': 'stopping',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'unconfirmed, send report',
    unconfirmed: 'unconfirmed',
    ...STAYS_ENDED,
  },
  'tick after silence': {
    started: 'unconfirmed, send report',
    in_progress: 'unconfirmed, send report',
    'stopping, unheard': 'stopping, send stop',
    stopping: 'stopping, send stop',
    'stopping, failing': 'stopping, send stop',
    'unconfirmed, unheard': 'unconfirmed, send report',
    unconfirmed: 'unconfirmed, send report',
    ...STAYS_ENDED,
  },
  'tick offline': {
    started: 'unconfirmed',
    in_progress: 'unconfirmed',
    'stopping, unheard': 'stopping',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'unconfirmed',
    unconfirmed: 'unconfirmed',
    ...STAYS_ENDED,
  },
};

const keysOf = <K extends string>(record: Record<K, unknown>): K[] => Object.keys(record) as K[];

for (const name of keysOf(INPUTS)) {
  describe(`on ${name}, an operation that is`, () => {
    for (const situation of keysOf(SITUATIONS)) {
      const outcome = TABLE[name][situation];
      it(`${situation} becomes ${outcome}`, () => {
        const [input, nowMs] = INPUTS[name];
        const { operation, send } = advance(SITUATIONS[situation], input, nowMs);
        assert.equal(send === null ? operation.status : `${operation.status}, send ${send}`, outcome);
        assert.equal(operation.endedAtMs !== null, !holdsDevice(operation));
        assert.equal(operation.failure !== null, operation.status === 'failed' || isFailing(operation));
      });
    }
  });
}

const isFailing = ({ status, failure }: OperationState): boolean =>
  status === 'stopping' && (failure?.reason === 'no_movement' || failure?.reason === 'device_fault');

/** The operation after all of these, one after the other. */
const after = (
  from: OperationState,
  ...inputs: readonly (readonly [OperationInput, number])[]
): OperationState =>
  inputs.reduce((operation, [input, nowMs]) => advance(operation, input, nowMs).operation, from);

const inProgress = SITUATIONS.in_progress;

describe('an operation', () => {
  it('waits for its acknowledgement as long as it may', () => {
    assert.equal(after(started, [tick(), START_MS + ACK_TIMEOUT_MS - 1]).status, 'started');
    assert.equal(after(started, [tick(), START_MS + ACK_TIMEOUT_MS]).status, 'unconfirmed');
  });

  it('asks a silent device how it stands, and not more often than it may', () => {
    const sends = [0, REPORT_SPACING_MS, REPORT_SPACING_MS + 1, 2 * REPORT_SPACING_MS].map(
      (_, index, times) => {
        const earlier = times.slice(0, index).map((ms) => [tick(), START_MS + ms] as const);
        return advance(after(inProgress, ...earlier), tick(), START_MS + (times[index] ?? 0)).send;
      },
    );
    assert.deepEqual(sends, [null, 'report', null, 'report']);
  });

  it('sends its stop again until the device confirms, also when the clock was set back', () => {
    const stopping = after(inProgress, [{ kind: 'stop' }, SOON_MS]);
    assert.equal(advance(stopping, tick(), SOON_MS + STOP_RESEND_MS - 1).send, null);
    assert.equal(advance(stopping, tick(), SOON_MS + STOP_RESEND_MS).send, 'stop');
    assert.equal(advance(stopping, tick(), SOON_MS - MINUTE_MS).send, 'stop');
    assert.equal(advance(stopping, tick({ isReachable: false }), SOON_MS + MINUTE_MS).send, null);
    const confirmed = after(stopping, [report('stopped'), SOON_MS]);
    assert.equal(advance(confirmed, tick(), SOON_MS + MINUTE_MS).send, null);
  });

  it('keeps the greatest amount that was reported, and more than was asked', () => {
    const at = (amountG: number): OperationInput => ({ ...report('running'), amountG });
    assert.equal(after(inProgress, [at(700), SOON_MS], [at(500), SOON_MS]).amountCompletedG, 700);
    assert.equal(after(inProgress, [at(3_000_000), SOON_MS]).amountCompletedG, 3_000_000);
  });

  it('that ended is not reopened by a word that was delivered twice', () => {
    const running = { ...report('running'), tsMs: SOON_MS - 1 };
    const completed = after(inProgress, [report('completed'), SOON_MS]);
    assert.equal(advance(completed, running, SOON_MS).operation, completed);
    assert.equal(after(completed, [{ ...running, tsMs: SOON_MS + 1 }, SOON_MS]).status, 'stopping');
    assert.equal(after(completed, [{ ...running, amountG: 1_001 }, SOON_MS]).status, 'stopping');
  });

  it('is not ended by an old "unknown", but believes a clock that was set back', () => {
    const unknown = { ...report('unknown'), amountG: 0, tsMs: START_MS };
    const runs = after(inProgress, [report('running'), SOON_MS]);
    const doubted = after(runs, [unknown, SOON_MS]);
    assert.equal(doubted.status, 'in_progress');
    assert.equal(after(doubted, [{ ...unknown, tsMs: START_MS + 1 }, SOON_MS]).status, 'failed');
  });

  it('tells why the device refused or failed it', () => {
    const jam = { reason: 'jam' };
    const refused = after(started, [{ kind: 'ack', accepted: false, ...jam }, SOON_MS]);
    assert.deepEqual(refused.failure, { reason: 'refused', message: 'jam' });
    const failed = after(inProgress, [{ ...report('failed'), ...jam }, SOON_MS]);
    assert.deepEqual(failed.failure, { reason: 'device_fault', message: 'jam' });
  });

  it('keeps the first failure, except one that the device has refuted', () => {
    const failing = SITUATIONS['stopping, failing'];
    assert.equal(after(failing, [report('failed'), SOON_MS]).failure?.reason, 'no_movement');
    const refuted = after(SITUATIONS['failed as not started'], [report('running'), SOON_MS]);
    assert.equal(after(refuted, [report('stopped'), SOON_MS]).status, 'stopped');
  });
});

describe('the watchdog', () => {
  const weightAt = (sinceMs: number, valueG: number): readonly [OperationInput, number] => [
    tick({ weight: { valueG, tsMs: START_MS + sinceMs } }),
    START_MS + sinceMs,
  ];
  /** The device goes on saying that all is well. */
  const word = (sinceMs: number): readonly [OperationInput, number] => [
    report('running'),
    START_MS + sinceMs,
  ];

  it('stops an operation whose weight does not move, and has it fail when the device confirms', () => {
    const before = after(inProgress, weightAt(0, 5_000_000), word(WATCHDOG_MS_MIN - 1));
    assert.equal(after(before, weightAt(WATCHDOG_MS_MIN - 1, 5_009_000)).status, 'in_progress');
    const [input, nowMs] = weightAt(WATCHDOG_MS_MIN, 5_009_000);
    const { operation, send } = advance(before, input, nowMs);
    assert.deepEqual(
      [operation.status, operation.failure?.reason, send],
      ['stopping', 'no_movement', 'stop'],
    );
    assert.equal(holdsDevice(operation), true);
    assert.equal(after(operation, word(WATCHDOG_MS_MIN)).status, 'stopping');
    assert.equal(after(operation, [report('stopped'), nowMs]).status, 'failed');
  });

  it('is content with any movement beyond noise', () => {
    const moved = after(inProgress, weightAt(0, 5_000_000), weightAt(29_000, 5_011_000), word(88_000));
    assert.equal(after(moved, weightAt(88_999, 5_012_000)).status, 'in_progress');
    assert.equal(after(moved, weightAt(89_000, 5_012_000)).status, 'stopping');
  });

  it('gives a slow operation the time it needs', () => {
    const slow = { ...inProgress, plan: { ...plan, rateGPerMin: 1_000 } };
    const watched = after(slow, weightAt(0, 5_000_000), word(15 * MINUTE_MS));
    assert.equal(after(watched, weightAt(15 * MINUTE_MS, 5_000_000)).status, 'in_progress');
    assert.equal(
      after(watched, word(20 * MINUTE_MS - 1), weightAt(20 * MINUTE_MS, 5_000_000)).failure?.reason,
      'overrun',
    );
  });

  it('takes a missing or an old weight for no evidence', () => {
    const old = tick({ weight: { valueG: 5_000_000, tsMs: START_MS - 50_000 } });
    const watched = after(inProgress, [old, START_MS], word(2 * MINUTE_MS), [old, START_MS + 2 * MINUTE_MS]);
    assert.equal(watched.status, 'in_progress');
    assert.equal(after(watched, [tick(), START_MS + 2 * MINUTE_MS]).status, 'in_progress');
  });

  it('does not count the time before it began to watch', () => {
    const old = tick({ weight: { valueG: 5_000_000, tsMs: START_MS - 50_000 } });
    const watched = after(inProgress, [old, START_MS], word(15_000));
    assert.equal(after(watched, weightAt(15_000, 5_000_000)).status, 'in_progress');
  });

  it('begins anew when the device is heard again', () => {
    const lost = after(inProgress, weightAt(0, 5_000_000), [tick({ isReachable: false }), SOON_MS]);
    const back = after(lost, word(2 * MINUTE_MS), weightAt(2 * MINUTE_MS, 5_000_000));
    assert.equal(back.status, 'in_progress');
  });

  it('judges nothing that is unheard of', () => {
    const longAfterMs = START_MS + 60 * MINUTE_MS;
    const lost = after(inProgress, [tick({ isReachable: false }), longAfterMs]);
    assert.deepEqual([lost.status, lost.failure], ['unconfirmed', null]);
  });

  it('stops an operation that runs longer than it may', () => {
    const limitMs = plan.maxDurationMs + OVERRUN_MARGIN_MS;
    const before = after(inProgress, word(limitMs));
    assert.equal(after(before, [tick(), START_MS + limitMs]).status, 'in_progress');
    const { operation, send } = advance(before, tick(), START_MS + limitMs + 1);
    assert.deepEqual([operation.status, operation.failure?.reason, send], ['stopping', 'overrun', 'stop']);
  });
});

describe('what the scale says of an operation', () => {
  const weigh = (operation: OperationState, sinceMs: number, valueG: number): OperationState =>
    after(operation, [tick({ weight: { valueG, tsMs: START_MS + sinceMs } }), SOON_MS]);

  it('is the change in the wanted direction', () => {
    assert.equal(weigh(inProgress, 1, 5_400_000).measuredG, 400_000);
    assert.equal(weigh({ ...inProgress, type: 'discharge' }, 1, 4_600_000).measuredG, 400_000);
    assert.equal(weigh(inProgress, -1, 5_400_000).measuredG, null);
  });

  it('is final with the first reading after the end', () => {
    const completed = after(inProgress, [report('completed'), SOON_MS]);
    assert.equal(isSettled(completed, SOON_MS), false);
    const weighed = weigh(weigh(completed, 500, 5_900_000), 1_000, 6_000_000);
    assert.equal(isSettled(weighed, SOON_MS), true);
    assert.equal(weigh(weighed, 2_000, 7_000_000), weighed);
    assert.equal(weigh(completed, 2 * MINUTE_MS, 7_000_000), completed);
    assert.equal(isSettled(completed, SOON_MS + MINUTE_MS + 1), true);
  });
});

describe('an operation that nobody here began', () => {
  const progress: OperationProgress = {
    operation_id: 'local-7',
    type: 'discharge',
    state: 'running',
    amount_kg: 12.5,
    ts: START_MS,
  };

  it('is in progress, holds the device and can be stopped', () => {
    const adopted = adoptOperation(1, progress, START_MS);
    assert.ok(adopted !== null);
    assert.deepEqual([adopted.status, adopted.amountCompletedG, adopted.plan], ['in_progress', 12_500, null]);
    assert.equal(holdsDevice(adopted), true);
    const { operation, send } = advance(adopted, { kind: 'stop' }, SOON_MS);
    assert.deepEqual([operation.status, send], ['stopping', 'stop']);
  });

  it('is on record as the device ended it', () => {
    for (const state of ['completed', 'stopped', 'failed'] as const) {
      const adopted = adoptOperation(1, { ...progress, state }, START_MS);
      assert.deepEqual([adopted?.status, adopted?.endedAtMs], [state, START_MS]);
    }
  });

  it('is none if the device does not know it either', () => {
    assert.equal(adoptOperation(1, { ...progress, state: 'unknown' }, START_MS), null);
  });
});
