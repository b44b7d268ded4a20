import { devicesInPacked } from '@granary/core/telemetry/packed-readings';
import type { UseCaseCall } from '@granary/store/engine';
import type { Effect } from '../effects.ts';
import type { CurrentValues, TelemetryBatch } from './telemetry.ts';

type Read = (deviceId: string) => Promise<CurrentValues | undefined>;

const DEVICES_CACHED_MAX = 10_000;

/**
 * Caches the latest values of devices until a commit changes them. Correct only where every write passes through this
 * process, as with SQLite. A read is cached in the turn of the event loop in which it was made, and a commit is reported in
 * a later turn, so a cached value is never older than the last reported commit.
 */
export class CurrentValuesCache {
  readonly #values = new Map<string, CurrentValues>();
  readonly #deviceIds = new Map<number, string>();

  /** Reads only when the value is not cached. */
  over(read: Read): Read {
    return async (deviceId) => {
      const known = this.#values.get(deviceId);
      if (known !== undefined) return known;
      const current = await read(deviceId);
      if (current !== undefined) this.#keep(current);
      return current;
    };
  }

  #keep(current: CurrentValues): void {
    if (this.#values.size >= DEVICES_CACHED_MAX) this.#forgetAll();
    this.#values.set(current.deviceId, current);
    this.#deviceIds.set(current.deviceNo, current.deviceId);
  }

  /** Must be called for every committed write. */
  committed({ slice, name, args }: UseCaseCall, effects: readonly Effect[]): void {
    if (slice === 'telemetry' && name === 'append') {
      const [{ readings }] = args as [TelemetryBatch];
      if (readings instanceof Float64Array) for (const no of devicesInPacked(readings)) this.#forget(no);
      else for (const { deviceNo } of readings) this.#forget(deviceNo);
    }
    for (const effect of effects) {
      if (effect.kind === 'device_updated' || effect.kind === 'send_configuration') {
        this.#values.delete(effect.deviceId);
      }
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
