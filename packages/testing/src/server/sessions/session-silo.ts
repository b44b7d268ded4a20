import { MINUTE_MS } from '@granary/contract/time';
import { type Delivered, idOf } from './device-log.ts';
import { type DeviceParts, SessionDevice, STEP_MS } from './session-device.ts';

const REPORT_STEPS = 3;
const IGNORED_STOPS_SHARE = 0.3;

interface Run {
  readonly amountKg: number;
  readonly rateKgPerMin: number;
  readonly sign: number;
  state: 'running' | 'completed' | 'stopped';
  movedKg: number;
  steps: number;
}

export class SessionSilo extends SessionDevice {
  readonly #runs = new Map<string, Run>();
  #weightKg: number;

  constructor(parts: DeviceParts, weightKg: number) {
    super(parts);
    this.#weightKg = weightKg;
  }

  protected carryOut(command: Delivered): void {
    const id = idOf(command);
    if (command.command === 'start') this.#start(id, command);
    if (command.command === 'stop') {
      // The service repeats a stop until the device has answered it.
      if (this.random.chance(IGNORED_STOPS_SHARE)) return;
      const run = this.#runs.get(id);
      if (run?.state === 'running') run.state = 'stopped';
    }
    this.#report(id);
  }

  protected step(): void {
    for (const [id, run] of this.#runs) {
      if (run.state !== 'running') continue;
      const kg = Math.min(run.amountKg - run.movedKg, (run.rateKgPerMin * STEP_MS) / MINUTE_MS);
      run.movedKg += kg;
      this.#weightKg += run.sign * kg;
      this.log.move(id, Date.now());
      if (run.movedKg >= run.amountKg) run.state = 'completed';
      if (++run.steps % REPORT_STEPS === 0 || run.state === 'completed') this.#report(id);
    }
  }

  protected reading(): object {
    return { weight: Math.round(this.#weightKg * 1_000) / 1_000 };
  }

  protected loseMemory(): void {
    this.#runs.clear();
  }

  #start(id: string, command: Delivered): void {
    if (this.#runs.has(id)) return;
    this.log.execute(id);
    this.#runs.set(id, {
      amountKg: Number(command['amount_kg']),
      rateKgPerMin: Number(command['rate_kg_per_min']),
      sign: command['type'] === 'feed' ? 1 : -1,
      state: 'running',
      movedKg: 0,
      steps: 0,
    });
    this.publish('ack', { operation_id: id, accepted: true });
  }

  #report(operation_id: string): void {
    const run = this.#runs.get(operation_id);
    const state = run?.state ?? 'unknown';
    this.publish('progress', { operation_id, state, amount_kg: run?.movedKg ?? 0, ts: this.ts() });
  }
}
