import type { AppReads } from '@granary/app/app';
import { INTERVAL_MS, type Interval } from '@granary/contract/telemetry/telemetry';
import { DAY_MS } from '@granary/contract/time';
import type { Lane } from '@granary/core/sensors/sensor';
import type { Bucket } from '@granary/core/telemetry/history';
import { joinIntoDays, type LocalDays } from '@granary/core/telemetry/local-days';

/** A page takes a millisecond or two, which is what a stop may wait for it. */
const BUCKETS_PER_PAGE = 500;

export interface Series {
  readonly deviceNo: number;
  readonly lane: Lane;
}

export interface BucketRange {
  readonly interval: Interval;
  readonly fromMs: number;
  readonly toMs: number;
  /** Days of a time zone instead of those of UTC. */
  readonly days: LocalDays | null;
}

/** The buckets of a series that start in the range, ordered by time, in pages that are short reads. */
export async function* bucketPages(
  app: AppReads,
  series: Series,
  { interval, fromMs, toMs, days }: BucketRange,
): AsyncGenerator<Bucket[], void, undefined> {
  if (days === null) {
    const stepMs = BUCKETS_PER_PAGE * INTERVAL_MS[interval];
    for (let start = fromMs; start < toMs; start += stepMs) {
      const end = Math.min(start + stepMs, toMs);
      yield await app.telemetry.history({ ...series, interval, fromMs: start, toMs: end });
    }
    return;
  }
  const { zone, source } = days;
  const daysPerPage = Math.floor((BUCKETS_PER_PAGE * INTERVAL_MS[source]) / DAY_MS);
  const endMs = zone.dayStartFrom(toMs);
  let start = zone.dayStartFrom(fromMs);
  while (start < endMs) {
    let end = start;
    for (let count = 0; count < daysPerPage && end < endMs; count++) end = zone.nextDayStart(end);
    const buckets = await app.telemetry.history({ ...series, interval: source, fromMs: start, toMs: end });
    yield joinIntoDays(buckets, zone);
    start = end;
  }
}
