import type { CommandRequest } from '@granary/contract/commands';
import { beginCommand, type CommandState, commandMessage } from '@granary/core/command-state';
import { advanceCommand } from '@granary/core/commands';
import type { Store } from '@granary/store/store';
import type { DeviceCommands } from './device-commands.ts';
import type { Outcome, UrgentOrders } from './urgent-orders.ts';

export const EMERGENCY_STOP = { command: 'emergency_stop' } as const satisfies CommandRequest;

export interface EmergencyTarget {
  readonly deviceId: string;
  /** `null` while the storage cannot even tell that. */
  readonly deviceNo: number | null;
  readonly commandId: string;
}

type Issued = Awaited<ReturnType<Store['commands']['issue']>>;

interface EmergencyStopParts {
  readonly store: Store;
  readonly commands: DeviceCommands;
  readonly orders: UrgentOrders;
  readonly now: () => number;
}

/** Stops field devices, also while nothing can be stored. */
export class EmergencyStops {
  readonly #parts: EmergencyStopParts;

  constructor(parts: EmergencyStopParts) {
    this.#parts = parts;
  }

  /** `store` writes the command, the guard of its request included. */
  async stop(target: EmergencyTarget, store: () => Promise<Issued>): Promise<CommandState> {
    const { commands, orders, now } = this.#parts;
    const supposed = asIfSent(target, now());
    const order = {
      name: `${target.deviceId} ${target.commandId}`,
      send: () => commands.send(target.deviceId, commandMessage(supposed, 'execute')),
      store: () => this.#store(target),
    };
    const stored = async (): Promise<Outcome<CommandState>> => {
      const { command, message } = await store();
      return { state: command, isToSend: message !== null };
    };
    return await orders.give(order, stored, async () => ({ state: supposed, isToSend: true }));
  }

  async #store({ deviceId, deviceNo, commandId }: EmergencyTarget): Promise<void> {
    const { store, now } = this.#parts;
    const known = deviceNo ?? (await store.devices.find(deviceId))?.deviceNo;
    if (known === undefined) return;
    await store.commands.issue({ deviceNo: known, commandId, request: EMERGENCY_STOP, nowMs: now() });
  }
}

function asIfSent({ deviceNo, commandId }: EmergencyTarget, nowMs: number): CommandState {
  const begun = beginCommand({ commandId, deviceNo: deviceNo ?? 0, request: EMERGENCY_STOP }, nowMs);
  return advanceCommand(begun, { kind: 'tick', deviceOnline: true }, nowMs).command;
}
