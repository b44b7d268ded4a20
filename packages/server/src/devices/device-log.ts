import { MINUTE_MS } from '@granary/contract/time';
import type { Logger } from '../process/logging/logger.ts';

/** Devices whose lines are counted; when there are more, all counters start again. */
const DEVICES_MAX = 10_000;

interface Share {
  readonly endsAtMs: number;
  lines: number;
  suppressed: number;
}

export interface DeviceLogParts {
  readonly logger: Logger;
  readonly now: () => number;
  /** The limit for each device: enough lines to see what happens, and too few to fill a disk. */
  readonly linesPerMinuteMax: number;
  /** Called for each line that is not logged. */
  readonly suppressed?: () => void;
}

/** Logs a limited number of lines per device and minute, and then the number of suppressed lines. */
export class DeviceLog {
  readonly #parts: DeviceLogParts;
  readonly #shares = new Map<string, Share>();
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: DeviceLogParts) {
    this.#parts = parts;
  }

  info(deviceId: string, fields: object, message: string): void {
    if (this.#mayLog(deviceId)) this.#parts.logger.info({ device_id: deviceId, ...fields }, message);
  }

  warn(deviceId: string, fields: object, message: string): void {
    if (this.#mayLog(deviceId)) this.#parts.logger.warn({ device_id: deviceId, ...fields }, message);
  }

  error(deviceId: string, fields: object, message: string): void {
    if (this.#mayLog(deviceId)) this.#parts.logger.error({ device_id: deviceId, ...fields }, message);
  }

  /** Logs the numbers of suppressed lines that are not logged yet, and stops the timer. */
  stop(): void {
    this.#endShares(Number.POSITIVE_INFINITY);
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #mayLog(deviceId: string): boolean {
    const nowMs = this.#parts.now();
    let share = this.#shares.get(deviceId);
    if (share !== undefined && share.endsAtMs <= nowMs) {
      this.#end(deviceId, share);
      share = undefined;
    }
    if (share === undefined) {
      if (this.#shares.size >= DEVICES_MAX) this.#endShares(Number.POSITIVE_INFINITY);
      share = { endsAtMs: nowMs + MINUTE_MS, lines: 0, suppressed: 0 };
      this.#shares.set(deviceId, share);
      this.#timer ??= setInterval(() => this.#endShares(this.#parts.now()), MINUTE_MS).unref();
    }
    if (share.lines < this.#parts.linesPerMinuteMax) {
      share.lines++;
      return true;
    }
    share.suppressed++;
    this.#parts.suppressed?.();
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
    this.#parts.logger.warn(
      { device_id: deviceId, suppressed },
      'further lines about this device were not logged',
    );
  }
}

/** Logs the failure of a write that no caller waits for; the next message of the device repeats the update. */
export function logFailure(
  log: Pick<DeviceLog, 'warn'>,
  { deviceId }: { readonly deviceId: string },
  doing: string,
  work: Promise<void>,
): void {
  work.catch((error: unknown) => log.warn(deviceId, { err: error }, `${doing} failed`));
}
