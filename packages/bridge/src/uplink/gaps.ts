import type { DatabaseSync } from 'node:sqlite';
import { HOUR_MS } from '@granary/contract/time';
import type { Reading } from './message.ts';

const SHOWN_MAX = 20;
const STORED_MAX = 10_000;
/** If readings of a device are dropped within this time of its last gap, they extend the same gap. */
const SAME_GAP_MS = HOUR_MS;

/** A period in which readings of a device were dropped. */
export interface Gap {
  readonly deviceId: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly readings: number;
}

export const GAPS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS given_up (device TEXT NOT NULL, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, readings INTEGER NOT NULL, PRIMARY KEY (device, from_ms));
`;

/** What is missing in the history of the devices, because the journal was full. */
export class Gaps {
  /** The last gap of each device, in the order of time. */
  readonly #lastOf = new Map<string, Gap>();
  #dropped = 0;

  /** The number of all dropped readings. */
  get dropped(): number {
    return this.#dropped;
  }

  shown(): readonly Gap[] {
    return [...this.#lastOf.values()].slice(-SHOWN_MAX);
  }

  load(database: DatabaseSync): void {
    const stored = database
      .prepare('SELECT device, from_ms, to_ms, readings FROM given_up ORDER BY to_ms')
      .all()
      .map(({ device, from_ms, to_ms, readings }) => ({
        deviceId: String(device),
        fromMs: Number(from_ms),
        toMs: Number(to_ms),
        readings: Number(readings),
      }));
    for (const gap of stored) this.#note(gap);
    this.#dropped = Math.max(
      this.#dropped,
      stored.reduce((sum, { readings }) => sum + readings, 0),
    );
  }

  /** Adds dropped readings to the gaps of their devices, and returns the gaps that have changed, to be stored. */
  add(readings: readonly Reading[]): readonly Gap[] {
    this.#dropped += readings.length;
    return [...Map.groupBy(readings, ({ deviceId }) => deviceId)].map(([deviceId, dropped]) => {
      const fromMs = dropped.reduce((least, { atMs }) => Math.min(least, atMs), Number.POSITIVE_INFINITY);
      const last = this.#lastOf.get(deviceId);
      const same = last !== undefined && Math.abs(fromMs - last.toMs) <= SAME_GAP_MS ? last : undefined;
      const gap = {
        deviceId,
        fromMs: same?.fromMs ?? fromMs,
        toMs: dropped.reduce((most, { atMs }) => Math.max(most, atMs), same?.toMs ?? fromMs),
        readings: dropped.length + (same?.readings ?? 0),
      };
      this.#note(gap);
      return gap;
    });
  }

  #note(gap: Gap): void {
    this.#lastOf.delete(gap.deviceId);
    this.#lastOf.set(gap.deviceId, gap);
  }
}

export function storeGap(database: DatabaseSync, { deviceId, fromMs, toMs, readings }: Gap): void {
  database
    .prepare(
      'INSERT INTO given_up VALUES (?, ?, ?, ?) ON CONFLICT (device, from_ms) DO UPDATE SET to_ms = excluded.to_ms, readings = excluded.readings',
    )
    .run(deviceId, fromMs, toMs, readings);
}

export function trimGaps(database: DatabaseSync): void {
  database
    .prepare(
      'DELETE FROM given_up WHERE rowid IN (SELECT rowid FROM given_up ORDER BY to_ms DESC LIMIT -1 OFFSET ?)',
    )
    .run(STORED_MAX);
}
