import type { FleetReadings } from '@granary/contract/fleet/devices';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { INTERVAL_MS } from '@granary/contract/telemetry/telemetry';
import type { Texts } from '../../texts/en/texts.ts';
import { thresholdsOf } from '../thresholds.ts';
import type { SensorHistory } from './load-history.ts';
import type { ChartMarks } from './load-marks.ts';
import type { PlotContents } from './plot-contents.ts';
import type { TimeRange } from './range.ts';
import { type Bucket, tableOf } from './series.ts';

const MISSED_REPORTS_MAX = 3;

interface Shown {
  readonly histories: readonly SensorHistory[];
  readonly readings: FleetReadings;
  readonly marks: ChartMarks;
  /** `undefined` until it was read. */
  readonly configuration: DeviceConfiguration | undefined;
  readonly range: TimeRange;
  readonly nowMs: number;
}

/** Everything that the chart draws. */
export function chartContents(
  { histories, readings, marks, configuration, range, nowMs }: Shown,
  words: Texts['devices']['thresholds'],
): PlotContents {
  const series = histories.map(({ sensor, interval, buckets }) => {
    const everyS = sensor.reportingIntervalS ?? configuration?.reporting.interval_s ?? 0;
    return {
      buckets: withNewest(buckets, readings[sensor.id], range, INTERVAL_MS[interval]),
      gapMs: Math.max(INTERVAL_MS[interval] * 1.6, everyS * 1_000 * MISSED_REPORTS_MAX),
    };
  });
  return {
    table: tableOf(series),
    fromMs: range.fromMs,
    toMs: range.toMs,
    thresholds: histories.flatMap(({ sensor }) =>
      configuration === undefined
        ? []
        : thresholdsOf(configuration, sensor.id, words).map((one) => ({ ...one, unit: sensor.unit })),
    ),
    bars: marks.operations.map(({ started_at, ended_at }) => ({
      fromMs: Date.parse(started_at),
      toMs: ended_at === null ? nowMs : Date.parse(ended_at),
    })),
    marks: marks.alerts.map(({ created_at, severity }) => ({ atMs: Date.parse(created_at), severity })),
  };
}

/** The newest value ends the line of a range that moves with the time. */
function withNewest(
  buckets: readonly Bucket[],
  newest: FleetReadings[string] | undefined,
  { preset }: TimeRange,
  intervalMs: number,
): readonly Bucket[] {
  if (preset === null || newest === undefined || newest.quality === 'bad') return buckets;
  const atMs = Date.parse(newest.timestamp);
  const { value } = newest;
  const bucketOfNow = Math.floor(atMs / intervalMs) * intervalMs;
  const before = buckets.filter((bucket) => bucket.atMs < Math.min(atMs, bucketOfNow + intervalMs / 2 + 1));
  return [...before, { atMs, mean: value, min: value, max: value }];
}
