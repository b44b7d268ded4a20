import { type TimeZone, timeZone } from '@granary/common/time-zone';
import { Refusal } from '@granary/contract/errors';
import type { Interval } from '@granary/contract/telemetry/telemetry';
import { DAY_MS, toIso } from '@granary/contract/time';
import { type Bucket, joinBuckets } from './history.ts';

/** The days of a time zone that begin in a range, and the buckets from which they are computed. */
export interface LocalDays {
  readonly zone: TimeZone;
  readonly source: Extract<Interval, '5m' | '1h'>;
}

interface WantedDays {
  readonly interval: Interval;
  readonly tz: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Days are computed from hours if all hours begin with those of UTC, otherwise from five minutes, which are kept for a limited time. */
export function planLocalDays(
  { interval, tz, fromMs, toMs }: WantedDays,
  fiveMinutesFromMs: number,
): LocalDays {
  const zone = timeZone(tz);
  if (zone === null) throw refusal('must be the name of a time zone, such as Europe/Berlin');
  if (interval !== '1d') throw refusal('is only for interval=1d; shorter intervals are the same everywhere');
  if (zone.hasWholeHours(fromMs, toMs + DAY_MS)) return { zone, source: '1h' };
  if (fromMs < fiveMinutesFromMs) {
    const since = toIso(fiveMinutesFromMs);
    throw refusal(
      `needs points of 5 minutes, because its days do not begin with an hour of UTC; they are kept since ${since}`,
    );
  }
  return { zone, source: '5m' };
}

const refusal = (message: string): Refusal =>
  new Refusal('invalid_input', 'the query is not valid', [{ path: '/tz', message }]);

/** Joins buckets, ordered by time, into one for each day of the time zone that has any. */
export function joinIntoDays(buckets: readonly Bucket[], zone: TimeZone): Bucket[] {
  const days: Bucket[] = [];
  let startMs = 0;
  let endMs = 0;
  for (const bucket of buckets) {
    const day = days.at(-1);
    if (bucket.startMs < endMs && day !== undefined) {
      days[days.length - 1] = joinBuckets(day, bucket);
      continue;
    }
    // The bucket usually belongs to the next day.
    startMs = endMs;
    if (!(bucket.startMs < zone.nextDayStart(startMs))) startMs = zone.dayStartOf(bucket.startMs);
    endMs = zone.nextDayStart(startMs);
    days.push({ ...bucket, startMs });
  }
  return days;
}
