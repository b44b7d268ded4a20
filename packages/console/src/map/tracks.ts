import type { Client } from '@granary/client';
import type { Point } from '@granary/contract/positions';
import type { TrackPoint } from '@granary/contract/telemetry/field-readings';
import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { bearing, distanceM } from './surface/projection.ts';
import type { DevicePosition } from './vehicles.ts';

/** A device that was silent for longer was not necessarily on the straight line between two points. */
const SILENCE_MS_MAX = 10 * MINUTE_MS;

/** Shorter movements may be inaccuracies of the position. */
const MOVEMENT_M_MIN = 2;

/** The track is drawn in this many steps of age. */
const BANDS = 6;

const POINTS_MAX = 1_000;

export const TRACK_MS = 2 * HOUR_MS;

/** The positions of the devices in the last two hours: they are read once, and then extended by the newest positions. */
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

/** The position of a device at a time. */
export interface TimedPoint extends Point {
  readonly atMs: number;
}

const timedPoint = ({ latitude, longitude, timestamp }: TrackPoint): TimedPoint => ({
  lat: latitude,
  lng: longitude,
  atMs: Date.parse(timestamp),
});

/** The track with one more point; points that are too old are left out. A point that is not newer than the last one changes nothing. */
export function extended(track: readonly TimedPoint[], point: TimedPoint): readonly TimedPoint[] {
  const last = track.at(-1);
  if (last !== undefined && point.atMs <= last.atMs) return track;
  return [...track.filter(({ atMs }) => atMs >= point.atMs - TRACK_MS), point];
}

/** The direction of the last movement, in degrees clockwise from north; `null` where there was none. */
export function headingOf(track: readonly TimedPoint[]): number | null {
  const last = track.at(-1);
  if (last === undefined) return null;
  const before = track.findLast((point) => distanceM(point, last) >= MOVEMENT_M_MIN);
  return before === undefined ? null : bearing(before, last);
}

interface TrackPart {
  readonly points: readonly Point[];
  /** The opacity: 1 for the newest part, nearly 0 for the oldest. */
  readonly strength: number;
}

/** The lines of a track, fading with age. Where the device was silent there is a gap. */
export function trackParts(track: readonly TimedPoint[], nowMs: number): TrackPart[] {
  const parts: { points: Point[]; strength: number; band: number }[] = [];
  for (const [index, point] of track.entries()) {
    const before = track[index - 1];
    if (before === undefined || point.atMs < nowMs - TRACK_MS) continue;
    if (point.atMs - before.atMs > SILENCE_MS_MAX) continue;
    const age = Math.min(1, Math.max(0, (nowMs - point.atMs) / TRACK_MS));
    const band = Math.min(BANDS - 1, Math.floor(age * BANDS));
    const current = parts.at(-1);
    if (current?.band === band && current.points.at(-1) === before) current.points.push(point);
    else parts.push({ points: [before, point], strength: 1 - band / BANDS, band });
  }
  return parts.map(({ points, strength }) => ({ points, strength }));
}
