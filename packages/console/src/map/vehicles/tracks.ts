import type { Client } from '@granary/client';
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { extended, type TimedPoint, TRACK_MS, timedPoint } from './track.ts';
import type { DevicePosition } from './vehicle.ts';

const POINTS_MAX = 1_000;

/** Where the devices were in the last two hours: read once, then extended by their newest positions. */
export class Tracks {
  readonly #client: Client;
  readonly #all = new Map<string, Signal<readonly TimedPoint[]>>();

  constructor(client: Client) {
    this.#client = client;
  }

  of(deviceId: string): ReadonlySignal<readonly TimedPoint[]> {
    return this.#track(deviceId);
  }

  async read(deviceId: string, nowMs: number, aborted: AbortSignal): Promise<void> {
    const query = { from: new Date(nowMs - TRACK_MS).toISOString(), limit: POINTS_MAX };
    const { points } = await this.#client.fieldReadings.track(deviceId, query, { signal: aborted });
    const track = this.#track(deviceId);
    const newer = track.peek();
    track.value = newer.reduce(extended, points.map(timedPoint));
  }

  /** A position that is not plausible is not part of a track. */
  extend(deviceId: string, { point, quality, at }: DevicePosition): void {
    if (quality === 'bad') return;
    const track = this.#track(deviceId);
    track.value = extended(track.peek(), { ...point, atMs: Date.parse(at) });
  }

  #track(deviceId: string): Signal<readonly TimedPoint[]> {
    const known = this.#all.get(deviceId) ?? signal<readonly TimedPoint[]>([]);
    this.#all.set(deviceId, known);
    return known;
  }
}
