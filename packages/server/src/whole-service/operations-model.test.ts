import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProgressState } from '@granary/contract/link/messages';
import type { OperationRecord } from '@granary/contract/operations';
import { type ScriptedSilo, startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { OperationModel } from '@granary/testing/server/operation-model';
import { type Api, describeService } from '@granary/testing/server/service';
import fc from 'fast-check';

const RUNS = 12;
const STEPS_MAX = 25;
const WEIGHT_KG = 500;

/** Requests of people, reports of the device and disconnects, in any order. */
const step = fc.oneof(
  fc.constant({ kind: 'start' } as const),
  fc.constant({ kind: 'stop' } as const),
  fc.record({ kind: fc.constant('ack' as const), accepted: fc.boolean() }),
  fc.record({
    kind: fc.constant('progress' as const),
    state: fc.constantFrom('running', 'completed', 'stopped', 'failed'),
    amountKg: fc.integer({ min: 0, max: 12 }),
  }),
  fc.constant({ kind: 'again' } as const),
  fc.record({ kind: fc.constant('late' as const), share: fc.integer({ min: 0, max: 100 }) }),
  fc.constant({ kind: 'foreign' } as const),
  fc.constant({ kind: 'cut' } as const),
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Report {
  readonly operation_id: string;
  readonly state: ProgressState;
  readonly amount_kg: number;
  readonly ts: number;
}

/** The device's clock: each report that is not a late one is newer than all before. */
let tsMs = Date.now();

/** Applies the same steps to the service and to the model, and compares them after each step. */
class Run {
  readonly #api: Api;
  readonly #silo: ScriptedSilo;
  #model: OperationModel | null = null;
  #operationId = '';
  #reports: Report[] = [];

  constructor(api: Api, silo: ScriptedSilo) {
    this.#api = api;
    this.#silo = silo;
  }

  async take(what: Step): Promise<void> {
    if (what.kind === 'start') await this.#start();
    else if (this.#model !== null) await this.#happen(what, this.#model);
    await this.#compare();
  }

  /** Reports the end of the operation that is under way, so that the next run finds the silo free. */
  async finish(): Promise<void> {
    await this.take({ kind: 'progress', state: 'stopped', amountKg: 12 });
    const starts = this.#silo.commands.filter(({ command }) => command === 'start');
    assert.equal(new Set(starts.map((start) => start.operation_id)).size, starts.length, 'started twice');
  }

  async #happen(what: Exclude<Step, { kind: 'start' }>, model: OperationModel): Promise<void> {
    const operation_id = this.#operationId;
    switch (what.kind) {
      case 'stop':
        assert.equal((await this.#api.post(`${this.#path()}/stop`)).status, 200);
        return model.stop();
      case 'ack':
        await this.#silo.ack({ operation_id, accepted: what.accepted });
        return model.acknowledge(what.accepted);
      case 'progress': {
        const report = { operation_id, state: what.state, amount_kg: what.amountKg, ts: ++tsMs };
        this.#reports.push(report);
        await this.#silo.publish('progress', report);
        return model.report(what.state, what.amountKg);
      }
      case 'again':
        // A report that is delivered twice changes nothing.
        return await this.#repeat(this.#reports.at(-1));
      case 'late': {
        // A report that is older than all others changes nothing, if its amount is not larger than theirs.
        const largestKg = Math.max(0, ...this.#reports.map(({ amount_kg }) => amount_kg));
        const first = this.#reports[0];
        const amount_kg = Math.floor((largestKg * what.share) / 100);
        return await this.#repeat(first && { ...first, state: 'running', amount_kg, ts: first.ts - 1 });
      }
      case 'foreign':
        // An acknowledgement of another operation changes nothing.
        return await this.#silo.ack({ operation_id: 'op_unknown', accepted: true });
      case 'cut':
        await this.#silo.dropConnection();
        await this.#silo.reconnect();
        return await this.#silo.publish('status', { state: 'online' });
    }
  }

  async #repeat(report: Report | undefined): Promise<void> {
    if (report !== undefined) await this.#silo.publish('progress', report);
  }

  async #start(): Promise<void> {
    await this.#silo.weigh(WEIGHT_KG);
    const answer = await this.#api.post(`${this.#silo.path}/operations/feed`, { amount: 10, rate: 100 });
    if (this.#model !== null && !this.#model.isOver) {
      assert.deepEqual([answer.status, answer.body.error?.code], [409, 'operation_in_progress'], answer.text);
      assert.match(answer.body.error.message, /^Feed 10 kg is under way on this device/);
      return;
    }
    assert.equal(answer.status, 200, answer.text);
    this.#operationId = answer.body.data.operation_id;
    assert.equal((await this.#silo.take('start')).operation_id, this.#operationId);
    this.#model = new OperationModel();
    this.#reports = [];
  }

  #path(): string {
    return `${this.#silo.path}/operations/${this.#operationId}`;
  }

  async #compare(): Promise<void> {
    const model = this.#model;
    if (model === null) return;
    let shown: OperationRecord | undefined;
    await eventually(async () => {
      shown = (await this.#api.get(this.#path())).body.data;
      return shown !== undefined && model.allows(shown.status);
    }, true);
    assert.equal(shown?.amount_completed, model.amountKg);
    assert.equal(shown?.stop_requested_at !== null, model.isStopRequested);
    assert.equal(shown?.ended_at !== null, model.isOver);
    assert.match(shown?.status_detail ?? '', /^[A-Z].*\.$/);
    assert.equal(/moved again/.test(shown?.status_detail ?? ''), model.hasMovedAgain);
  }
}

describeService('operations compared with a model of their documented behaviour', (api) => {
  let silo: ScriptedSilo | undefined;
  before(async () => {
    silo = await startSilo(api, 'modelled', WEIGHT_KG);
  });
  after(() => silo?.leave());

  // A failure names its seed and path; `{ seed, path }` in the last argument replays it.
  test('after any requests, reports and disconnects the service and the model agree', async () => {
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
