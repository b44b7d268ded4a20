import type { CommandStatus } from '@granary/contract/commands';
import type {
  FleetAlert,
  FleetCommand,
  FleetDevice,
  FleetMission,
  FleetOperation,
  TimeZones,
} from '@granary/contract/fleet';
import type { MissionStatus } from '@granary/contract/missions';
import type { OperationStatus } from '@granary/contract/operations';
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';

const TICK_MS = 1_000;

/** The statuses of jobs that have begun and have not ended, as the overview of the service counts them. */
export const OPERATION_UNDER_WAY: readonly OperationStatus[] = [
  'started',
  'in_progress',
  'stopping',
  'unconfirmed',
];

export const MISSION_UNDER_WAY: readonly MissionStatus[] = ['dispatched', 'in_progress', 'paused'];

export const COMMAND_UNDER_WAY: readonly CommandStatus[] = ['queued', 'sent', 'executing'];

/** The records of the whole site that the page holds: all devices, the open alerts, and the jobs under way. */
export interface Site {
  readonly clock: Clock;
  readonly devices: Devices;
  readonly alerts: Records<FleetAlert>;
  readonly operations: Records<FleetOperation>;
  readonly missions: Records<FleetMission>;
  readonly commands: Records<FleetCommand>;
  /** The time zones of the silos by facility; `null` until they were read. */
  readonly zones: Signal<TimeZones | null>;
}

export const emptySite = (): Site => ({
  clock: new Clock(),
  devices: new Devices(),
  alerts: new Records(
    ({ alert_id }) => alert_id,
    ({ status, shelved_until }) => status !== 'resolved' && shelved_until === null,
    (alerts) =>
      new Map(withoutLowBehindCritical([...alerts.values()]).map((alert) => [alert.alert_id, alert])),
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
  zones: signal<TimeZones | null>(null),
});

type LevelAlert = Pick<FleetAlert, 'type' | 'device_id'> & Partial<Pick<FleetAlert, 'status'>>;

/** Leaves out the low level of a silo below its critical level, because one cause is shown as one line. */
export function withoutLowBehindCritical<Alert extends LevelAlert>(alerts: readonly Alert[]): Alert[] {
  const critical = new Set(
    alerts
      .filter(({ type, status }) => type === 'critical_level' && status !== 'cleared')
      .map(({ device_id }) => device_id),
  );
  return alerts.filter(({ type, device_id }) => type !== 'low_level' || !critical.has(device_id));
}

/** The chosen alerts with those hidden behind them, because an action on an alert is also done with the hidden one. */
export function withHidden({ alerts }: Pick<Site, 'alerts'>, chosen: readonly FleetAlert[]): FleetAlert[] {
  const devices = new Set(
    chosen.filter(({ type }) => type === 'critical_level').map(({ device_id }) => device_id),
  );
  return [...chosen, ...alerts.hidden().filter(({ device_id }) => devices.has(device_id))];
}

/** The time of the service, because the clock of the viewer's machine may be wrong. It ticks once a second. */
class Clock {
  readonly nowMs = signal(Date.now());
  #aheadMs: number | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Takes a time that the service has just sent. The one furthest ahead is the most exact, because the network delays each of them. */
  observe(timestamp: string): void {
    const aheadMs = Date.parse(timestamp) - Date.now();
    if (this.#aheadMs !== null && Math.abs(aheadMs - this.#aheadMs) < TICK_MS) {
      this.#aheadMs = Math.max(this.#aheadMs, aheadMs);
      return;
    }
    this.#aheadMs = aheadMs;
    this.#tick();
  }

  /** Converts a time of this machine into the time of the service. */
  serviceMs(machineMs: number): number {
    return machineMs + (this.#aheadMs ?? 0);
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.nowMs.value = this.serviceMs(Date.now());
  }
}

/** Records by their id. Only those are kept that the view of the whole site needs: open alerts, and jobs under way. */
class Records<Item> {
  /** The records that are shown. */
  readonly all: ReadonlySignal<ReadonlyMap<string, Item>>;
  readonly #all = signal<ReadonlyMap<string, Item>>(new Map());
  readonly #idOf: (item: Item) => string;
  readonly #isKept: (item: Item) => boolean;
  readonly #endListeners = new Set<(item: Item) => void>();

  constructor(
    idOf: (item: Item) => string,
    isKept: (item: Item) => boolean,
    shown: (all: ReadonlyMap<string, Item>) => ReadonlyMap<string, Item> = (all) => all,
  ) {
    this.#idOf = idOf;
    this.#isKept = isKept;
    this.all = computed(() => shown(this.#all.value));
  }

  /** The records that are kept but not shown. */
  hidden(): Item[] {
    const shown = this.all.peek();
    return [...this.#all.peek()].flatMap(([id, item]) => (shown.has(id) ? [] : [item]));
  }

  /** All kept records, including those that are not shown. */
  everything(): Item[] {
    return [...this.#all.peek().values()];
  }

  replaceAll(items: readonly Item[]): void {
    this.#all.value = new Map(items.filter(this.#isKept).map((item) => [this.#idOf(item), item]));
  }

  /** Adds or replaces records, or removes those that have ended. */
  put(...items: readonly Item[]): void {
    const next = new Map(this.#all.peek());
    let isChanged = false;
    for (const item of items) {
      const isKept = this.#isKept(item);
      if (isKept) next.set(this.#idOf(item), item);
      isChanged = isKept || next.delete(this.#idOf(item)) || isChanged;
      if (!isKept) for (const listener of this.#endListeners) listener(item);
    }
    if (isChanged) this.#all.value = next;
  }

  /** Calls the listener for every record that has ended, before it is removed. Returns the function that ends this. */
  onEnd(listener: (item: Item) => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /** Adds or replaces the records in the answer to a request. */
  async putAnswer(answer: Promise<readonly Item[]>): Promise<void> {
    await this.#useUnlessChanged(answer, (items) => this.put(...items));
  }

  /** Replaces all records by those in the answer to a request. */
  async replaceByAnswer(answer: Promise<readonly Item[]>): Promise<void> {
    await this.#useUnlessChanged(answer, (items) => this.replaceAll(items));
  }

  /** A change since the request is newer than its answer, which could bring back a job whose end was reported meanwhile. */
  async #useUnlessChanged<Answer>(answer: Promise<Answer>, use: (answered: Answer) => void): Promise<void> {
    const before = this.#all.peek();
    const answered = await answer;
    if (this.#all.peek() === before) use(answered);
  }
}

export type LiveDevice = ReadonlySignal<FleetDevice>;

/** The part of a device that changes with its messages. */
type DeviceUpdate = Pick<FleetDevice, 'device_id' | 'status' | 'last_seen' | 'readings'>;

/** Every device that the key may see. Each has a signal of its own, so that an update draws one device again and not all. */
class Devices {
  readonly #all = signal<ReadonlyMap<string, Signal<FleetDevice>>>(new Map());

  get all(): ReadonlySignal<ReadonlyMap<string, LiveDevice>> {
    return this.#all;
  }

  /** Counts the changes of names, places and labels, so that a view of only these is not drawn again with every value. */
  readonly #renamed = signal(0);

  /** The facilities, in the order of their names. */
  readonly facilities: ReadonlySignal<readonly string[]> = computed(() => {
    this.#renamed.value;
    const names = [...this.#all.value.values()].map((device) => device.peek().location.facility);
    return [...new Set(names)].sort(compareNames);
  });

  /** The labels, such as `product=wheat`, in their order. */
  readonly labels: ReadonlySignal<readonly string[]> = computed(() => {
    this.#renamed.value;
    const labels = Map.groupBy(
      [...this.#all.value.values()].flatMap((device) => Object.entries(device.peek().labels ?? {})),
      ([name, value]) => `${name}=${value}`,
    );
    // A label of all devices does not distinguish any.
    return [...labels]
      .flatMap(([label, { length }]) => (length === this.#all.value.size ? [] : [label]))
      .sort(compareNames);
  });

  /** The number of devices with this name, place or label. */
  count(isCounted: (device: FleetDevice) => boolean): number {
    this.#renamed.value;
    return [...this.#all.value.values()].filter((device) => isCounted(device.peek())).length;
  }

  /** True when there are several facilities, so that a name alone does not say where a device is. */
  readonly hasSeveralPlaces: ReadonlySignal<boolean> = computed(() => this.facilities.value.length > 1);

  /** The name and the place of a device. */
  described(deviceId: string): Pick<FleetDevice, 'name' | 'location'> | undefined {
    this.#renamed.value;
    return this.find(deviceId)?.peek();
  }

  /** The name of a device for a person, with its facility if there are several; the id of an unknown device. */
  nameOf(deviceId: string): string {
    const device = this.described(deviceId);
    if (device === undefined) return deviceId;
    return this.hasSeveralPlaces.value ? `${device.name} · ${device.location.facility}` : device.name;
  }

  find(deviceId: string): LiveDevice | undefined {
    return this.#all.value.get(deviceId);
  }

  replaceAll(devices: readonly FleetDevice[]): void {
    const before = this.#all.peek();
    const isSame = devices.length === before.size && devices.every(({ device_id }) => before.has(device_id));
    const next = new Map(
      devices.map((device) => [device.device_id, before.get(device.device_id) ?? signal(device)]),
    );
    for (const device of devices) this.#set(next.get(device.device_id), device);
    if (!isSame) this.#all.value = next;
  }

  /** Adds devices, or replaces their records. */
  put(devices: readonly FleetDevice[]): void {
    const all = this.#all.peek();
    for (const device of devices) this.#set(all.get(device.device_id), device);
    const added = devices.filter(({ device_id }) => !all.has(device_id));
    if (added.length === 0) return;
    const next = [...all, ...added.map((device) => [device.device_id, signal(device)] as const)];
    this.#all.value = new Map(next.sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** Changes of unknown devices are ignored, because the list is read later. */
  update(change: DeviceUpdate): void {
    const known = this.#all.peek().get(change.device_id);
    if (known !== undefined) known.value = { ...known.peek(), ...change };
  }

  remove(deviceId: string): void {
    const next = new Map(this.#all.peek());
    if (next.delete(deviceId)) this.#all.value = next;
  }

  /** A list may have been read before the newest message of the stream was sent, so newer values stay. */
  #set(known: Signal<FleetDevice> | undefined, device: FleetDevice): void {
    if (known === undefined) return;
    const { name, location, labels, status, last_seen, readings } = known.peek();
    const isOlder = last_seen !== null && (device.last_seen === null || device.last_seen < last_seen);
    known.value = isOlder && readings !== undefined ? { ...device, status, last_seen, readings } : device;
    const isRelabelled = JSON.stringify(labels) !== JSON.stringify(device.labels);
    if (isRelabelled || name !== device.name || location.facility !== device.location.facility) {
      this.#renamed.value++;
    }
  }
}

let collator: Intl.Collator | undefined;

/** Compares names; numbers in them count as numbers. One collator is made at the first use, because making one is slow. */
export function compareNames(one: string, other: string): number {
  collator ??= new Intl.Collator(undefined, { numeric: true });
  return collator.compare(one, other);
}
