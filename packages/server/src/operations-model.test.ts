import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OperationRecord } from '@granary/contract/operations';
import { beginOperation, type OperationState } from '@granary/core/operation-state';
import { advance, type OperationInput } from '@granary/core/operations';
import fc from 'fast-check';
import { eventually } from './testing/eventually.ts';
import { type ScriptedSilo, startSilo } from './testing/scripted-silo.ts';
import { type Api, describeService } from './testing/service.ts';

const RUNS = 12;
const STEPS_MAX = 25;
const CAPACITY_G = 1_000_000;

/** What people, the device and the network do, in any order. */
const step = fc.oneof(
  fc.constant({ kind: 'start' } as const),
  fc.constant({ kind: 'stop' } as const),
  fc.record({ kind: fc.constant('ack' as const), accepted: fc.boolean() }),
  fc.record({
    kind: fc.constant('progress' as const),
    state: fc.constantFrom('running', 'completed', 'stopped', 'failed'),
    amountKg: fc.integer({ min: 0, max: 12 }),
  }),
  fc.constant({ kind: 'foreign' } as const),
  fc.constant({ kind: 'cut' } as const),
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The device's clock, which the model and the service must hear alike. */
let tsMs = Date.now();

/** Runs the same steps through the service and through the pure state machine, and compares after each. */
class Run {
  readonly #api: Api;
  readonly #silo: ScriptedSilo;
  #model: OperationState | null = null;
  #operationId = '';

  constructor(api: Api, silo: ScriptedSilo) {
    this.#api = api;
    this.#silo = silo;
  }

  async take(what: Step): Promise<void> {
    if (what.kind === 'start') return await this.#start();
    if (what.kind === 'cut') return await this.#cut();
    if (what.kind === 'foreign') return await this.#foreign();
    if (this.#model === null) return;
    if (what.kind === 'stop') {
      const stopped = await this.#api.post(`${this.#path()}/stop`);
      assert.equal(stopped.status, 200);
      this.#advance({ kind: 'stop' });
    } else if (what.kind === 'ack') {
      await this.#silo.ack({ operation_id: this.#operationId, accepted: what.accepted });
      this.#advance({ kind: 'ack', accepted: what.accepted, reason: null });
    } else {
      const { state, amountKg } = what;
      const word = { operation_id: this.#operationId, state, amount_kg: amountKg, ts: ++tsMs };
      await this.#silo.publish('progress', word);
      this.#advance({ kind: 'progress', state, amountG: amountKg * 1_000, reason: null, tsMs });
    }
    await this.#compare();
  }

  /** Tells the end to whatever is under way, so that the next run finds the silo free. */
  async finish(): Promise<void> {
    await this.take({ kind: 'progress', state: 'stopped', amountKg: 12 });
    const starts = this.#silo.commands.filter(({ command }) => command === 'start');
    assert.equal(new Set(starts.map((start) => start.operation_id)).size, starts.length, 'started twice');
  }

  async #start(): Promise<void> {
    await this.#silo.weigh(500);
    const answer = await this.#api.post(`${this.#silo.path}/operations/feed`, { amount: 10, rate: 100 });
    if (this.#isUnderWay()) {
      assert.equal(answer.status, 409, answer.text);
      assert.equal(answer.body.error.code, 'operation_in_progress');
      return await this.#compare();
    }
    assert.equal(answer.status, 200, answer.text);
    this.#operationId = answer.body.data.operation_id;
    const { operation_id: told } = await this.#silo.take('start');
    assert.equal(told, this.#operationId);
    this.#model = beginOperation(
      {
        ...{ operationId: this.#operationId, deviceNo: 1, type: 'feed', weightG: 500_000 },
        plan: {
          ...{ amountG: 10_000, unit: 'kg', rateGPerMin: 100_000, rateUnit: 'kg/min', targetContainer: null },
          ...{ maxAmountG: 10_200, maxDurationMs: 60_000, expiresAtMs: Date.now() + 30_000 },
        },
      },
      Date.now(),
    );
    await this.#compare();
  }

  /** The link breaks and comes back; meanwhile nobody may claim to know more than before. */
  async #cut(): Promise<void> {
    await this.#silo.vanish();
    await this.#silo.reconnect();
    await this.#silo.publish('status', { state: 'online' });
    await this.#compare();
  }

  /** A word about something else changes nothing here. */
  async #foreign(): Promise<void> {
    await this.#silo.ack({ operation_id: 'op_of_nobody', accepted: true });
    await this.#compare();
  }

  #advance(input: OperationInput): void {
    if (this.#model === null) return;
    this.#model = advance(this.#model, input, Date.now()).operation;
  }

  #isUnderWay(): boolean {
    return this.#model !== null && this.#model.endedAtMs === null;
  }

  #path(): string {
    return `${this.#silo.path}/operations/${this.#operationId}`;
  }

  async #compare(): Promise<void> {
    const model = this.#model;
    if (model === null) return;
    // Time passes for the service alone: without the device's word for a while it may say so, and nothing else.
    const isAllowed = ({ status }: OperationRecord): boolean =>
      status === model.status ||
      (status === 'unconfirmed' && ['started', 'in_progress'].includes(model.status));
    let shown: OperationRecord | undefined;
    await eventually(async () => {
      shown = (await this.#api.get(this.#path())).body.data;
      return shown !== undefined && isAllowed(shown);
    }, true);
    assert.equal(shown?.amount_completed, model.amountCompletedG / 1_000);
    assert.equal(shown?.stop_requested_at === null, model.stopRequestedAtMs === null);
    assert.equal(shown?.ended_at === null, model.endedAtMs === null);
  }
}

describeService('operations against the state machine', (api) => {
  let silo: ScriptedSilo | undefined;
  before(async () => {
    silo = await startSilo(api, 'modelled', CAPACITY_G / 2_000);
  });
  after(() => silo?.leave());

  // A failure names its seed and path; `{ seed, path }` in the last argument replays it.
  test('whatever people, device and network do, both say the same', async () => {
    const device = silo;
    assert.ok(device !== undefined);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: STEPS_MAX }), async (steps) => {
        const run = new Run(api, device);
        for (const what of steps) await run.take(what);
        await run.finish();
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
