import { type HistoryPoint, READINGS_PER_MESSAGE_MAX } from '@granary/contract/telemetry/telemetry';
import { checkedTimeMs, DAY_MS, HOUR_MS, toIso } from '@granary/contract/time';
import type { Reading } from '../physics/numbers.ts';

/** The service refuses readings older than its retention; the margin covers the time of writing and clock differences. */
const MARGIN_MS = HOUR_MS;

/** The time range [fromMs, toMs). */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The readings that a device would have sent before it was started. */
export interface BackfillSource {
  readonly spacingMs: number;
  readonly readingAt: (timeMs: number) => Reading;
  /** The history that the service has, one point for each day with readings. */
  readonly dailyPoints: (query: DailyQuery) => Promise<{ readonly points: readonly HistoryPoint[] }>;
}

export interface DailyQuery {
  readonly interval: '1d';
  readonly from: string;
  readonly to: string;
}

/** The time range that the service has no readings of; `undefined` when the backfill is complete, or none is wanted. */
export async function findMissingHistory(
  { dailyPoints, spacingMs }: BackfillSource,
  days: number,
  nowMs: number,
): Promise<Span | undefined> {
  if (days <= 0) return undefined;
  const span = { fromMs: nowMs - days * DAY_MS + MARGIN_MS, toMs: nowMs };
  const { points } = await dailyPoints({
    interval: '1d',
    from: toIso(dayStartMs(span.fromMs)),
    to: toIso(nowMs),
  });
  return missingSpan(span, points, spacingMs);
}

/**
 * The backfill is written from its end to its beginning, so the oldest day with points shows how far it got. Gaps after
 * that day are times when the farm was stopped, and stay. The day itself is written again, and so is the last day of the range,
 * because they may have live readings only; readings that are already stored change nothing.
 */
export function missingSpan(
  span: Span,
  dailyPoints: readonly HistoryPoint[],
  spacingMs: number,
): Span | undefined {
  const oldest = dailyPoints[0];
  if (oldest === undefined) return span;
  const oldestMs = checkedTimeMs(oldest.timestamp);
  // Late in the evening the first reading of a backfill is one of the next day.
  if (oldestMs <= firstReadingMs(span, spacingMs) && oldestMs < dayStartMs(span.toMs)) return undefined;
  return { fromMs: span.fromMs, toMs: Math.min(span.toMs, oldestMs + DAY_MS) };
}

type Measured = Pick<BackfillSource, 'spacingMs' | 'readingAt'>;

/** The messages of a backfill, the latest first; each contains whole days, so that a day is never written in part. */
export function* backfillMessages(source: Measured, { fromMs, toMs }: Span): Generator<readonly Reading[]> {
  const daysPerMessage = Math.floor((READINGS_PER_MESSAGE_MAX * source.spacingMs) / DAY_MS);
  let endMs = toMs;
  while (endMs > fromMs) {
    const startMs = Math.max(fromMs, dayStartMs(endMs - 1) - (daysPerMessage - 1) * DAY_MS);
    const readings = readingsIn(source, { fromMs: startMs, toMs: endMs });
    if (readings.length > 0) yield readings;
    endMs = startMs;
  }
}

function readingsIn({ spacingMs, readingAt }: Measured, { fromMs, toMs }: Span): readonly Reading[] {
  const firstMs = firstReadingMs({ fromMs }, spacingMs);
  const count = Math.max(0, Math.ceil((toMs - firstMs) / spacingMs));
  return Array.from({ length: count }, (_, i) => readingAt(firstMs + i * spacingMs));
}

const firstReadingMs = ({ fromMs }: Pick<Span, 'fromMs'>, spacingMs: number): number =>
  Math.ceil(fromMs / spacingMs) * spacingMs;

const dayStartMs = (timeMs: number): number => Math.floor(timeMs / DAY_MS) * DAY_MS;
