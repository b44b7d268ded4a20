import { Refusal } from '@granary/contract/errors';
import { SECOND_MS } from '@granary/contract/time';
import type { Reading } from '@granary/core/telemetry';
import { isStorageFault } from '@granary/store/errors';
import type { NewRejection } from '@granary/store/presence';
import type { TelemetryBatch } from '@granary/store/telemetry';
import type { Logger } from '../logger.ts';
import type { IngestCounters } from './counters.ts';

/** Readings in one transaction: enough to share its cost, few enough to commit in milliseconds. */
const BATCH_READINGS_MAX = 5_000;
/** One is written while the next waits at the door: the writer need not wait for this thread between two. */
const BATCHES_IN_FLIGHT_MAX = 2;
/** Beyond this, callers that can be told to come back are. */
const QUEUE_READINGS_MAX = 50_000;
/**
 * Beyond this, devices on the link are refused, which closes their connection; they send again what was not acknowledged.
 * Before that each device is held back by its own socket. About 200 MiB, and minutes of an outage for thousands of devices.
 */
const HELD_READINGS_MAX = 400_000;
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 2 * SECOND_MS;

export interface Arrival {
  readonly deviceNo: number;
  readonly seenAtMs: number;
  readonly readings: readonly Reading[];
  readonly rejections: readonly NewRejection[];
}

interface Waiting {
  readonly arrival: Arrival;
  /** Waits as long as the storage is not available, instead of failing. */
  readonly isHeld: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface PipelineParts {
  readonly append: (batch: TelemetryBatch) => Promise<unknown>;
  readonly counters: IngestCounters;
  readonly logger: Logger;
}

/** Arrivals without readings take room as well. */
const sizeOf = ({ readings }: Arrival): number => Math.max(1, readings.length);

/**
 * Collects what arrives and writes it in batches: what came in one turn of the event loop goes together, and the busier it
 * gets the more share a commit. A submission resolves when it is on disk. A batch that fails is split until only the
 * arrival is left that makes it fail. While the storage is not available, arrivals are held and tried again.
 */
export class IngestPipeline {
  readonly #parts: PipelineParts;
  #waiting: Waiting[] = [];
  #queuedReadings = 0;
  #isTurnPlanned = false;
  readonly #writing = new Set<Promise<void>>();
  /** Set from a failure of the storage to the next success. */
  #outage: { readonly fault: Refusal; retryMs: number; timer: NodeJS.Timeout | null } | null = null;
  #isDraining = false;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  get queuedReadings(): number {
    return this.#queuedReadings;
  }

  /** Arrivals wait for the storage to become available. */
  get isHolding(): boolean {
    return this.#outage !== null;
  }

  hasRoom(): boolean {
    return this.#queuedReadings < QUEUE_READINGS_MAX;
  }

  /** Fails when the storage does. */
  submit(arrival: Arrival): Promise<void> {
    if (this.#outage !== null) return Promise.reject(this.#outage.fault);
    return this.#enqueue(arrival, false);
  }

  /** Waits however long the storage is not available. */
  submitHeld(arrival: Arrival): Promise<void> {
    if (this.#queuedReadings < HELD_READINGS_MAX) return this.#enqueue(arrival, true);
    this.#parts.counters.refusedWhenFull++;
    return Promise.reject(new Refusal('ingest_busy', 'too many readings are waiting to be written'));
  }

  /** Resolves when everything submitted so far has been written or refused. Nothing is held any longer. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#outage !== null && this.#writing.size === 0) this.#giveUp(this.#outage.fault);
    while (this.#waiting.length > 0 || this.#writing.size > 0) {
      const next = this.#writing.size > 0 ? this.#writing : [new Promise((resolve) => setImmediate(resolve))];
      await Promise.race(next);
    }
  }

  #enqueue(arrival: Arrival, isHeld: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ arrival, isHeld, resolve, reject });
      this.#queuedReadings += sizeOf(arrival);
      this.#planTurn();
    });
  }

  #planTurn(): void {
    const inFlightMax = this.#outage === null ? BATCHES_IN_FLIGHT_MAX : 1;
    if (this.#isTurnPlanned || this.#outage?.timer != null || this.#writing.size >= inFlightMax) return;
    this.#isTurnPlanned = true;
    setImmediate(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#isTurnPlanned = false;
    if (this.#waiting.length === 0 || this.#outage?.timer != null) return;
    const written = this.#write(this.#takeBatch()).finally(() => {
      this.#writing.delete(written);
      if (this.#waiting.length > 0) this.#planTurn();
    });
    this.#writing.add(written);
  }

  #takeBatch(): Waiting[] {
    let readings = 0;
    let taken = 0;
    for (const { arrival } of this.#waiting) {
      readings += arrival.readings.length;
      if (taken > 0 && readings > BATCH_READINGS_MAX) break;
      taken++;
    }
    const batch = this.#waiting.slice(0, taken);
    this.#waiting = this.#waiting.slice(taken);
    return batch;
  }

  /** Never rejects. */
  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#parts.append(batchOf(batch));
    } catch (error) {
      if (isStorageFault(error)) return this.#hold(batch, error);
      if (batch.length > 1) {
        const middle = batch.length >> 1;
        await this.#write(batch.slice(0, middle));
        return await this.#write(batch.slice(middle));
      }
      this.#parts.counters.unstorableArrivals++;
      for (const guilty of batch) this.#settle(guilty, error);
      return;
    }
    this.#endOutage();
    for (const waiting of batch) this.#settle(waiting, null);
  }

  #settle({ arrival, resolve, reject }: Waiting, error: unknown): void {
    this.#queuedReadings -= sizeOf(arrival);
    if (error === null) resolve();
    else reject(error);
  }

  /** Puts back what can wait, and fails what cannot. */
  #hold(batch: readonly Waiting[], fault: Refusal): void {
    const { counters, logger } = this.#parts;
    counters.storageFaults++;
    this.#waiting = [...batch, ...this.#waiting];
    if (this.#isDraining) {
      this.#giveUp(fault);
      return;
    }
    for (const waiting of this.#waiting) if (!waiting.isHeld) this.#settle(waiting, fault);
    this.#waiting = this.#waiting.filter(({ isHeld }) => isHeld);
    if (this.#outage?.timer != null) return;
    if (this.#waiting.length === 0) {
      // Nothing is left whose success could end the outage.
      this.#forgetOutage();
      return;
    }
    if (this.#outage === null) logger.error({ err: fault }, 'storage not available: readings are held back');
    const retryMs = Math.min(this.#outage === null ? RETRY_MS_MIN : 2 * this.#outage.retryMs, RETRY_MS_MAX);
    const timer = setTimeout(() => this.#retry(), retryMs);
    this.#outage = { fault, retryMs, timer };
  }

  #retry(): void {
    if (this.#outage !== null) this.#outage.timer = null;
    this.#planTurn();
  }

  #endOutage(): void {
    if (this.#outage === null) return;
    this.#forgetOutage();
    this.#parts.logger.info({ held: this.#queuedReadings }, 'storage available again: readings are written');
    this.#planTurn();
  }

  #forgetOutage(): void {
    if (this.#outage?.timer != null) clearTimeout(this.#outage.timer);
    this.#outage = null;
  }

  #giveUp(fault: Refusal): void {
    this.#forgetOutage();
    for (const waiting of this.#waiting.splice(0)) this.#settle(waiting, fault);
  }
}

function batchOf(batch: readonly Waiting[]): TelemetryBatch {
  const readings: Reading[] = [];
  const rejections: NewRejection[] = [];
  const seenAtMs = new Map<number, number>();
  for (const { arrival } of batch) {
    for (const reading of arrival.readings) readings.push(reading);
    for (const rejection of arrival.rejections) rejections.push(rejection);
    seenAtMs.set(arrival.deviceNo, arrival.seenAtMs);
  }
  return { readings, rejections, seen: Array.from(seenAtMs, ([deviceNo, atMs]) => ({ deviceNo, atMs })) };
}
