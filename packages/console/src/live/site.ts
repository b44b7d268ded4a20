import type { FleetAlert, FleetCommand, FleetMission, FleetOperation } from '@granary/contract/fleet/records';
import { type ReadonlySignal, signal } from '@preact/signals';
import { Devices } from './devices.ts';
import { COMMAND_UNDER_WAY, MISSION_UNDER_WAY, OPERATION_UNDER_WAY } from './jobs.ts';

const TICK_MS = 1_000;

/** What the page knows of the whole site: all devices, the open alerts, and the jobs under way. */
export interface Site {
  readonly clock: Clock;
  readonly devices: Devices;
  readonly alerts: Records<FleetAlert>;
  readonly operations: Records<FleetOperation>;
  readonly missions: Records<FleetMission>;
  readonly commands: Records<FleetCommand>;
}

export const emptySite = (): Site => ({
  clock: new Clock(),
  devices: new Devices(),
  alerts: new Records(
    ({ alert_id }) => alert_id,
    ({ status, shelved_until }) => status !== 'resolved' && shelved_until === null,
  ),
  operations: new Records(
    ({ operation_id }) => operation_id,
    ({ status }) => OPERATION_UNDER_WAY.includes(status),
  ),
  missions: new Records(
    ({ mission_id }) => mission_id,
    ({ status }) => MISSION_UNDER_WAY.includes(status),
  ),
  commands: new Records(
    ({ command_id }) => command_id,
    ({ status }) => COMMAND_UNDER_WAY.includes(status),
  ),
});

/** The time of the service, because the clock of the viewer's machine may be wrong. It ticks once a second. */
class Clock {
  readonly nowMs = signal(Date.now());
  #aheadMs: number | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** A time that the service has just told. Of several the latest is nearest, because each was delayed by the network. */
  observe(timestamp: string): void {
    const aheadMs = Date.parse(timestamp) - Date.now();
    if (this.#aheadMs !== null && Math.abs(aheadMs - this.#aheadMs) < TICK_MS) {
      this.#aheadMs = Math.max(this.#aheadMs, aheadMs);
      return;
    }
    this.#aheadMs = aheadMs;
    this.#tick();
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.nowMs.value = Date.now() + (this.#aheadMs ?? 0);
  }
}

/** Records by their id, of which only those are kept that the view of the whole site needs: open alerts, jobs under way. */
class Records<Item> {
  readonly #all = signal<ReadonlyMap<string, Item>>(new Map());
  readonly #idOf: (item: Item) => string;
  readonly #isKept: (item: Item) => boolean;

  constructor(idOf: (item: Item) => string, isKept: (item: Item) => boolean) {
    this.#idOf = idOf;
    this.#isKept = isKept;
  }

  get all(): ReadonlySignal<ReadonlyMap<string, Item>> {
    return this.#all;
  }

  replaceAll(items: readonly Item[]): void {
    this.#all.value = new Map(items.filter(this.#isKept).map((item) => [this.#idOf(item), item]));
  }

  /** Adds or replaces a record, or removes it when it has ended. */
  put(item: Item): void {
    const next = new Map(this.#all.peek());
    if (this.#isKept(item)) next.set(this.#idOf(item), item);
    else if (!next.delete(this.#idOf(item))) return;
    this.#all.value = next;
  }
}
