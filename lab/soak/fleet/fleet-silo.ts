import type { OperationProgress, SiloCommand, StartCommand } from '@granary/contract/link/messages';
import { MINUTE_MS } from '@granary/contract/time';
import { FleetDevice } from './fleet-device.ts';

const WEIGHT_KG_AT_FIRST = 10_000;

interface Run {
  readonly command: StartCommand;
  readonly beganMs: number;
  state: OperationProgress['state'];
  movedKg: number;
}

export class FleetSilo extends FleetDevice<SiloCommand> {
  readonly #runs = new Map<string, Run>();
  #restingKg = WEIGHT_KG_AT_FIRST;

  /** Without this, operations alone change the weight. */
  setWeight(weightKg: number): void {
    this.#restingKg = weightKg;
    this.report();
  }

  report(): void {
    for (const [id, run] of this.#runs) {
      if (run.state === 'running') this.#progress(id);
    }
    this.reportAt();
  }

  /** A reading of that time, or of now. */
  reportAt(tsMs = this.ts()): void {
    const values = { weight: this.#weightKg(), temperature: 18.25, humidity: 55.5 };
    this.publishReading(values, tsMs).catch(() => undefined);
  }

  protected obey(command: SiloCommand): void {
    const { operation_id: id } = command;
    if (command.command === 'stop') this.received('stop', id);
    if (command.command === 'start') this.#start(command);
    const run = this.#runs.get(id);
    if (command.command === 'stop' && run?.state === 'running') {
      this.#move(run);
      run.state = 'stopped';
    }
    this.#progress(id);
    if (command.command === 'stop') this.reportAt();
  }

  #start(command: StartCommand): void {
    const { operation_id: id } = command;
    this.received('start', id);
    this.#runs.set(id, { command, beganMs: Date.now(), state: 'running', movedKg: 0 });
    this.publish('ack', { operation_id: id, accepted: true }).catch(() => undefined);
  }

  #move(run: Run): void {
    const { amount_kg, rate_kg_per_min } = run.command;
    const movedKg = (rate_kg_per_min * (Date.now() - run.beganMs)) / MINUTE_MS;
    run.movedKg = Math.min(amount_kg, Math.round(movedKg * 1_000) / 1_000);
    if (run.movedKg === amount_kg) run.state = 'completed';
  }

  #weightKg(): number {
    const movedKg = [...this.#runs.values()].reduce((sum, run) => sum + run.movedKg, 0);
    return Math.round((this.#restingKg + movedKg) * 1_000) / 1_000;
  }

  #progress(operation_id: string): void {
    const run = this.#runs.get(operation_id);
    if (run?.state === 'running') this.#move(run);
    const amount_kg = run?.movedKg ?? 0;
    const progress = { operation_id, state: run?.state ?? 'unknown', amount_kg, ts: this.ts() };
    this.publish('progress', progress).catch(() => undefined);
  }
}
