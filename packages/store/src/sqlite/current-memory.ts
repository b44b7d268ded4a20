import type { WriteCall } from '../slices.ts';
import type { CurrentValues, TelemetryBatch } from '../telemetry.ts';

type Read = (deviceId: string) => Promise<CurrentValues | undefined>;

const DEVICES_REMEMBERED_MAX = 10_000;

/**
 * What devices measured last, remembered until a commit changes it. Sound only where every write passes through this
 * process, as with SQLite. A read is remembered in the tick in which it was made, and a commit is heard of in a later
 * one, so what is remembered is never older than what was heard of.
 */
export class CurrentMemory {
  readonly #values = new Map<string, CurrentValues>();
  readonly #deviceIds = new Map<number, string>();

  /** The same read, made only when nothing is remembered. */
  over(read: Read): Read {
    return async (deviceId) => {
      const known = this.#values.get(deviceId);
      if (known !== undefined) return known;
      const current = await read(deviceId);
      if (current !== undefined) this.#remember(current);
      return current;
    };
  }

  #remember(current: CurrentValues): void {
    if (this.#values.size >= DEVICES_REMEMBERED_MAX) this.#forgetAll();
    this.#values.set(current.deviceId, current);
    this.#deviceIds.set(current.deviceNo, current.deviceId);
  }

  /** To be told of every write that was committed. */
  committed({ slice, name, args }: WriteCall): void {
    if (slice === 'telemetry' && name === 'append') {
      const [{ readings }] = args as [TelemetryBatch];
      for (const { deviceNo } of readings) this.#forget(deviceNo);
    } else if (slice === 'configuration' && name === 'change') {
      const [deviceNo] = args as [number];
      this.#forget(deviceNo);
    }
  }

  #forget(deviceNo: number): void {
    const deviceId = this.#deviceIds.get(deviceNo);
    if (deviceId !== undefined) this.#values.delete(deviceId);
  }

  #forgetAll(): void {
    this.#values.clear();
    this.#deviceIds.clear();
  }
}
