import type { HistoryQuality } from '@granary/contract/exports';
import type { Aggregate } from '@granary/contract/telemetry/telemetry';
import { aggregateOf, type Bucket, isCount } from '../telemetry/history.ts';
import { roundTo6 } from '../units.ts';
import type { ExportedSensor } from './exported-sensors.ts';

/** A stored value in the unit of the export; without a share it has exactly the digits that were stored. */
export function exportedValue(stored: number, { scale, wholeKg }: ExportedSensor): number {
  const value = stored / scale;
  return wholeKg === null ? value : roundTo6((value / wholeKg) * 100);
}

/** The unit of an aggregate. */
export const exportedUnit = ({ unit }: ExportedSensor, aggregate: Aggregate): string =>
  isCount(aggregate) ? 'count' : unit;

/** The aggregate of a bucket in the unit of the export; `null` if it has implausible readings only. */
export function exportedAggregate(
  bucket: Bucket,
  aggregate: Aggregate,
  sensor: ExportedSensor,
): number | null {
  const stored = aggregateOf(bucket, aggregate);
  return stored === null || isCount(aggregate) ? stored : roundTo6(exportedValue(stored, sensor));
}

export function qualityOf({ count, badCount }: Bucket): HistoryQuality {
  if (badCount === 0) return 'good';
  return count === 0 ? 'bad' : 'uncertain';
}
