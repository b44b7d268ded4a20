import {
  checkSiloCommand,
  type OperationAck,
  type OperationProgress,
  type SiloCommand,
} from '@granary/contract/link/messages';
import { SECOND_MS } from '@granary/contract/time';
import type { DeviceModel } from '../device/device.ts';
import { parseMessage, ReportQueue } from '../device/report-queue.ts';
import { type ActiveFaults, SILENCE_MS } from '../faults.ts';
import type { ServiceConnection } from '../service-connection.ts';
import { exaggerated, LEAK_SHARE_PER_HOUR, type SiloFault } from './faults.ts';
import { advance, type Machine, type Memory, memoryOf, powerUp } from './machine.ts';
import { progressOf, type Run } from './operations/controller.ts';
import { begin, halt } from './operations/operations.ts';
import { measure, type SiloReading, type Weighed } from './scale.ts';
import type { SiloBody } from './silo-body.ts';
import { measureCable } from './temperature-cable.ts';

/** The device keeps its short interval until the weight has settled. */
const REST_AFTER_MS = 5 * SECOND_MS;

export interface SiloControllerOptions {
  readonly silo: Weighed;
  readonly link: ServiceConnection;
  readonly faults: ActiveFaults<SiloFault>;
  /** The stored state. */
  readonly memory: Memory;
  readonly keep: (memory: Memory) => Promise<void>;
  readonly onTrouble: (reason: string) => void;
}

/** Receives the commands of a silo, has its machine carry them out, and reports on them. */
export class SiloController implements DeviceModel<SiloReading> {
  readonly hasPower = true;
  readonly #options: SiloControllerOptions;
  readonly #reports: ReportQueue<OperationAck, OperationProgress>;
  #machine: Machine;
  #busyUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: SiloControllerOptions, nowMs: number) {
    const { silo, memory, link, keep, onTrouble } = options;
    this.#options = options;
    this.#machine = powerUp(silo, memory, nowMs);
    this.#reports = new ReportQueue({
      link,
      keep: () => keep(memoryOf(silo, this.#machine)),
      onTrouble,
      merge: (waiting, newer) => (waiting.operation_id === newer.operation_id ? newer : null),
    });
    const interrupted = memory.operations.find(({ state }) => state === 'running');
    if (interrupted !== undefined) this.#reportProgress(interrupted.operation_id);
  }

  get body(): SiloBody {
    return this.#machine.body;
  }

  /** The true content at the last tick, whatever the scale shows. */
  get weightKg(): number {
    return this.body.weightKg;
  }

  get runMs(): number | null {
    return this.#running?.elapsedMs ?? null;
  }

  isBusy(): boolean {
    const { timeMs } = this.body;
    return this.#running !== null || timeMs < this.#busyUntilMs || this.#reports.isSilentAt(timeMs);
  }

  endsInMs(): number | null {
    return this.#running === null ? null : Math.ceil(this.#running.flow.durationMs - this.#running.flowMs);
  }

  advanceTo(nowMs: number): void {
    const { silo, faults } = this.#options;
    const defects = {
      isJammed: faults.has('stall'),
      isBridged: faults.has('bridging'),
      leakKgPerHour: faults.has('leak') ? LEAK_SHARE_PER_HOUR * silo.capacityKg : 0,
    };
    this.#setState(advance(silo, this.#machine, nowMs, defects));
  }

  obey(payload: string): boolean {
    const { faults, onTrouble } = this.#options;
    if (faults.has('ignore-commands')) return false;
    const command = parseMessage(checkSiloCommand, payload);
    if (command === undefined) {
      onTrouble('it was sent a command that it cannot read');
      return false;
    }
    const before = this.#running;
    this.#carryOut(command);
    return this.#running !== before;
  }

  measure(): SiloReading {
    const { silo } = this.#options;
    const reading = measure(silo, this.body);
    return silo.hasCable ? { ...reading, sensors: measureCable(silo, this.body) } : reading;
  }

  report(): void {
    if (this.#running !== null) this.#reportProgress(this.#running.command.operation_id);
    if (this.isBusy()) void this.keep();
    this.#reports.send(this.body.timeMs);
  }

  keep(): Promise<void> {
    return this.#reports.keep();
  }

  get #running(): Run | null {
    return this.#machine.controller.running;
  }

  #carryOut(command: SiloCommand): void {
    const { controller } = this.#machine;
    const { timeMs } = this.body;
    switch (command.command) {
      case 'start': {
        const answer = begin(controller, command, timeMs);
        if (this.#options.faults.has('late-ack')) this.#reports.silenceUntil(timeMs + SILENCE_MS);
        this.#reports.ack(answer.ack);
        this.#setState({ ...this.#machine, controller: answer.controller });
        break;
      }
      case 'stop':
        this.#setState({ ...this.#machine, controller: halt(controller, command.operation_id, timeMs) });
        this.#reportProgress(command.operation_id);
        break;
      case 'report':
        this.#reportProgress(command.operation_id);
        break;
    }
  }

  #setState(machine: Machine): void {
    const before = this.#running;
    this.#machine = machine;
    if (before === null || machine.controller.running !== null) return;
    this.#busyUntilMs = machine.body.timeMs + REST_AFTER_MS;
    this.#reportProgress(before.command.operation_id);
  }

  #reportProgress(operationId: string): void {
    const progress = progressOf(this.#machine.controller, operationId, this.body.timeMs);
    this.#reports.progress(this.#options.faults.has('lying-amount') ? exaggerated(progress) : progress);
  }
}
