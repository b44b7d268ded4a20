import { type HistoryPoint, READINGS_PER_MESSAGE_MAX } from '@granary/contract/telemetry/telemetry';
import { checkedTimeMs, DAY_MS, HOUR_MS, toIso } from '@granary/contract/time';
import type { Reading } from '../physics/reading.ts';

/** The service refuses readings older than it keeps; writing takes a moment, and clocks differ. */
const MARGIN_MS = HOUR_MS;

/** A stretch of time in [fromMs, toMs). */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a device would have measured, had it been there. */
export interface Past {
  readonly spacingMs: number;
  readonly readingAt: (timeMs: number) => Reading;
  /** What the service has of it, a point for each day with any. */
  readonly dailyPoints: (query: {
    readonly interval: '1d';
    readonly from: string;
    readonly to: string;
  }) => Promise<{ readonly points: readonly HistoryPoint[] }>;
}

/** What of a device's past the service does not have; nothing when it was written before. */
export async function findMissingPast(
  { dailyPoints }: Past,
  days: number,
  nowMs: number,
): Promise<Span | undefined> {
  const past = { fromMs: nowMs - days * DAY_MS + MARGIN_MS, toMs: nowMs };
  const { points } = await dailyPoints({
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
  const oldestMs = checkedTimeMs(oldest.timestamp);
  if (oldestMs <= past.fromMs) return undefined;
  return { fromMs: past.fromMs, toMs: Math.min(past.toMs, oldestMs + DAY_MS) };
}

type Measured = Pick<Past, 'spacingMs' | 'readingAt'>;

/** A device's past in messages, the newest first. Of whole days, so that a day is written by one message or not at all. */
export function* pastMessages(past: Measured, { fromMs, toMs }: Span): Generator<readonly Reading[]> {
  const daysPerMessage = Math.floor((READINGS_PER_MESSAGE_MAX * past.spacingMs) / DAY_MS);
  let endMs = toMs;
  while (endMs > fromMs) {
    const startMs = Math.max(fromMs, dayStartMs(endMs - 1) - (daysPerMessage - 1) * DAY_MS);
    const readings = readingsIn(past, { fromMs: startMs, toMs: endMs });
    if (readings.length > 0) yield readings;
    endMs = startMs;
  }
}

function readingsIn({ spacingMs, readingAt }: Measured, { fromMs, toMs }: Span): readonly Reading[] {
  const firstMs = Math.ceil(fromMs / spacingMs) * spacingMs;
  const count = Math.max(0, Math.ceil((toMs - firstMs) / spacingMs));
  return Array.from({ length: count }, (_, i) => readingAt(firstMs + i * spacingMs));
}

const dayStartMs = (timeMs: number): number => Math.floor(timeMs / DAY_MS) * DAY_MS;
