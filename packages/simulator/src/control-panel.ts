import { checkSiloCommand, type SiloCommand } from '@granary/contract/link';
import { SECOND_MS } from '@granary/contract/time';
import { progressOf, type Run } from './controller.ts';
import { Courier } from './courier.ts';
import type { DeviceLink } from './device-link.ts';
import type { Silo } from './farm.ts';
import type { FaultName } from './faults/fault.ts';
import { exaggerated, SILENCE_MS } from './faults/operation-faults.ts';
import { advance, type Machine, type Memory, memoryOf, powerUp } from './machine.ts';
import { begin, halt } from './operations.ts';
import { type Report, Reports } from './reports.ts';
import type { SiloBody } from './silo-body.ts';

/** A scale is watched closely until it has come to rest. */
const REST_AFTER_MS = 5 * SECOND_MS;

export interface ControlPanelOptions {
  readonly silo: Silo;
  readonly link: DeviceLink;
  readonly faults: ReadonlySet<FaultName>;
  /** As it was kept last. */
  readonly memory: Memory;
  readonly keep: (memory: Memory) => Promise<void>;
  readonly onTrouble: (reason: string) => void;
}

/** Takes a silo's commands, has its machine carry them out, and reports on it. Says nothing that it might forget. */
export class ControlPanel {
  readonly #options: ControlPanelOptions;
  readonly #reports = new Reports();
  readonly #courier = new Courier(() => this.#sendNext());
  #machine: Machine;
  #busyUntilMs = Number.NEGATIVE_INFINITY;
  #silentUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: ControlPanelOptions, nowMs: number) {
    const { silo, memory } = options;
    this.#options = options;
    this.#machine = powerUp(silo, memory, nowMs);
    const interrupted = memory.operations.find(({ state }) => state === 'running');
    if (interrupted !== undefined) this.#tellProgress(interrupted.operation_id);
  }

  get body(): SiloBody {
    return this.#machine.body;
  }

  get running(): Run | null {
    return this.#machine.controller.running;
  }

  /** Material moves, the scale has yet to come to rest, or something has yet to be said. */
  isBusy(): boolean {
    return this.running !== null || this.body.timeMs < Math.max(this.#busyUntilMs, this.#silentUntilMs);
  }

  advanceTo(nowMs: number): void {
    const { silo, faults } = this.#options;
    this.#become(advance(silo, this.#machine, nowMs, faults.has('stall')));
  }

  obey(payload: string): void {
    if (this.#options.faults.has('ignore-commands')) return;
    const command = parseCommand(payload);
    if (command === undefined) this.#options.onTrouble('it was sent a command that it cannot read');
    else this.#carryOut(command);
  }

  /** Sends what is to be said, the newest on the operation that runs included. */
  report(): void {
    if (this.running !== null) this.#tellProgress(this.running.command.operation_id);
    if (this.isBusy()) void this.keep();
    if (this.body.timeMs >= this.#silentUntilMs) this.#courier.go();
  }

  async keep(): Promise<void> {
    const { silo, keep, onTrouble } = this.#options;
    try {
      await keep(memoryOf(silo, this.#machine));
    } catch (failure) {
      onTrouble(`its memory cannot be kept: ${failure instanceof Error ? failure.message : failure}`);
    }
  }

  #carryOut(command: SiloCommand): void {
    const { controller } = this.#machine;
    const { timeMs } = this.body;
    switch (command.command) {
      case 'start': {
        const answer = begin(controller, command, timeMs);
        if (this.#options.faults.has('late-ack')) this.#silentUntilMs = timeMs + SILENCE_MS;
        this.#reports.add({ subject: 'ack', payload: answer.ack });
        this.#become({ ...this.#machine, controller: answer.controller });
        break;
      }
      case 'stop':
        this.#become({ ...this.#machine, controller: halt(controller, command.operation_id, timeMs) });
        this.#tellProgress(command.operation_id);
        break;
      case 'report':
        this.#tellProgress(command.operation_id);
        break;
    }
  }

  #become(machine: Machine): void {
    const before = this.running;
    this.#machine = machine;
    if (before === null || machine.controller.running !== null) return;
    this.#busyUntilMs = machine.body.timeMs + REST_AFTER_MS;
    this.#tellProgress(before.command.operation_id);
  }

  #tellProgress(operationId: string): void {
    const payload = progressOf(this.#machine.controller, operationId, this.body.timeMs);
    this.#reports.add({
      subject: 'progress',
      payload: this.#options.faults.has('lying-amount') ? exaggerated(payload) : payload,
    });
  }

  #sendNext(): Promise<void> | undefined {
    const report = this.#reports.take();
    return report === undefined ? undefined : this.#send(report);
  }

  async #send({ subject, payload }: Report): Promise<void> {
    await this.keep();
    await this.#options.link.deliver(subject, payload);
  }
}

function parseCommand(payload: string): SiloCommand | undefined {
  try {
    const command: unknown = JSON.parse(payload);
    return checkSiloCommand.accepts(command) ? command : undefined;
  } catch {
    return undefined;
  }
}
