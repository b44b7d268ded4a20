import type { App } from '@granary/app/app';
import type { DueDevices, TickRound } from '@granary/app/jobs/advance-due-jobs';
import type { DeviceLink, LinkDevice } from '@granary/link/port';
import type { AlertEvaluator } from '../alerts/evaluator.ts';
import type { Observation } from '../alerts/observation.ts';
import { type DeviceCommands, operationMessage } from '../delivery/device-commands.ts';
import { sendFieldMessage } from '../delivery/field-messages.ts';
import type { Logger } from '../logging/logger.ts';
import type { PriorityCommands } from '../urgent/priority-commands.ts';
import type { SetAsideLog } from './set-aside-log.ts';

const ROUND_MS = 500;
const DEVICES_PER_TICK_MAX = 1_000;
const DEVICES_PER_CALL_MAX = 500;

interface ReconcilerParts {
  readonly app: App;
  readonly link: Pick<DeviceLink, 'isReachable'>;
  readonly setAside: SetAsideLog;
  readonly commands: DeviceCommands;
  readonly orders: PriorityCommands;
  readonly evaluator: AlertEvaluator;
  readonly observation: Observation;
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

  /** Sends at once what waits for a device that has just become able to receive commands. */
  deviceReachable(device: LinkDevice): void {
    void this.#attempt('sending what waited for a device', () => this.#reconcileDevice(device));
  }

  async #reconcileDevice({ deviceNo, deviceId, kind }: LinkDevice): Promise<void> {
    const { app, link, now } = this.#parts;
    const nowMs = now();
    const jobs = kind === 'silo' ? app.operations : app.field;
    if (!(await jobs.isDue({ deviceNo, nowMs }))) return;
    const devices = [{ deviceNo, isReachable: link.isReachable(deviceId) }];
    const round = { nowMs, devices, hasMore: false, isNewSession: true };
    await (kind === 'silo' ? this.#sendOperations(round) : this.#sendField(round));
  }

  async #tickOperations(): Promise<void> {
    const { app, now } = this.#parts;
    const nowMs = now();
    const due = await app.operations.due({ nowMs, limit: DEVICES_PER_TICK_MAX });
    if (due.devices.length > 0) await this.#sendOperations(this.#roundOf(due, nowMs));
  }

  async #tickField(): Promise<void> {
    const { app, now } = this.#parts;
    const nowMs = now();
    const due = await app.field.due({ nowMs, limit: DEVICES_PER_TICK_MAX });
    if (due.devices.length > 0) await this.#sendField(this.#roundOf(due, nowMs));
  }

  /** Which devices are due stands in the store; whether they are reachable only the link knows. */
  #roundOf({ devices, hasMore }: DueDevices, nowMs: number): TickRound {
    const { link } = this.#parts;
    const toTick = devices.map(({ deviceNo, deviceId }) => ({
      deviceNo,
      isReachable: link.isReachable(deviceId),
    }));
    return { nowMs, devices: toTick, hasMore, isNewSession: false };
  }

  async #sendOperations(round: TickRound): Promise<void> {
    const { app, commands, changed, setAside } = this.#parts;
    const ticked = await app.operations.tick(round);
    setAside.note(ticked.setAside);
    for (const { deviceId, operationId, send } of ticked.sends) {
      commands.send(deviceId, operationMessage(operationId, send));
    }
    if (ticked.sends.length > 0) changed();
  }

  async #sendField(round: TickRound): Promise<void> {
    const { app, commands, now, changed, setAside } = this.#parts;
    const ticked = await app.field.tick(round);
    setAside.note(ticked.setAside);
    for (const { message, ...target } of ticked.sends) {
      await sendFieldMessage({ app, commands, now }, target, message);
    }
    if (ticked.sends.length > 0) changed();
  }

  async #evaluateDue(): Promise<void> {
    const { app, observation, setAside, changed } = this.#parts;
    let devices = DEVICES_PER_CALL_MAX;
    while (devices === DEVICES_PER_CALL_MAX) {
      const receipt = await observation.during((nowMs) =>
        app.alerts.evaluateDue({ nowMs, limit: DEVICES_PER_CALL_MAX }),
      );
      setAside.note(receipt.setAside);
      devices = receipt.devices;
      if (devices > 0) changed();
    }
  }
}
