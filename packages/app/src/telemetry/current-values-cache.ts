import type { Announcement } from '@granary/store/announcements';
import type { Committed } from '../effects.ts';
import type { CurrentValues } from './telemetry.ts';

type Changed = Pick<Announcement, 'deviceNos' | 'deviceIds'>;
type Read = (deviceId: string) => Promise<CurrentValues | undefined>;

interface CachedValues {
  readonly current: CurrentValues;
  readonly readAtMs: number;
}

interface CacheOptions {
  /** Limits how long a value is used if the report of a change can be lost. */
  readonly ageMsMax?: number;
  /** Returns false while the changes of other nodes are not reported. */
  readonly isUsable?: () => boolean;
}

const DEVICES_CACHED_MAX = 10_000;

/**
 * Caches the latest values of devices until a change of them is reported. Values that were read while a change was reported
 * may be the older ones, so they are not cached.
 */
export class CurrentValuesCache {
  readonly #ageMsMax: number;
  readonly #isUsable: () => boolean;
  readonly #values = new Map<string, CachedValues>();
  readonly #deviceIds = new Map<number, string>();
  /** The number of the last reported change of each device; it is kept only while values are being read. */
  readonly #changedAt = new Map<number | string, number>();
  #changes = 0;
  #allChangedAt = 0;
  #readsUnderWay = 0;

  constructor({ ageMsMax = Number.POSITIVE_INFINITY, isUsable = () => true }: CacheOptions = {}) {
    this.#ageMsMax = ageMsMax;
    this.#isUsable = isUsable;
  }

  /** Wraps a read, which is called only when the value is not cached. */
  over(read: Read): Read {
    return async (deviceId) => {
      const known = this.#values.get(deviceId);
      if (known !== undefined && performance.now() - known.readAtMs < this.#ageMsMax) return known.current;
      if (!this.#isUsable()) return await read(deviceId);
      const readAtMs = performance.now();
      const changesBefore = this.#changes;
      this.#readsUnderWay++;
      try {
        const current = await read(deviceId);
        const isOutdated = current === undefined || this.#lastChangeOf(current) > changesBefore;
        if (!isOutdated && this.#isUsable()) this.#keep({ current, readAtMs });
        return current;
      } finally {
        this.#readsUnderWay--;
        if (this.#readsUnderWay === 0) this.#changedAt.clear();
      }
    };
  }

  #lastChangeOf({ deviceNo, deviceId }: CurrentValues): number {
    const changes = [this.#changedAt.get(deviceNo) ?? 0, this.#changedAt.get(deviceId) ?? 0];
    return Math.max(this.#allChangedAt, ...changes);
  }

  #keep(cached: CachedValues): void {
    const { deviceId, deviceNo } = cached.current;
    if (this.#values.size >= DEVICES_CACHED_MAX) this.forgetAll();
    this.#values.set(deviceId, cached);
    this.#deviceIds.set(deviceNo, deviceId);
  }

  /** Must be called with the effects of every committed write; returns which values other nodes have to remove from their caches. */
  committed(effects: Committed<unknown>['effects']): Changed {
    const deviceNos: number[] = [];
    const deviceIds: string[] = [];
    for (const effect of effects) {
      if (effect.kind === 'values_stored') deviceNos.push(...effect.deviceNos);
      else if (effect.kind === 'device_updated' || effect.kind === 'send_configuration')
        deviceIds.push(effect.deviceId);
    }
    const changed = { deviceNos, deviceIds };
    this.forget(changed);
    return changed;
  }

  forget({ deviceNos, deviceIds }: Changed): void {
    this.#changes++;
    for (const deviceNo of deviceNos) {
      const deviceId = this.#deviceIds.get(deviceNo);
      if (deviceId !== undefined) this.#values.delete(deviceId);
      if (this.#readsUnderWay > 0) this.#changedAt.set(deviceNo, this.#changes);
    }
    for (const deviceId of deviceIds) {
      this.#values.delete(deviceId);
      if (this.#readsUnderWay > 0) this.#changedAt.set(deviceId, this.#changes);
    }
  }

  forgetAll(): void {
    this.#allChangedAt = ++this.#changes;
    this.#values.clear();
    this.#deviceIds.clear();
  }
}
