import type { AppReads } from '@granary/app/app';
import type { Aggregate } from '@granary/contract/telemetry/telemetry';
import { toIso } from '@granary/contract/time';
import { exportedAggregate, exportedUnit, qualityOf } from '@granary/core/exports';
import { type BucketRange, bucketPages } from './bucket-pages.ts';
import type { ExportPages } from './export-runner.ts';
import type { DevicesToExport } from './exported-devices.ts';
import type { RowFormat } from './row-format.ts';

export interface HistoryRange extends BucketRange {
  readonly aggregate: Aggregate;
}

/** The text of the history of all devices, one after the other. */
export async function* historyPages(
  app: AppReads,
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
