import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { OperationProgress } from '@granary/contract/link/messages';
import type { OperationType } from '@granary/contract/operations';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import fc from 'fast-check';
import {
  beginOperation,
  deviceReport,
  holdsDevice,
  isFinished,
  isTerminal,
  type OperationPlan,
  type OperationState,
  unsolicitedOperation,
  type Weight,
} from './state.ts';
import { advanceOperation, type OperationInput } from './transitions.ts';
import {
  weighedAmountG,
  weighedDespite,
  weighedUntilReport,
  weighedUntilStart,
  weightBefore,
} from './weighing.ts';

const START_MS = 1_800_000_000_000;
const STEP_MS = 250;
const RATE_G_PER_MS = 1;
const CAPACITY_G = 1e9;
/** The amount that the device moves in two steps of the model. */
const TOLERANCE_G = 2 * STEP_MS * RATE_G_PER_MS;

interface Movement {
  readonly type: OperationType;
  readonly beganAtMs: number;
  readonly amountG: number;
  endedAtMs: number | null;
}

/** A silo whose clock is wrong by a constant time, and whose messages arrive late or never. */
class Silo {
  nowMs = START_MS;
  readonly #offsetMs: number;
  readonly #arrivals: { readonly atMs: number; readonly take: () => void }[] = [];
  readonly movements = new Map<string, Movement>();
  readonly #forgotten = new Set<string>();

  constructor(offsetMs: number) {
    this.#offsetMs = offsetMs;
  }

  movedG(id: string, atMs = this.nowMs): number {
    const movement = this.movements.get(id);
    if (movement === undefined) return 0;
    const untilMs = Math.min(atMs, movement.endedAtMs ?? atMs);
    return Math.min(movement.amountG, Math.max(0, untilMs - movement.beganAtMs) * RATE_G_PER_MS);
  }

  weightG(): number {
    const moved = [...this.movements].map(([id, { type }]) => (type === 'feed' ? 1 : -1) * this.movedG(id));
    return moved.reduce((sum, one) => sum + one, CAPACITY_G / 2);
  }

  /** Converts a time of the device to a time of the service. */
  trueMs = (tsMs: number): number => tsMs - this.#offsetMs;
  tsMs = (): number => this.nowMs + this.#offsetMs;

  /** Messages arrive in any order within a turn. */
  send(delayMs: number, take: () => void): void {
    this.#arrivals.push({ atMs: this.nowMs + delayMs, take });
  }

  begin(id: string, type: OperationType, amountG: number): void {
    if (!this.movements.has(id)) {
      this.movements.set(id, { type, amountG, beganAtMs: this.nowMs, endedAtMs: null });
    }
  }

  isBusy(): boolean {
    return this.movements.values().some(({ endedAtMs }) => endedAtMs === null);
  }

  stop(id: string): void {
    const movement = this.movements.get(id);
    if (movement !== undefined) movement.endedAtMs ??= this.nowMs;
  }

  forget(): void {
    for (const id of this.movements.keys()) {
      this.stop(id);
      this.#forgotten.add(id);
    }
  }

  progress(id: string): OperationProgress {
    const movement = this.movements.get(id);
    const base = { operation_id: id, ts: this.tsMs(), amount_kg: this.movedG(id) / 1_000 };
    if (movement === undefined || this.#forgotten.has(id)) return { ...base, state: 'unknown', amount_kg: 0 };
    const { type } = movement;
    if (movement.endedAtMs === null) return { ...base, type, state: 'running' };
    const isWhole = this.movedG(id) >= movement.amountG;
    return { ...base, type, state: isWhole ? 'completed' : 'stopped' };
  }

  /** Makes a step and returns the operations that end in it. */
  advance(): string[] {
    this.nowMs += STEP_MS;
    const due = this.#arrivals.filter(({ atMs }) => atMs <= this.nowMs);
    for (const arrival of due) this.#arrivals.splice(this.#arrivals.indexOf(arrival), 1);
    for (const { take } of due) take();
    return [...this.movements].flatMap(([id, movement]) => {
      if (movement.endedAtMs !== null || this.movedG(id) < movement.amountG) return [];
      movement.endedAtMs = this.nowMs;
      return [id];
    });
  }
}

/** Does what the use cases do with the decisions. */
class Service {
  readonly #silo: Silo;
  readonly operations = new Map<string, OperationState>();
  latest: Weight | null = null;

  constructor(silo: Silo) {
    this.#silo = silo;
  }

  /** The newest operation, and all that are not finished. */
  #current(): OperationState[] {
    const all = [...this.operations.values()];
    return all.filter((one, index) => index === all.length - 1 || !isFinished(one, this.#silo.nowMs));
  }

  #store(operations: readonly OperationState[]): void {
    for (const operation of operations) this.operations.set(operation.operationId, operation);
  }

  take(weight: Weight): void {
    if (this.latest === null || weight.tsMs > this.latest.tsMs) this.latest = weight;
  }

  start(operationId: string, type: OperationType, amountG: number): boolean {
    const current = this.#current();
    if (this.latest === null || current.some(holdsDevice)) return false;
    const { nowMs } = this.#silo;
    const others = weighedUntilStart(current, this.latest);
    const plan: OperationPlan = {
      amountG,
      unit: 'kg',
      rateGPerMin: MINUTE_MS * RATE_G_PER_MS,
      rateUnit: 'kg/min',
      targetContainer: null,
      maxAmountG: amountG,
      maxDurationMs: 10 * MINUTE_MS,
      expiresAtMs: nowMs + 10 * SECOND_MS,
    };
    const weight = weightBefore(others, this.latest);
    const operation = beginOperation({ operationId, deviceNo: 1, type, plan, weight }, nowMs);
    this.#store([...others, operation]);
    return true;
  }

  apply(operationId: string, input: OperationInput): 'stop' | 'report' | null {
    const before = this.operations.get(operationId);
    if (before === undefined) return null;
    const { operation, send } = advanceOperation(before, input, this.#silo.nowMs);
    const isContradicted =
      input.kind !== 'tick' && isTerminal(before) && before.endedAtMs !== operation.endedAtMs;
    const others = this.operations.values().filter((other) => other.operationId !== operationId);
    const weighed = weighedDespite(before, operation, isContradicted ? [...others] : []);
    this.#store([weighed.operation, ...weighed.others]);
    return send;
  }

  report(progress: OperationProgress): void {
    const { nowMs } = this.#silo;
    const report = deviceReport(progress);
    const id = progress.operation_id;
    if (this.operations.has(id)) {
      if (this.apply(id, { kind: 'progress', ...report }) === 'stop') this.#silo.stop(id);
      return;
    }
    const operation = unsolicitedOperation(1, progress, nowMs);
    if (operation === null) return;
    this.#store([...weighedUntilReport([...this.operations.values()], report, nowMs), operation]);
  }

  tick(): string[] {
    const tick = { kind: 'tick', isReachable: true, isNewSession: false, capacityG: CAPACITY_G } as const;
    return this.#current().flatMap(({ operationId }) => {
      const send = this.apply(operationId, { ...tick, weight: this.latest });
      if (send === 'stop') this.#silo.stop(operationId);
      return send === null ? [] : [operationId];
    });
  }
}

const delayMs = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4 * SECOND_MS }));
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('weigh' as const), delayMs }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('start' as const, 'start' as const, 'start' as const, 'panel' as const),
      type: fc.constantFrom('feed' as const, 'discharge' as const),
      amountG: fc.integer({ min: 1_000, max: 30_000 }),
    }),
  },
  fc.constant({ kind: 'stop' as const }),
  fc.constant({ kind: 'forget' as const }),
  fc.constant({ kind: 'repeat' as const }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Setting {
  readonly offsetMs: number;
  readonly reportDelayMs: number;
  readonly weighsAtEnd: boolean;
}

const setting: fc.Arbitrary<Setting> = fc.record({
  offsetMs: fc.integer({ min: -40 * SECOND_MS, max: 40 * SECOND_MS }),
  reportDelayMs: delayMs,
  weighsAtEnd: fc.boolean(),
});

/** Lets the silo and the service go through the steps, and checks what is shown after each turn. */
function run(steps: readonly Step[], { offsetMs, reportDelayMs, weighsAtEnd }: Setting): Tally {
  const silo = new Silo(offsetMs);
  const service = new Service(silo);
  const tally = { measured: 0, unknown: 0 };
  let count = 0;
  const report = (id: string): void => {
    const progress = silo.progress(id);
    silo.send(reportDelayMs, () => service.report(progress));
  };
  const weigh = (afterMs: number): void => {
    const weight = { valueG: silo.weightG(), tsMs: silo.tsMs() };
    silo.send(afterMs, () => service.take(weight));
  };
  const turn = (): void => {
    for (const id of silo.advance()) {
      report(id);
      if (weighsAtEnd) weigh(0);
    }
    if ((silo.nowMs - START_MS) % (5 * SECOND_MS) === 0) {
      for (const [id, { endedAtMs }] of silo.movements) if (endedAtMs === null) report(id);
    }
    if ((silo.nowMs - START_MS) % 500 === 0) for (const id of service.tick()) report(id);
    // The service knows an operation that was begun at the panel only when the device reports it.
    const isAllReported = [...silo.movements.keys()].every((id) => service.operations.has(id));
    if (isAllReported) for (const operation of service.operations.values()) check(silo, operation);
  };
  weigh(0);
  turn();
  for (const one of [...steps, { kind: 'wait', ms: 30_000 } as const]) {
    const id = `op_${count}`;
    switch (one.kind) {
      case 'wait':
        for (const untilMs = silo.nowMs + one.ms; silo.nowMs < untilMs; ) turn();
        break;
      case 'weigh':
        weigh(one.delayMs);
        break;
      case 'start':
        count++;
        if (!service.start(id, one.type, one.amountG)) break;
        if (silo.isBusy()) service.apply(id, { kind: 'ack', accepted: false, reason: null });
        else silo.begin(id, one.type, one.amountG);
        break;
      case 'panel':
        count++;
        silo.begin(id, one.type, one.amountG);
        break;
      case 'stop':
        for (const { operationId } of [...service.operations.values()].filter(holdsDevice)) {
          service.apply(operationId, { kind: 'stop' });
          silo.stop(operationId);
        }
        break;
      case 'forget':
        silo.forget();
        break;
      case 'repeat':
        for (const known of silo.movements.keys()) report(known);
    }
  }
  for (const operation of service.operations.values()) {
    if (operation.plan === null || !isTerminal(operation)) continue;
    if (weighedAmountG(operation) === null) tally.unknown++;
    else tally.measured++;
  }
  return tally;
}

interface Tally {
  measured: number;
  unknown: number;
}

function check(silo: Silo, operation: OperationState): void {
  const weighedG = weighedAmountG(operation);
  if (weighedG === null) return;
  const atMs = isTerminal(operation) ? silo.nowMs : silo.trueMs(operation.measuredAtMs ?? 0);
  const movedG = silo.movedG(operation.operationId, atMs);
  assert.ok(Math.abs(weighedG - movedG) <= TOLERANCE_G, `the scale shows ${weighedG} g, ${movedG} g moved`);
}

it('the weighed amount of an operation is what it moved, or not known', () => {
  const sum: Tally = { measured: 0, unknown: 0 };
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 30 }), setting, (steps, given) => {
      const { measured, unknown } = run(steps, given);
      sum.measured += measured;
      sum.unknown += unknown;
    }),
    { numRuns: 300 },
  );
  assert.ok(sum.measured > 30 && sum.unknown > 30, JSON.stringify(sum));
});

it('a weight right after the end of each operation measures all that do not overlap', () => {
  const sequence = fc.array(
    fc.tuple(fc.integer({ min: 1_000, max: 20_000 }), fc.integer({ min: 500, max: 5_000 })),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(sequence, fc.integer({ min: -40_000, max: 40_000 }), (amounts, offsetMs) => {
      const steps = amounts.flatMap(([amountG, pauseMs]) => [
        { kind: 'start', type: 'feed', amountG } as const,
        { kind: 'wait', ms: amountG + pauseMs + STEP_MS } as const,
      ]);
      const tally = run(steps, { offsetMs, reportDelayMs: 0, weighsAtEnd: true });
      assert.deepEqual(tally, { measured: amounts.length, unknown: 0 });
    }),
    { numRuns: 100 },
  );
});
