import type { Store } from '@granary/store/store';
import type { AlertEvaluator } from './alerts.ts';
import { type DeviceCommands, operationMessage } from './device-commands.ts';
import type { Logger } from './logger.ts';
import type { UrgentOrders } from './urgent-orders.ts';

const ROUND_MS = 500;
const DEVICES_PER_TICK_MAX = 1_000;
const DEVICES_PER_CALL_MAX = 500;

interface ReconcilerParts {
  readonly store: Store;
  readonly commands: DeviceCommands;
  readonly orders: UrgentOrders;
  readonly evaluator: AlertEvaluator;
  readonly logger: Logger;
  readonly now: () => number;
  /** Called when a round may have logged something. */
  readonly changed: () => void;
}

/**
 * Brings what is stored up to the present time, again and again: timeouts, repeated stops, missions whose time has come,
 * alerts that time alone raises or clears. Everything follows from stored state, so it may run on several nodes, and a round that is lost costs nothing.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => {
      // Not part of the round, which a storage that hangs would hold up.
      this.#parts.orders.repeat();
      this.#round ??= this.#run().finally(() => {
        this.#round = null;
      });
    }, ROUND_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  async #run(): Promise<void> {
    const { evaluator, orders } = this.#parts;
    evaluator.retry();
    await Promise.all([
      this.#attempt('storing urgent orders', () => orders.retry()),
      this.#attempt('bringing operations up to date', () => this.#tickOperations()),
      this.#attempt('bringing commands and missions up to date', () => this.#tickField()),
      this.#attempt('evaluating alerts that are due', () => this.#evaluateDue()),
    ]);
  }

  /** One that fails must not keep the others from their turn; the next round tries again. */
  async #attempt(doing: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#parts.logger.warn({ err: error }, `${doing} failed`);
    }
  }

  async #tickOperations(): Promise<void> {
    const { store, commands, now, changed } = this.#parts;
    const toSend = await store.operations.tick({ nowMs: now(), limit: DEVICES_PER_TICK_MAX });
    for (const { deviceId, operationId, send } of toSend) {
      commands.send(deviceId, operationMessage(operationId, send));
    }
    if (toSend.length > 0) changed();
  }

  async #tickField(): Promise<void> {
    const { store, commands, now, changed } = this.#parts;
    const toSend = await store.field.tick({ nowMs: now(), limit: DEVICES_PER_TICK_MAX });
    for (const { deviceId, message } of toSend) commands.send(deviceId, message);
    if (toSend.length > 0) changed();
  }

  async #evaluateDue(): Promise<void> {
    const { store, now, changed } = this.#parts;
    let evaluated = DEVICES_PER_CALL_MAX;
    while (evaluated === DEVICES_PER_CALL_MAX) {
      evaluated = await store.alerts.evaluateDue({ nowMs: now(), limit: DEVICES_PER_CALL_MAX });
      if (evaluated > 0) changed();
    }
  }
}
