import type { Client } from '@granary/client/client';
import type { HistoryPoint } from '@granary/contract/telemetry';
import { DAY_MS, HOUR_MS, MINUTE_MS, toIso } from '@granary/contract/time';
import type { Silo } from './farm.ts';
import { readingAt, type SiloReading } from './scale.ts';

const SPACING_MS = 5 * MINUTE_MS;

/** Whole days, so that a day is written by one message or not at all; 3 × 288 readings fit into it. */
const DAYS_PER_MESSAGE = 3;

/** The service refuses readings older than it keeps; writing takes a moment, and clocks differ. */
const MARGIN_MS = HOUR_MS;

/** A stretch of time in [fromMs, toMs). */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What of a silo's past the service does not have; nothing when it was written before. */
export async function findMissingPast(
  client: Client,
  siloId: string,
  days: number,
  nowMs: number,
): Promise<Span | undefined> {
  const past = { fromMs: nowMs - days * DAY_MS + MARGIN_MS, toMs: nowMs };
  const { points } = await client.telemetry.history(siloId, {
    sensor: 'level',
    interval: '1d',
    from: toIso(dayStartMs(past.fromMs)),
    to: toIso(nowMs),
  });
  return missingPast(past, points);
}

/**
 * The past is written from its end to its beginning, so the oldest day with points tells how far it got. Gaps after
 * that day are times when the farm stood still, and stay. The day itself is written again: it may hold live readings
 * only, and readings that are there already change nothing.
 */
export function missingPast(past: Span, dailyPoints: readonly HistoryPoint[]): Span | undefined {
  const oldest = dailyPoints[0];
  if (oldest === undefined) return past;
  const oldestMs = Date.parse(oldest.timestamp);
  if (oldestMs <= past.fromMs) return undefined;
  return { fromMs: past.fromMs, toMs: Math.min(past.toMs, oldestMs + DAY_MS) };
}

/** A silo's past in messages, the newest first. */
export function* pastMessages(silo: Silo, { fromMs, toMs }: Span): Generator<readonly SiloReading[]> {
  let endMs = toMs;
  while (endMs > fromMs) {
    const startMs = Math.max(fromMs, dayStartMs(endMs - 1) - (DAYS_PER_MESSAGE - 1) * DAY_MS);
    const readings = readingsIn(silo, { fromMs: startMs, toMs: endMs });
    if (readings.length > 0) yield readings;
    endMs = startMs;
  }
}

function readingsIn(silo: Silo, { fromMs, toMs }: Span): readonly SiloReading[] {
  const firstMs = Math.ceil(fromMs / SPACING_MS) * SPACING_MS;
  const count = Math.max(0, Math.ceil((toMs - firstMs) / SPACING_MS));
  return Array.from({ length: count }, (_, i) => readingAt(silo, firstMs + i * SPACING_MS));
}

const dayStartMs = (timeMs: number): number => Math.floor(timeMs / DAY_MS) * DAY_MS;
