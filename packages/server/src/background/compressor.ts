import type { App } from '@granary/app/app';
import type { CompressedPart } from '@granary/app/telemetry/compress-readings';
import { PeriodicWork } from '@granary/common/periodic-work';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import type { Logger } from '../process/logging/logger.ts';

const ROUND_MS = 10 * MINUTE_MS;
/** A chunk takes the writer some milliseconds; the pause leaves it to new readings, a longer one while other writes wait or another node works. */
const PAUSE_MS = 30;
const PAUSE_WHILE_BUSY_MS = 250;

interface CompressorParts {
  readonly app: Pick<App, 'telemetry' | 'writeFigures'>;
  /** The age at which readings are compressed; `null`: they stay as they are. */
  readonly afterDays: number | null;
  readonly logger: Logger;
  readonly now: () => number;
}

/** The work since the start of the service. */
export interface CompressionFigures {
  readonly readings: number;
  /** The age of the oldest reading that should be compressed and is not, beyond the age at which it becomes due. */
  readonly backlogMs: number;
}

/**
 * Moves raw readings of the past, and then closed buckets, into compressed chunks, a few at a time; any node may do it, and goes on
 * after a crash.
 */
export class Compressor {
  readonly #parts: CompressorParts;
  readonly #rounds: PeriodicWork;
  #readings = 0;
  #backlogMs = 0;

  constructor(parts: CompressorParts) {
    this.#parts = parts;
    const { logger } = parts;
    this.#rounds = new PeriodicWork({
      doing: 'compressing readings',
      everyMs: ROUND_MS,
      logger,
      run: () => this.#compress(parts.afterDays ?? 0),
    });
  }

  get figures(): CompressionFigures {
    return { readings: this.#readings, backlogMs: this.#backlogMs };
  }

  start(): void {
    if (this.#parts.afterDays !== null) this.#rounds.start();
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
