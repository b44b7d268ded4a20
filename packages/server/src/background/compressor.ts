import type { CompressedPart } from '@granary/app/telemetry/compress-readings';
import { PeriodicWork } from '@granary/common/periodic-work';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { counter, gauge, type Metric } from '../process/metrics/exposition.ts';
import type { Worker, WorkerParts } from './worker.ts';

const ROUND_MS = 10 * MINUTE_MS;
/** A chunk takes the writer some milliseconds; the pause leaves it to new readings, a longer one while other writes wait or another node works. */
const PAUSE_MS = 30;
const PAUSE_WHILE_BUSY_MS = 250;

/**
 * Moves raw readings of the past, and then closed buckets, into compressed chunks, a few at a time; any node may do it, and goes on
 * after a crash.
 */
export class Compressor implements Worker {
  readonly #parts: WorkerParts;
  readonly #rounds: PeriodicWork;
  /** Since the start of the service. */
  #readings = 0;
  /** The age of the oldest reading that should be compressed and is not, beyond the age at which it becomes due. */
  #backlogMs = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { logger, settings } = parts;
    this.#rounds = new PeriodicWork({
      doing: 'compressing readings',
      everyMs: ROUND_MS,
      logger,
      run: () => this.#compress(settings.compressAfterDays ?? 0),
    });
  }

  metrics(): Metric[] {
    return [
      counter(
        'granary_compressed_readings_total',
        'Raw readings that were moved into compressed chunks.',
        this.#readings,
      ),
      gauge(
        'granary_compression_backlog_seconds',
        'The time between the oldest raw reading that is due to be compressed and the newest one.',
        this.#backlogMs / SECOND_MS,
      ),
    ];
  }

  start(): void {
    if (this.#parts.settings.compressAfterDays !== null) this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Compresses whole hours of readings and whole days of buckets, so that a chunk is not written again for every few of them. */
  async #compress(afterDays: number): Promise<void> {
    const { app, now } = this.#parts;
    const beforeMs = (stepMs: number): number => Math.floor((now() - afterDays * DAY_MS) / stepMs) * stepMs;
    await this.#inParts(async () => {
      const part = await app.telemetry.compress({ beforeMs: beforeMs(HOUR_MS) });
      this.#readings += part.rows;
      if (part.nextMs === null) this.#backlogMs = 0;
      else if (part.rows > 0) this.#backlogMs = beforeMs(HOUR_MS) - part.nextMs;
      return part;
    });
    await this.#inParts(() => app.telemetry.compressHistory({ beforeMs: beforeMs(DAY_MS) }));
  }

  async #inParts(compressPart: () => Promise<CompressedPart>): Promise<void> {
    const { app } = this.#parts;
    while (!this.#rounds.isStopped) {
      const { rows, nextMs } = await compressPart();
      if (nextMs === null) return;
      const isBusy = rows === 0 || app.writeFigures().pendingWrites > 0;
      const pauseMs = isBusy ? PAUSE_WHILE_BUSY_MS : PAUSE_MS;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
