import type { Reading } from '@granary/core/telemetry';
import type { NewRejection } from '@granary/store/presence';
import type { TelemetryBatch } from '@granary/store/telemetry';

/** Readings in one transaction: enough to share its cost, few enough to commit in milliseconds. */
const BATCH_READINGS_MAX = 5_000;
/** One is written while the next waits at the door: the writer need not wait for this thread between two. */
const BATCHES_IN_FLIGHT_MAX = 2;
/** Beyond this, callers that can be told to come back are. Devices on the link are held back by their own sockets. */
const QUEUE_READINGS_MAX = 50_000;

export interface Arrival {
  readonly deviceNo: number;
  readonly seenAtMs: number;
  readonly readings: readonly Reading[];
  readonly rejections: readonly NewRejection[];
}

interface Waiting {
  readonly arrival: Arrival;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects what arrives and writes it in batches: what came in one turn of the event loop goes together, and the busier it
 * gets the more share a commit. A submission resolves when it is on disk.
 */
export class IngestPipeline {
  readonly #append: (batch: TelemetryBatch) => Promise<unknown>;
  #waiting: Waiting[] = [];
  #queuedReadings = 0;
  #isTurnPlanned = false;
  readonly #writing = new Set<Promise<void>>();

  constructor(append: (batch: TelemetryBatch) => Promise<unknown>) {
    this.#append = append;
  }

  get queuedReadings(): number {
    return this.#queuedReadings;
  }

  hasRoom(): boolean {
    return this.#queuedReadings < QUEUE_READINGS_MAX;
  }

  submit(arrival: Arrival): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ arrival, resolve, reject });
      this.#queuedReadings += arrival.readings.length;
      this.#planTurn();
    });
  }

  /** Resolves when everything submitted so far has been written or refused. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0 || this.#writing.size > 0) {
      await Promise.race([...this.#writing, new Promise((resolve) => setImmediate(resolve))]);
    }
  }

  #planTurn(): void {
    if (this.#isTurnPlanned || this.#writing.size >= BATCHES_IN_FLIGHT_MAX) return;
    this.#isTurnPlanned = true;
    setImmediate(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#isTurnPlanned = false;
    if (this.#waiting.length === 0) return;
    const written = this.#writeBatch(this.#takeBatch()).finally(() => {
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

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    const readings: Reading[] = [];
    const rejections: NewRejection[] = [];
    const seenAtMs = new Map<number, number>();
    for (const { arrival } of batch) {
      for (const reading of arrival.readings) readings.push(reading);
      for (const rejection of arrival.rejections) rejections.push(rejection);
      seenAtMs.set(arrival.deviceNo, arrival.seenAtMs);
    }
    const seen = Array.from(seenAtMs, ([deviceNo, atMs]) => ({ deviceNo, atMs }));
    try {
      await this.#append({ readings, rejections, seen });
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#queuedReadings -= readings.length;
    }
  }
}
