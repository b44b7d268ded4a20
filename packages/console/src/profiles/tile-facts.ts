import type { Client } from '@granary/client';
import type { EmergencyStopSummary } from '@granary/contract/devices/devices';
import type { FleetAlert, FleetMission, FleetOperation } from '@granary/contract/fleet';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { mostUrgentFirst } from '../alerts/alerts.ts';
import type { Threshold } from '../kit/vessel.tsx';
import type { Live } from '../live/live.ts';
import type { Site } from '../live/site.ts';
import type { TrendPoint } from './trend.ts';

const AT_ONCE_MAX = 4;
/** The number of reads that may wait: more than a large screen shows. Tiles of older reads were scrolled away. */
const WAITING_MAX = 120;
/** Nothing is read while a person scrolls, because tiles that are passed by are not needed. */
const REST_MS = 150;
const KEEP_MS = 5 * MINUTE_MS;

/** The time is short, because a person relies on the shown emergency stop. */
const KEEP_EMERGENCY_STOP_MS = 15_000;

export const OverviewContext = createContext<OverviewFacts | null>(null);

export const TREND_MS = DAY_MS;

export const TREND_INTERVAL_MS = HOUR_MS;

export type LevelThreshold = Omit<Threshold, 'name'> & {
  readonly name: 'low_level' | 'high_level' | 'critical_level';
};

/** The facts that only visible tiles need, so that they are not read for every device. */
export interface Details {
  readonly trends: LazyReads<readonly TrendPoint[]>;
  readonly thresholds: LazyReads<readonly LevelThreshold[]>;
  /** `null` for devices that take no commands. */
  readonly emergencyStops: LazyReads<EmergencyStopSummary | null>;
}

const opened = new WeakMap<Live, Details>();

/** Returns the same object as long as the page is open, so that coming back to the overview reads nothing again. */
export function detailsOf(client: Client, live: Live): Details {
  const known = opened.get(live);
  if (known !== undefined) return known;
  const details = open(client, live);
  opened.set(live, details);
  return details;
}

function open(client: Client, live: Live): Details {
  const queue = new ReadQueue();
  const trends = new LazyReads<readonly TrendPoint[]>(
    queue,
    async (deviceId) => {
      // One interval more is read, so that the first mean reaches the beginning.
      const fromMs = live.site.clock.nowMs.peek() - TREND_MS - TREND_INTERVAL_MS;
      const from = new Date(fromMs).toISOString();
      const { points } = await client.telemetry.history(deviceId, { sensor: 'level', interval: '1h', from });
      return points.map(({ timestamp, value }) => ({ atMs: Date.parse(timestamp), value }));
    },
    KEEP_MS,
  );
  const thresholds = new LazyReads<readonly LevelThreshold[]>(
    queue,
    async (deviceId) => {
      const { configuration } = await client.configuration.silo.get(deviceId);
      const { low_level, high_level, critical_level } = configuration.thresholds;
      return [
        { name: 'low_level', percent: low_level },
        { name: 'high_level', percent: high_level },
        { name: 'critical_level', percent: critical_level },
      ];
    },
    KEEP_MS,
  );
  const emergencyStops = new LazyReads<EmergencyStopSummary | null>(
    queue,
    async (deviceId) => (await client.devices.field.get(deviceId)).emergency_stop ?? null,
    KEEP_EMERGENCY_STOP_MS,
  );
  live.onEvent(({ type, device_id }) => {
    if (device_id === null) return;
    if (type === 'configuration.changed') thresholds.forget(device_id);
    if (type === 'command.status_changed') emergencyStops.forget(device_id);
  });
  return { trends, thresholds, emergencyStops };
}

interface Wanted {
  read(): Promise<void>;
  /** Called when the read is dropped, because so many others were added after it that nobody sees its tile any more. */
  drop(): void;
}

/** Holds reads until nothing more is added for a moment; then a few of them run at a time, so that a view does not send all of them at once. */
export class ReadQueue {
  readonly #waiting: Wanted[] = [];
  #rest: ReturnType<typeof setTimeout> | undefined;
  #running = 0;

  add(wanted: Wanted): void {
    this.#waiting.push(wanted);
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift()?.drop();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      this.#begin();
    }, REST_MS);
  }

  #begin(): void {
    while (this.#rest === undefined && this.#running < AT_ONCE_MAX) {
      // The newest read comes first, because it belongs to the tile to which the person has just scrolled.
      const wanted = this.#waiting.pop();
      if (wanted === undefined) return;
      this.#running++;
      void wanted.read().finally(() => {
        this.#running--;
        this.#begin();
      });
    }
  }
}

interface Kept<Value> {
  readonly value: Signal<Value | undefined>;
  readMs: number;
}

/** A value of a device that is read when it is first shown, and kept for a time. */
export class LazyReads<Value> {
  readonly #queue: ReadQueue;
  readonly #read: (deviceId: string) => Promise<Value>;
  readonly #keepMs: number;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept<Value>>();

  constructor(
    queue: ReadQueue,
    read: (deviceId: string) => Promise<Value>,
    keepMs: number,
    now: () => number = Date.now,
  ) {
    this.#queue = queue;
    this.#read = read;
    this.#keepMs = keepMs;
    this.#now = now;
  }

  /** The value of the device; `undefined` until it was read. Starts a read if one is due. */
  of(deviceId: string): ReadonlySignal<Value | undefined> {
    const kept = this.#kept.get(deviceId) ?? { value: signal(undefined), readMs: Number.NEGATIVE_INFINITY };
    this.#kept.set(deviceId, kept);
    if (this.#now() - kept.readMs < this.#keepMs) return kept.value;
    kept.readMs = this.#now();
    this.#queue.add({
      read: async () => {
        try {
          kept.value.value = await this.#read(deviceId);
        } catch {
          // The shown value stays; the device is asked again when a read is due.
        }
      },
      drop: () => {
        kept.readMs = Number.NEGATIVE_INFINITY;
      },
    });
    return kept.value;
  }

  /** Called when the value has changed: it is read again at once if it was read before, otherwise when it is next shown. */
  forget(deviceId: string): void {
    const kept = this.#kept.get(deviceId);
    if (kept === undefined) return;
    kept.readMs = Number.NEGATIVE_INFINITY;
    if (kept.value.peek() !== undefined) this.of(deviceId);
  }
}

/** The facts that the tiles of the overview share. */
interface OverviewFacts {
  readonly byDevice: ByDevice;
  readonly details: Details;
}

export function useOverviewFacts(): OverviewFacts {
  const facts = useContext(OverviewContext);
  if (facts === null) throw new Error('a tile outside the overview');
  return facts;
}

/** The records that the tiles of the overview look up by the id of their device. */
export interface ByDevice {
  /** The alerts of each device, the most urgent first. */
  readonly alerts: ReadonlySignal<ReadonlyMap<string, readonly FleetAlert[]>>;
  readonly operations: ReadonlySignal<ReadonlyMap<string, readonly FleetOperation[]>>;
  readonly missions: ReadonlySignal<ReadonlyMap<string, readonly FleetMission[]>>;
}

export const byDevice = ({ alerts, operations, missions }: Site): ByDevice => ({
  alerts: computed(() => grouped([...alerts.all.value.values()].sort(mostUrgentFirst))),
  operations: computed(() => grouped([...operations.all.value.values()])),
  missions: computed(() => grouped([...missions.all.value.values()])),
});

function grouped<Item extends { readonly device_id: string }>(items: readonly Item[]): Map<string, Item[]> {
  return Map.groupBy(items, ({ device_id }) => device_id);
}
