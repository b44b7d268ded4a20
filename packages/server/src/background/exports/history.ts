import type { ReadSlices } from '@granary/app/app';
import { type Aggregate, INTERVAL_MS, type Interval } from '@granary/contract/telemetry/telemetry';
import { DAY_MS, toIso } from '@granary/contract/time';
import { exportedAggregate, exportedUnit, qualityOf } from '@granary/core/exports';
import type { Lane } from '@granary/core/sensors/sensor';
import type { Bucket } from '@granary/core/telemetry/history';
import { joinIntoDays, type LocalDays } from '@granary/core/telemetry/local-days';
import type { ExportPages } from './export-runner.ts';
import type { DevicesToExport } from './exported-devices.ts';
import type { RowFormat } from './row-format.ts';

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
  /** The days of a time zone, which are used instead of those of UTC. */
  readonly days: LocalDays | null;
}

/** The buckets of a series that start in the range, ordered by time, in pages that are short reads. */
export async function* bucketPages(
  app: ReadSlices,
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

export interface HistoryRange extends BucketRange {
  readonly aggregate: Aggregate;
}

/** The text of the history of all devices, one after the other. */
export async function* historyPages(
  app: ReadSlices,
  { devices }: DevicesToExport,
  range: HistoryRange,
  format: RowFormat,
): ExportPages {
  const { aggregate, days } = range;
  let text = format.header;
  for (const { deviceNo, deviceId, sensors } of devices) {
    for (const sensor of sensors) {
      const unit = exportedUnit(sensor, aggregate);
      const write = format.writerOf({ deviceId, sensor: sensor.name, unit });
      for await (const buckets of bucketPages(app, { deviceNo, lane: sensor.lane }, range)) {
        for (const bucket of buckets) {
          const { startMs } = bucket;
          const value = exportedAggregate(bucket, aggregate, sensor);
          text += write(toIso(startMs), value, qualityOf(bucket), days?.zone.dateAt(startMs) ?? '');
        }
        yield text;
        text = '';
      }
    }
  }
  yield text;
}
