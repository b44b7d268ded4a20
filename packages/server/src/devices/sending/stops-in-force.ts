import type { App } from '@granary/app/app';
import type { DeviceMessage } from '@granary/app/effects';
import type { StoredEvent } from '@granary/app/events/event-rows';
import { BoundedMap } from '@granary/common/bounded-map';
import type { CommandStatus } from '@granary/contract/commands';
import type { EventType } from '@granary/contract/events';
import { SECOND_MS } from '@granary/contract/time';
import { operationMessage } from '@granary/core/operations/record';
import type { DeviceMessages } from './device-messages.ts';
import { EMERGENCY_STOP, emergencyStopMessage } from './stops.ts';

/** A further stop replaces the oldest one. */
const STOPS_MAX = 10_000;
/** The rounds of the reconciler send stops from the storage. When no round has succeeded for this long, stops are sent from memory. */
const SILENT_MS = 1_500;
/** A stop that was written to the connection is not sent again before this time. */
const REPEATED_MS = 5 * SECOND_MS;

interface StopInForce {
  readonly deviceId: string;
  readonly message: DeviceMessage;
  /** The time at which the stop may be sent again, by `performance.now()`. */
  dueAtMs: number;
}

interface StopsInForceParts {
  readonly app: {
    readonly operations: Pick<App['operations'], 'stopping'>;
    readonly commands: Pick<App['commands'], 'unconfirmedStops'>;
  };
  readonly messages: Pick<DeviceMessages, 'isReachable' | 'send'>;
  /** A replacement of `performance.now()`. */
  readonly clock?: () => number;
}

/**
 * The stored stops that devices have not confirmed. A device that was away when its stop was requested may come back while the
 * storage does not answer; then every node that reaches the device sends the stops that it knows.
 */
export class StopsInForce {
  readonly #parts: StopsInForceParts;
  readonly #clock: () => number;
  readonly #stops = new BoundedMap<string, StopInForce>(STOPS_MAX);
  /** The ids of operations and commands whose newer state the event log told before all stops were read; `null` from then on. */
  #told: Set<string> | null = new Set();
  #answeredAtMs: number;

  constructor(parts: StopsInForceParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? (() => performance.now());
    this.#answeredAtMs = this.#clock();
  }

  /** The event log must be followed before this is called, so that no stop is missed. */
  async start(): Promise<void> {
    const { operations, commands } = this.#parts.app;
    const [ofOperations, ofCommands] = await Promise.all([
      operations.stopping(STOPS_MAX),
      commands.unconfirmedStops(STOPS_MAX),
    ]);
    const told = this.#told ?? new Set();
    this.#told = null;
    for (const { deviceId, id } of ofOperations)
      if (!told.has(id)) this.#add(id, deviceId, operationMessage(id, 'stop'));
    for (const { deviceId, id } of ofCommands)
      if (!told.has(id)) this.#add(id, deviceId, emergencyStopMessage(id));
  }

  async stop(): Promise<void> {
    this.#stops.clear();
  }

  observe(events: readonly StoredEvent[]): void {
    for (const { type, deviceId, data } of events) {
      if (deviceId === null) continue;
      if (type === 'device.removed' || type === 'device.purged') this.#forgetDevice(deviceId);
      const told = toldStop(type, data);
      if (told === null) continue;
      this.#told?.add(told.id);
      if (told.message === null) this.#stops.delete(told.id);
      else if (!this.#stops.has(told.id)) this.#add(told.id, deviceId, told.message);
    }
  }

  /** The storage answers, and the stops that it holds were sent from there. */
  storageAnswered(): void {
    this.#answeredAtMs = this.#clock();
  }

  /** The device has a new session, in which nothing was sent to it. */
  deviceReachable(deviceId: string): void {
    for (const stop of this.#stops.values()) if (stop.deviceId === deviceId) stop.dueAtMs = 0;
    this.repeat();
  }

  /** Sends the stops that devices have not confirmed, while the storage does not answer. */
  repeat(): void {
    const nowMs = this.#clock();
    if (nowMs - this.#answeredAtMs < SILENT_MS) return;
    for (const stop of this.#stops.values()) {
      if (stop.dueAtMs <= nowMs && this.#parts.messages.isReachable(stop.deviceId))
        void this.#send(stop, nowMs);
    }
  }

  async #send(stop: StopInForce, nowMs: number): Promise<void> {
    const { deviceId, message } = stop;
    stop.dueAtMs = nowMs + REPEATED_MS;
    const delivery = await this.#parts.messages.send(deviceId, message);
    if (delivery !== 'sent' && delivery !== 'in_flight') stop.dueAtMs = 0;
  }

  #add(id: string, deviceId: string, message: DeviceMessage): void {
    this.#stops.set(id, { deviceId, message, dueAtMs: 0 });
  }

  #forgetDevice(deviceId: string): void {
    for (const [id, stop] of this.#stops) if (stop.deviceId === deviceId) this.#stops.delete(id);
  }
}

interface ToldStop {
  readonly id: string;
  /** `null` when the operation or command need not be stopped, or not any more. */
  readonly message: DeviceMessage | null;
}

const OPEN: ReadonlySet<unknown> = new Set<CommandStatus>(['queued', 'sent', 'executing']);

/** The data of an event was written with the type that its event type declares. */
function toldStop(type: EventType, data: StoredEvent['data']): ToldStop | null {
  if (type === 'operation.status_changed') {
    const id = String(data['operation_id']);
    return { id, message: data['status'] === 'stopping' ? operationMessage(id, 'stop') : null };
  }
  if (type !== 'command.status_changed' || data['command'] !== EMERGENCY_STOP.command) return null;
  const id = String(data['command_id']);
  return { id, message: OPEN.has(data['status']) ? emergencyStopMessage(id) : null };
}
