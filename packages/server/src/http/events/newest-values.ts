import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadSlices } from '@granary/app/app';
import type { StoredEvent } from '@granary/app/events/event-rows';
import { PeriodicWork } from '@granary/common/periodic-work';
import type { FleetDevice } from '@granary/contract/fleet';
import { SECOND_MS, toIso } from '@granary/contract/time';
import type { Logger } from '../../process/logging/logger.ts';
import { type NewestValuesStream, ShownDevices, type ShownSelection } from './newest-values-stream.ts';

const ROUND_MS = SECOND_MS;
/** The number of devices per read, which is small because SQLite reads in the main thread. */
const PART_DEVICES = 200;
/** The number of rows per look for devices that were seen; only two columns of them are read. */
const PART_ROWS = 2_000;
/** The overlap covers the time between the arrival of a message and its commit, and the difference between the clocks of nodes. */
const OVERLAP_MS = 5 * SECOND_MS;
/** Every device is read again after this many rounds, because silence and late commits also change what is shown. */
const SWEEP_ROUNDS = 10;
const SWEEP_DEVICES_MAX = 1_000;
/** After a round the reader rests twice as long as the round took, so that it never uses more than a third of the time. */
const REST_FACTOR = 2;

interface NewestValuesParts {
  readonly app: Pick<ReadSlices, 'fleet'>;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Reads the newest values of devices from the database while somebody looks at them, once for all readers. This adds no work to the
 * path of readings, and also shows devices that report to another node.
 */
export class NewestValues {
  readonly shown = new ShownDevices();
  readonly #parts: NewestValuesParts;
  readonly #rounds: PeriodicWork;
  readonly #streams = new Set<NewestValuesStream>();
  /** Devices about which an event was logged. */
  readonly #noted = new Set<string>();
  /** Devices that the present sweep has not read yet. */
  #unswept: string[] = [];
  #lookedAtMs = 0;
  #nextUpdateMs = 0;

  constructor(parts: NewestValuesParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicWork({
      doing: 'reading the newest values',
      everyMs: ROUND_MS,
      logger: parts.logger,
      run: () => this.#round(),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Fails while the storage does not answer, so that a request is refused instead of getting a stream without values. */
  async check(selection: ShownSelection): Promise<void> {
    await this.#page(selection, null, 1);
  }

  async follow(stream: NewestValuesStream): Promise<void> {
    if (this.#streams.size === 0) this.#lookedAtMs = this.#parts.now();
    this.#streams.add(stream);
    this.#rounds.wake();
  }

  drop(stream: NewestValuesStream): void {
    this.#streams.delete(stream);
  }

  /** Called with the events of every node, because changes of status, description and configuration change what is shown of a device. */
  observe(events: readonly StoredEvent[]): void {
    if (this.#streams.size === 0) return;
    for (const { type, deviceId, facility } of events) {
      if (deviceId === null || facility === null) continue;
      if (!type.startsWith('device.') && type !== 'configuration.changed') continue;
      if (this.shown.get(deviceId) !== undefined || this.#isSelected({ deviceId, facility })) {
        this.#noted.add(deviceId);
      }
    }
  }

  async #round(): Promise<void> {
    if (this.#streams.size === 0) {
      this.shown.clear();
      this.#noted.clear();
      return;
    }
    for (const stream of this.#streams) if (!stream.isFilled) await this.#fill(stream);
    const startedMs = performance.now();
    if (startedMs < this.#nextUpdateMs) return;
    await this.#update();
    const endedMs = performance.now();
    this.#nextUpdateMs = Math.max(startedMs + ROUND_MS / 2, endedMs + REST_FACTOR * (endedMs - startedMs));
  }

  /** Sends a new reader all its devices. */
  async #fill(stream: NewestValuesStream): Promise<void> {
    const { selectionKey } = stream;
    if (this.#streams.values().some((other) => other.isFilled && other.selectionKey === selectionKey)) {
      for (const deviceId of this.shown.ids()) stream.offer(deviceId);
    } else {
      await this.#fillFromStorage(stream);
    }
    stream.isFilled = !stream.isClosed;
    void stream.send();
  }

  async #fillFromStorage(stream: NewestValuesStream): Promise<void> {
    let after: string | null = null;
    do {
      const page: FleetDevice[] = await this.#page(stream.selection, after, PART_DEVICES);
      this.#show(page);
      for (const { device_id } of page) stream.offer(device_id);
      void stream.send();
      after = page.length === PART_DEVICES ? (page.at(-1)?.device_id ?? null) : null;
      await nextTurn();
    } while (after !== null && !stream.isClosed);
  }

  async #update(): Promise<void> {
    const startedAtMs = this.#parts.now();
    const changed = new Set(this.#noted);
    this.#noted.clear();
    if (this.shown.size <= PART_DEVICES) {
      for (const deviceId of this.shown.ids()) changed.add(deviceId);
    } else {
      await this.#addSeen(changed);
      this.#addToSweep(changed);
    }
    const deviceIds = [...changed];
    for (let first = 0; first < deviceIds.length; first += PART_DEVICES) {
      await this.#readAgain(deviceIds.slice(first, first + PART_DEVICES));
      await nextTurn();
    }
    this.#lookedAtMs = startedAtMs;
    for (const stream of this.#streams) if (stream.isFilled) void stream.send();
  }

  /** Adds the shown devices that were seen since the last look. */
  async #addSeen(changed: Set<string>): Promise<void> {
    const sinceMs = this.#lookedAtMs - OVERLAP_MS;
    let after: number | null = 0;
    while (after !== null) {
      const { seen, next } = await this.#parts.app.fleet.seenSince(sinceMs, { after, rowsMax: PART_ROWS });
      for (const { deviceId, lastSeenAtMs } of seen) {
        const device = this.shown.get(deviceId);
        if (device !== undefined && device.lastSeen !== toIso(lastSeenAtMs)) changed.add(deviceId);
      }
      after = next;
      await nextTurn();
    }
  }

  /** Adds the next devices in turn, and forgets those that no reader sees any more. */
  #addToSweep(changed: Set<string>): void {
    if (this.#unswept.length === 0) this.#unswept = [...this.shown.ids()];
    const count = Math.min(SWEEP_DEVICES_MAX, Math.ceil(this.shown.size / SWEEP_ROUNDS));
    for (const deviceId of this.#unswept.splice(0, count)) {
      const device = this.shown.get(deviceId);
      if (device === undefined) continue;
      if (this.#isSelected(device)) changed.add(deviceId);
      else this.shown.remove(deviceId);
    }
  }

  async #readAgain(deviceIds: readonly string[]): Promise<void> {
    const selection = { limits: [{ facilities: null, deviceIds }], facility: null };
    const found = await this.#page(selection, null, deviceIds.length);
    const missing = new Set(deviceIds);
    for (const { device_id } of found) missing.delete(device_id);
    for (const deviceId of missing) this.shown.remove(deviceId);
    this.#show(found);
  }

  #show(devices: readonly FleetDevice[]): void {
    for (const device of devices) {
      if (!this.shown.put(device)) continue;
      const place = { deviceId: device.device_id, facility: device.location.facility };
      for (const stream of this.#streams) if (stream.selects(place)) stream.offer(device.device_id);
    }
  }

  #isSelected(place: Parameters<NewestValuesStream['selects']>[0]): boolean {
    return this.#streams.values().some((stream) => stream.selects(place));
  }

  #page(selection: ShownSelection, afterDeviceId: string | null, limit: number): Promise<FleetDevice[]> {
    const { limits, facility } = selection;
    return this.#parts.app.fleet.devices({
      devices: { limits, facility, zone: null, deviceId: null },
      profileName: null,
      status: null,
      text: null,
      withReadings: true,
      isRemoved: false,
      afterDeviceId,
      limit,
      nowMs: this.#parts.now(),
    });
  }
}
