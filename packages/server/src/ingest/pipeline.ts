import type { Reading } from '@granary/core/telemetry';
import type { NewRejection } from '@granary/store/presence';
import type { TelemetryBatch } from '@granary/store/telemetry';

/** Readings in one transaction: enough to share its cost, few enough to commit in milliseconds. */
const BATCH_READINGS_MAX = 2_000;
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
 * Collects what arrives while a batch is being written and writes it as the next one: a lone reading never waits, and the
 * busier it gets the more share a commit. A submission resolves when it is on disk.
 */
export class IngestPipeline {
  readonly #append: (batch: TelemetryBatch) => Promise<unknown>;
  #waiting: Waiting[] = [];
  #queuedReadings = 0;
  #writing: Promise<void> | null = null;

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
      this.#writing ??= this.#writeAll();
    });
  }

  /** Resolves when everything submitted so far has been written or refused. */
  async drain(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      await this.#writeBatch(this.#takeBatch());
    }
    this.#writing = null;
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
