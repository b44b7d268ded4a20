import type { OperationProgress, SiloCommand, StartCommand } from '@granary/contract/link/messages';
import { MINUTE_MS } from '@granary/contract/time';
import { CountingDevice, STEP_MS } from './counting-device.ts';

interface Run {
  readonly command: StartCommand;
  state: OperationProgress['state'];
  movedKg: number;
}

export class CountingSilo extends CountingDevice<SiloCommand> {
  /** How often each operation was started. */
  readonly starts = new Map<string, number>();
  /** Starts that came after the operation's end had been told. */
  startsAfterEnd = 0;
  readonly #runs = new Map<string, Run>();
  readonly #weightAtFirstKg: number;

  constructor(mqttUrl: string, deviceId: string, secret: string, weightKg: number) {
    super(mqttUrl, deviceId, secret);
    this.#weightAtFirstKg = weightKg;
  }

  /** How an operation ended on the device; `undefined` if it never began there. */
  truth(operationId: string): Pick<Run, 'state' | 'movedKg'> | undefined {
    return this.#runs.get(operationId);
  }

  protected obey(command: SiloCommand): void {
    const { operation_id: id } = command;
    if (command.command === 'start') this.#start(command);
    const run = this.#runs.get(id);
    if (command.command === 'stop' && run?.state === 'running') run.state = 'stopped';
    this.#report(id);
  }

  protected step(): void {
    for (const run of this.#runs.values()) {
      if (run.state !== 'running') continue;
      const { amount_kg, rate_kg_per_min, operation_id } = run.command;
      run.movedKg = Math.min(amount_kg, run.movedKg + (rate_kg_per_min * STEP_MS) / MINUTE_MS);
      if (run.movedKg >= amount_kg) run.state = 'completed';
      this.#report(operation_id);
    }
    this.publish('telemetry', { ts: this.ts(), weight: this.#weightKg() });
  }

  #start(command: StartCommand): void {
    const { operation_id: id } = command;
    this.starts.set(id, (this.starts.get(id) ?? 0) + 1);
    const known = this.#runs.get(id);
    if (known !== undefined && known.state !== 'running') this.startsAfterEnd++;
    this.#runs.set(id, { command, state: 'running', movedKg: known?.movedKg ?? 0 });
    this.publish('ack', { operation_id: id, accepted: true });
  }

  #weightKg(): number {
    let weightKg = this.#weightAtFirstKg;
    for (const { command, movedKg } of this.#runs.values()) {
      weightKg += command.type === 'feed' ? movedKg : -movedKg;
    }
    return weightKg;
  }

  #report(operation_id: string): void {
    const run = this.#runs.get(operation_id);
    const amount_kg = run?.movedKg ?? 0;
    this.publish('progress', { operation_id, state: run?.state ?? 'unknown', amount_kg, ts: this.ts() });
  }
}
