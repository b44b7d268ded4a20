import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PROGRESS_STATES } from '@granary/contract/link/messages';
import { OPERATION_STATUSES } from '@granary/contract/operations';
import { MINUTE_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { beginOperation, isTerminal, type OperationPlan, type OperationState } from './state.ts';
import { advanceOperation, type OperationInput, type OperationTransition, type Tick } from './transitions.ts';

const START_MS = 1_000_000_000_000;
const CAPACITY_G = 10_000_000;

const plan: OperationPlan = {
  amountG: 100_000,
  unit: 'kg',
  rateGPerMin: 100_000,
  rateUnit: 'kg/min',
  targetContainer: null,
  maxAmountG: 102_000,
  maxDurationMs: 3 * MINUTE_MS,
  expiresAtMs: START_MS + 10_000,
};
const started = beginOperation(
  { operationId: 'op_1', deviceNo: 1, type: 'feed', plan, weight: { valueG: 5_000_000, tsMs: START_MS } },
  START_MS,
);
const unsolicited: OperationState = {
  ...started,
  plan: null,
  status: 'in_progress',
  acknowledgedAtMs: START_MS,
};

const SPAN_MS = 10 * MINUTE_MS;
const timeMs = fc.integer({ min: -MINUTE_MS, max: SPAN_MS }).map((sinceMs) => START_MS + sinceMs);

const weight = fc.record({ valueG: fc.integer({ min: -1e5, max: 1.1e7 }), tsMs: timeMs });

const tick: fc.Arbitrary<Tick> = fc.record({
  kind: fc.constant('tick'),
  isReachable: fc.boolean(),
  isNewSession: fc.constant(false),
  weight: fc.option(weight),
  capacityG: fc.constant(CAPACITY_G),
});

const input: fc.Arbitrary<OperationInput> = fc.oneof(
  fc.constant({ kind: 'stop' } as const),
  fc.constant({
    kind: 'declare_ended',
    declaration: { reason: 'looked', looked_by: 'Ada', by: null },
  } as const),
  fc.record({
    kind: fc.constant('ack' as const),
    accepted: fc.boolean(),
    reason: fc.option(fc.string()),
  }),
  fc.record({
    kind: fc.constant('progress' as const),
    state: fc.constantFrom(...PROGRESS_STATES),
    amountG: fc.integer({ min: 0, max: 200_000 }),
    reason: fc.option(fc.string()),
    tsMs: timeMs,
  }),
  fc.record({
    kind: fc.constant('not_sent' as const),
    why: fc.constantFrom('not_connected' as const, 'not_subscribed' as const, 'expired' as const),
  }),
  tick,
);

const steps = fc.array(fc.tuple(input, timeMs), { maxLength: 40 });

interface Step extends OperationTransition {
  readonly before: OperationState;
  readonly input: OperationInput;
}

/** The steps of a random sequence of inputs; time jumps in both directions, because a clock may be set. */
function walk(from: OperationState, inputs: readonly (readonly [OperationInput, number])[]): Step[] {
  let before = from;
  return inputs.map(([given, nowMs]) => {
    const step = { before, input: given, ...advanceOperation(before, given, nowMs) };
    before = step.operation;
    return step;
  });
}

const onEveryStep = (check: (step: Step) => void): void =>
  fc.assert(
    fc.property(fc.constantFrom(started, unsolicited), steps, (from, inputs) =>
      walk(from, inputs).forEach(check),
    ),
    { numRuns: 500 },
  );

describe('whatever happens to an operation', () => {
  it('its status is a known one, and nothing but a stop or a report is ever sent', () => {
    onEveryStep(({ operation, send }) => {
      assert.ok(OPERATION_STATUSES.includes(operation.status));
      assert.ok(send === null || send === 'stop' || send === 'report');
    });
  });

  it('an ended operation stays ended unless the device reports that it runs', () => {
    onEveryStep(({ before, input: given, operation }) => {
      if (!isTerminal(before) || isTerminal(operation)) return;
      const saysRunning = given.kind === 'progress' && given.state === 'running';
      assert.ok(saysRunning || (given.kind === 'ack' && given.accepted), given.kind);
      assert.equal(operation.status, 'stopping');
    });
  });

  it('only a report of the device ends it, or that its start was never sent, or a person who has looked', () => {
    onEveryStep(({ before, input: given, operation }) => {
      if (isTerminal(before) || !isTerminal(operation)) return;
      assert.ok(['ack', 'progress', 'not_sent', 'declare_ended'].includes(given.kind), given.kind);
      if (given.kind === 'not_sent') assert.equal(before.lastHeardAtMs, null);
    });
  });

  it('its end is declared only while its outcome is uncertain, and the record says so', () => {
    onEveryStep(({ before, input: given, operation, send }) => {
      if (given.kind !== 'declare_ended') return;
      assert.equal(send, null);
      if (operation === before) return;
      assert.ok(before.status === 'unconfirmed' || before.status === 'stopping', before.status);
      assert.deepEqual([operation.status, operation.failure?.reason], ['failed', 'declared_ended']);
      assert.deepEqual(operation.declared?.failureBefore, before.failure);
    });
  });

  it('its amount is that of a report, and changes only with a report', () => {
    fc.assert(
      fc.property(steps, (inputs) => {
        const amounts = new Set([0]);
        for (const { before, input: given, operation } of walk(started, inputs)) {
          if (given.kind === 'progress') amounts.add(given.amountG);
          else assert.equal(operation.amountCompletedG, before.amountCompletedG);
          assert.ok(amounts.has(operation.amountCompletedG));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('while it runs, its amount does not depend on the order in which the reports arrive', () => {
    const reports = fc.uniqueArray(fc.tuple(timeMs, fc.integer({ min: 0, max: 200_000 })), {
      selector: ([tsMs]) => tsMs,
      minLength: 1,
      maxLength: 8,
    });
    const arrivals = reports.chain((sent) =>
      fc.shuffledSubarray(sent, { minLength: sent.length, maxLength: sent.length }),
    );
    fc.assert(
      fc.property(arrivals, (arrived) => {
        const inputs = arrived.map(
          ([tsMs, amountG]) =>
            [
              { kind: 'progress', state: 'running', amountG, reason: null, tsMs },
              START_MS + SPAN_MS,
            ] as const,
        );
        const newest = arrived.reduce((latest, one) => (one[0] > latest[0] ? one : latest));
        assert.equal(walk(started, inputs).at(-1)?.operation.amountCompletedG, newest[1]);
      }),
    );
  });

  it('after a stop it is stopping or ended, and from stopping it can only end', () => {
    onEveryStep(({ before, input: given, operation }) => {
      if (given.kind === 'stop' || before.status === 'stopping') {
        assert.ok(operation.status === 'stopping' || isTerminal(operation));
      }
    });
  });

  it('it has an end, and a failure, exactly when its status says so', () => {
    onEveryStep(({ operation }) => {
      assert.equal(operation.endedAtMs !== null, isTerminal(operation));
      if (operation.status === 'failed') assert.ok(operation.failure !== null);
      if (operation.status === 'completed' || operation.status === 'stopped')
        assert.equal(operation.failure, null);
    });
  });

  it('a second tick at the same time changes nothing', () => {
    fc.assert(
      fc.property(steps, tick, timeMs, (inputs, once, nowMs) => {
        const before = walk(started, inputs).at(-1)?.operation ?? started;
        const { operation } = advanceOperation(before, once, nowMs);
        const again = advanceOperation(operation, once, nowMs);
        assert.equal(again.operation, operation);
        assert.equal(again.send, null);
      }),
      { numRuns: 500 },
    );
  });
});

/** A correct device: it moves material while it runs, ignores repeated ids and enforces its limits. */
class TruthfulDevice {
  state: 'unknown' | 'running' | 'completed' | 'stopped' = 'unknown';
  amountG = 0;

  start(nowMs: number): void {
    if (this.state === 'unknown' && nowMs <= plan.expiresAtMs) this.state = 'running';
  }

  pass(elapsedMs: number): void {
    if (this.state !== 'running') return;
    this.amountG = Math.min(plan.amountG, this.amountG + (plan.rateGPerMin * elapsedMs) / MINUTE_MS);
    if (this.amountG === plan.amountG) this.state = 'completed';
  }

  stop(): void {
    if (this.state === 'running') this.state = 'stopped';
  }

  report(nowMs: number): OperationInput {
    return { kind: 'progress', state: this.state, amountG: this.amountG, reason: null, tsMs: nowMs };
  }

  get weightG(): number {
    return 5_000_000 + this.amountG;
  }
}

/** The faults in one second of an operation. */
const second = fc.record({
  startArrives: fc.boolean(),
  linkIsUp: fc.boolean(),
  reportIsLost: fc.boolean(),
  deviceForgets: fc.integer({ min: 0, max: 60 }).map((chance) => chance === 0),
  stopIsAsked: fc.integer({ min: 0, max: 20 }).map((chance) => chance === 0),
});

const NO_TROUBLE = {
  startArrives: false,
  linkIsUp: true,
  reportIsLost: false,
  deviceForgets: false,
  stopIsAsked: false,
};
const SECONDS_TO_END_MAX = 300;

describe('with a device that answers truthfully in the end', () => {
  it('every operation ends, in the state that the device is in', () => {
    fc.assert(
      fc.property(fc.array(second, { maxLength: 90 }), (troubles) => {
        const device = new TruthfulDevice();
        let operation = started;
        let lostMemory = false;
        const calm = Array(SECONDS_TO_END_MAX).fill(NO_TROUBLE);
        for (const [index, trouble] of [...troubles, ...calm].entries()) {
          const nowMs = START_MS + (index + 1) * 1_000;
          if (trouble.startArrives) device.start(nowMs);
          device.pass(1_000);
          if (trouble.deviceForgets) {
            lostMemory = true;
            device.state = 'unknown';
          }
          if (trouble.stopIsAsked) ({ operation } = advanceOperation(operation, { kind: 'stop' }, nowMs));
          const reading = { valueG: device.weightG, tsMs: nowMs };
          const weighed = { kind: 'tick', weight: reading, capacityG: CAPACITY_G } as const;
          const { operation: ticked, send } = advanceOperation(
            operation,
            { ...weighed, isReachable: trouble.linkIsUp, isNewSession: false },
            nowMs,
          );
          operation = ticked;
          if (send === 'stop' && trouble.linkIsUp) device.stop();
          if (trouble.linkIsUp && !trouble.reportIsLost) {
            ({ operation } = advanceOperation(operation, device.report(nowMs), nowMs));
          }
          if (device.state === 'running')
            assert.ok(!isTerminal(operation) || !trouble.linkIsUp || trouble.reportIsLost);
        }
        assert.ok(isTerminal(operation), operation.status);
        assert.notEqual(device.state, 'running');
        if (lostMemory) return;
        if (device.state !== 'unknown') assert.equal(operation.status, device.state);
        else assert.ok(operation.status === 'failed' || operation.status === 'stopped');
      }),
      { numRuns: 300 },
    );
  });
});
