import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SILOS } from '../bench/farm.ts';
import type { Caller } from './caller.ts';
import type { ReceivedCommand } from './fleet-process.ts';
import type { StartLedger } from './ledgers.ts';
import type { TimedStops } from './timed-stops.ts';

/** The length of a turn with one start and one stop. */
const TURN_MS = 500;
const RUNNING_MS_MIN = 4_000;
/** A start without an answer is repeated with the same key. */
const REPEATED_AFTER_MS = 300;
const REPEATED_MS_MAX = 40_000;
/** The service ends an accepted start that did not reach its device within this time. */
const FREE_AGAIN_MS = 60_000;
const ENDED_MS = 2_000;
const FEED = { amount: 500, rate: 20 };

/** Every change makes a new object. */
interface State {
  readonly is: 'idle' | 'starting' | 'running' | 'stopping';
  readonly operationId: string;
  readonly sinceMs: number;
}
const stateOf = (is: State['is'], operationId = ''): State => ({ is, operationId, sinceMs: Date.now() });

/** People who start and stop operations of silos all the time and through all nodes. */
export class Operators {
  readonly #caller: Caller;
  readonly #stops: TimedStops;
  readonly #ledger: StartLedger;
  readonly #silos: Map<string, State>;
  #isEnding = false;

  constructor(caller: Caller, stops: TimedStops, ledger: StartLedger, silos: readonly string[]) {
    this.#caller = caller;
    this.#stops = stops;
    this.#ledger = ledger;
    this.#silos = new Map(silos.map((silo) => [silo, stateOf('idle')]));
  }

  received({ deviceId, command, jobId }: ReceivedCommand): void {
    if (command !== 'start') return;
    this.#ledger.received(deviceId, jobId);
    this.#silos.set(deviceId, stateOf('running', jobId));
  }

  async run(): Promise<void> {
    const busy: Promise<void>[] = [];
    while (!this.#isEnding) {
      const idle = [...this.#silos].find(([, { is }]) => is === 'idle')?.[0];
      if (idle !== undefined) busy.push(this.#start(idle));
      const running = this.#longestRunning(RUNNING_MS_MIN);
      if (running !== null) busy.push(this.#stop(...running));
      await sleep(TURN_MS);
    }
    await Promise.all(busy);
    for (let running = this.#longestRunning(0); running !== null; running = this.#longestRunning(0)) {
      await this.#stop(...running);
    }
  }

  /** Makes `run` resolve when every operation is stopped. */
  end(): void {
    this.#isEnding = true;
  }

  #longestRunning(runningMsMin: number): [silo: string, operationId: string] | null {
    const running = [...this.#silos].filter(
      ([, { is, sinceMs }]) => is === 'running' && Date.now() - sinceMs >= runningMsMin,
    );
    const [longest] = running.toSorted(([, a], [, b]) => a.sinceMs - b.sinceMs);
    return longest === undefined ? null : [longest[0], longest[1].operationId];
  }

  async #start(silo: string): Promise<void> {
    // The silo that was idle for the longest time is the next one.
    this.#silos.delete(silo);
    this.#silos.set(silo, stateOf('starting'));
    const idempotencyKey = randomUUID();
    this.#ledger.requested(idempotencyKey, silo);
    const wanted = { path: `${SILOS}/${silo}/operations/feed`, body: FEED, idempotencyKey };
    const untilMs = Date.now() + REPEATED_MS_MAX;
    while (Date.now() < untilMs) {
      const { outcome, isFinal, data } = await this.#caller.next({ method: 'POST', ...wanted });
      if (outcome === 'ok') {
        this.#ledger.accepted(idempotencyKey, data.operation_id);
        this.#freeLater(silo, FREE_AGAIN_MS);
        return;
      }
      if (isFinal) {
        this.#ledger.refused(idempotencyKey);
        this.#freeLater(silo, ENDED_MS);
        return;
      }
      await sleep(REPEATED_AFTER_MS);
    }
    this.#freeLater(silo, 0);
  }

  async #stop(silo: string, operationId: string): Promise<void> {
    const stopping = stateOf('stopping');
    this.#silos.set(silo, stopping);
    const path = `${SILOS}/${silo}/operations/${operationId}/stop`;
    await this.#stops.stop(silo, operationId, { path });
    if (this.#silos.get(silo) === stopping) this.#freeLater(silo, ENDED_MS);
  }

  /** Makes the silo idle later, unless its state changes before. */
  #freeLater(silo: string, afterMs: number): void {
    const state = this.#silos.get(silo);
    setTimeout(() => {
      if (this.#silos.get(silo) === state && state?.is !== 'running') this.#silos.set(silo, stateOf('idle'));
    }, afterMs).unref();
  }
}
