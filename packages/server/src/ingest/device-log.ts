import { MINUTE_MS } from '@granary/contract/time';
import type { Logger } from '../logger.ts';
import type { IngestCounters } from './counters.ts';

/** Enough to see what is wrong with a device, and nothing that could fill a disk. */
const LINES_PER_MINUTE_MAX = 5;
/** Devices whose share is remembered. When there are more, all begin a new minute. */
const DEVICES_MAX = 10_000;

interface Share {
  readonly endsAtMs: number;
  lines: number;
  suppressed: number;
}

/** Logs what is wrong with devices, a bounded number of lines for each of them. */
export class DeviceLog {
  readonly #logger: Logger;
  readonly #counters: IngestCounters;
  readonly #now: () => number;
  readonly #shares = new Map<string, Share>();
  #timer: NodeJS.Timeout | null = null;

  constructor(logger: Logger, counters: IngestCounters, now: () => number) {
    this.#logger = logger;
    this.#counters = counters;
    this.#now = now;
  }

  warn(deviceId: string, fields: object, message: string): void {
    if (this.#mayLog(deviceId)) this.#logger.warn({ device_id: deviceId, ...fields }, message);
  }

  error(deviceId: string, fields: object, message: string): void {
    if (this.#mayLog(deviceId)) this.#logger.error({ device_id: deviceId, ...fields }, message);
  }

  /** Tells what is still untold, and waits for nothing more. */
  stop(): void {
    this.#endShares(Number.POSITIVE_INFINITY);
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #mayLog(deviceId: string): boolean {
    const nowMs = this.#now();
    let share = this.#shares.get(deviceId);
    if (share !== undefined && share.endsAtMs <= nowMs) {
      this.#end(deviceId, share);
      share = undefined;
    }
    if (share === undefined) {
      if (this.#shares.size >= DEVICES_MAX) this.#endShares(Number.POSITIVE_INFINITY);
      share = { endsAtMs: nowMs + MINUTE_MS, lines: 0, suppressed: 0 };
      this.#shares.set(deviceId, share);
      this.#timer ??= setInterval(() => this.#endShares(this.#now()), MINUTE_MS).unref();
    }
    if (share.lines < LINES_PER_MINUTE_MAX) {
      share.lines++;
      return true;
    }
    share.suppressed++;
    this.#counters.suppressedLogLines++;
    return false;
  }

  #endShares(beforeMs: number): void {
    for (const [deviceId, share] of this.#shares) if (share.endsAtMs <= beforeMs) this.#end(deviceId, share);
    if (this.#shares.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #end(deviceId: string, { suppressed }: Share): void {
    this.#shares.delete(deviceId);
    if (suppressed === 0) return;
    this.#logger.warn({ device_id: deviceId, suppressed }, 'further lines about this device were not logged');
  }
}
