import type { AlertSeverity } from '@granary/contract/alerts';
import type { FleetReadings } from '@granary/contract/fleet';
import type { OperationRecord } from '@granary/contract/operations';
import { INTERVAL_MS } from '@granary/contract/outline';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { type Conversion, shownAs } from '../../context/units.ts';
import { amountText, operationTitle, refillTitle } from '../../operations/jobs.ts';
import type { Texts } from '../../texts.ts';
import type { ShownSensor } from '../facts/sensors.ts';
import { isCrossed, thresholdsOf } from '../facts/thresholds.ts';
import type { ChartMarks, SensorHistory, UsualValue } from './chart-data.ts';
import type { TimeRange } from './chart-selection.ts';
import { type Bucket, type ChartTable, tableOf } from './series.ts';

const MISSED_REPORTS_MAX = 3;

export interface PlottedSensor {
  readonly unit: string;
  /** The name of the colour token of the line. */
  readonly colour: string;
  /** True for shares of a whole, which are drawn from 0 to 100. */
  readonly isShare: boolean;
}

interface PlottedThreshold {
  readonly unit: string;
  readonly value: number;
  readonly name: string;
  readonly severity: AlertSeverity;
  /** True when the alert begins above the value and not below it. */
  readonly isAbove: boolean;
  readonly isCrossed: boolean;
}

export interface PlottedBar {
  readonly fromMs: number;
  readonly toMs: number;
  /** The texts of what was moved, the longest form first. */
  readonly names: readonly string[];
}

interface PlottedMark {
  readonly atMs: number;
  readonly severity: AlertSeverity;
}

export interface PlotContents {
  readonly table: ChartTable;
  readonly fromMs: number;
  readonly toMs: number;
  /** `null` when the present is not in the range. */
  readonly nowMs: number | null;
  /** The values that the first sensor usually has at this time of the week. */
  readonly usual: readonly UsualValue[];
  readonly thresholds: readonly PlottedThreshold[];
  readonly bars: readonly PlottedBar[];
  readonly marks: readonly PlottedMark[];
  /** The times that notes are about. */
  readonly notes: readonly number[];
}

export interface PlotCursor {
  /** The row of the table under the cursor. */
  readonly index: number;
  /** The position of the cursor in the plot. */
  readonly leftPx: number;
}

export interface PlotOptions {
  readonly sensors: readonly PlottedSensor[];
  readonly language: string;
  readonly height: number;
  /** Called when a range was drawn with the mouse. */
  readonly onSelect: (fromMs: number, toMs: number) => void;
  readonly onCursor: (cursor: PlotCursor | null) => void;
}

export interface Plot {
  readonly over: HTMLElement;
  show(contents: PlotContents): void;
  resize(width: number, height: number): void;
  /** Must be called after a change of the colours. */
  redraw(): void;
  timeAt(clientX: number): number;
  close(): void;
}

interface Shown {
  readonly deviceId: string;
  readonly histories: readonly SensorHistory[];
  readonly readings: FleetReadings;
  readonly marks: ChartMarks;
  /** `undefined` until the configuration was read. */
  readonly configuration: DeviceConfiguration | undefined;
  readonly range: TimeRange;
  readonly nowMs: number;
  readonly usual: readonly UsualValue[];
}

/** The room after the present in a range that moves with the time, so that the line of the present is not at the edge. */
const AFTER_NOW_SHARE = 0.025;

/** Everything that the chart draws. */
export function chartContents(
  { deviceId, histories, readings, marks, configuration, range, nowMs, usual }: Shown,
  words: Texts['devices']['thresholds'],
): PlotContents {
  const series = histories.map(({ sensor, interval, buckets }) => {
    const everyS = sensor.reportingIntervalS ?? configuration?.reporting.interval_s ?? 0;
    return {
      buckets: withNewest(
        buckets,
        sensor.compared === undefined ? readings[sensor.id] : undefined,
        range,
        INTERVAL_MS[interval],
      ).map((bucket) => shownBucket(bucket, lineUnit(sensor, deviceId))),
      gapMs: Math.max(
        INTERVAL_MS[interval] * 1.6,
        everyS * 1_000 * MISSED_REPORTS_MAX,
        usualDistanceMs(buckets) * 2.5,
      ),
    };
  });
  const first = lineUnit(histories[0]?.sensor ?? { unit: '' }, deviceId);
  return {
    table: tableOf(series),
    fromMs: range.fromMs,
    toMs: range.toMs + (range.preset === null ? 0 : (range.toMs - range.fromMs) * AFTER_NOW_SHARE),
    nowMs: nowMs > range.fromMs && (range.preset !== null || nowMs <= range.toMs) ? nowMs : null,
    usual: usual.map((one) => shownRange(one, first)),
    thresholds: histories.flatMap(({ sensor }) =>
      configuration === undefined || sensor.compared !== undefined
        ? []
        : thresholdsOf(configuration, sensor.id, words).map((one) => ({
            ...one,
            unit: lineUnit(sensor, deviceId).unit,
            value: lineUnit(sensor, deviceId).toShown(one.value),
            isCrossed: isCrossed(one, readings[sensor.id]?.value),
          })),
    ),
    bars: [
      ...marks.operations.map((operation) => ({
        fromMs: Date.parse(operation.started_at),
        toMs: operation.ended_at === null ? nowMs : Date.parse(operation.ended_at),
        names: namesOf({ ...operation, device_id: deviceId }),
      })),
      ...marks.refills.map((refill) => ({
        fromMs: Date.parse(refill.began_at),
        toMs: Date.parse(refill.ended_at),
        names: [refillTitle(refill)],
      })),
    ].filter(({ fromMs, toMs }) => toMs >= range.fromMs && fromMs <= range.toMs),
    marks: marks.alerts.map(({ created_at, severity }) => ({ atMs: Date.parse(created_at), severity })),
    notes: marks.notes.map(({ at }) => Date.parse(at)),
  };
}

/** The unit of a line in which the person reads it. */
export const lineUnit = (
  { unit, compared }: Pick<ShownSensor, 'unit' | 'compared'>,
  deviceId: string,
): Conversion => shownAs(unit, compared?.device_id ?? deviceId);

const shownRange = <One extends { readonly min: number; readonly max: number }>(
  one: One,
  { toShown }: Conversion,
): One => ({ ...one, min: toShown(one.min), max: toShown(one.max) });

const shownBucket = (bucket: Bucket, unit: Conversion): Bucket => ({
  ...shownRange(bucket, unit),
  mean: unit.toShown(bucket.mean),
});

/** The texts of an operation. One that has ended shows the amount that was moved, which may be less than the target. */
function namesOf(operation: OperationRecord & { readonly device_id: string }): string[] {
  const { ended_at, amount_completed, amount_target } = operation;
  const moved = { ...operation, amount_target: ended_at === null ? amount_target : amount_completed };
  return [operationTitle(moved), operationTitle({ ...moved, target_container: null }), amountText(moved)];
}

interface Named {
  readonly leftPx: number;
  readonly names: readonly string[];
}

/**
 * The positions of the names of bars, each at the left end of its bar: the longest form that ends before the next bar, or none. At the
 * right edge a name begins further to the left, because an operation under way is there.
 */
export function placedNames(
  bars: readonly Named[],
  edgePx: number,
  gapPx: number,
  widthOf: (text: string) => number,
): { readonly text: string; readonly leftPx: number }[] {
  const ordered = bars.toSorted((one, other) => one.leftPx - other.leftPx);
  let endPx = Number.NEGATIVE_INFINITY;
  return ordered.flatMap(({ leftPx, names }, index) => {
    const next = ordered[index + 1];
    const placed = names
      .map((text) => ({ text, widthPx: widthOf(text) }))
      .map(({ text, widthPx }) => ({ text, widthPx, leftPx: Math.min(leftPx, edgePx - widthPx) }))
      .find(
        (one) =>
          one.text !== '' &&
          one.leftPx >= endPx + gapPx &&
          (next === undefined || one.leftPx + one.widthPx + gapPx <= next.leftPx),
      );
    if (placed === undefined) return [];
    endPx = placed.leftPx + placed.widthPx;
    return [{ text: placed.text, leftPx: placed.leftPx }];
  });
}

/** The median of the distances between neighbours, so that a past with rarer reports does not have a gap at every point. */
function usualDistanceMs(buckets: readonly Bucket[]): number {
  const distances = buckets.slice(1).map(({ atMs }, index) => atMs - (buckets[index]?.atMs ?? atMs));
  return distances.sort((one, other) => one - other)[Math.floor(distances.length / 2)] ?? 0;
}

/** Adds the newest value at the end of the line of a range that moves with the time. */
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
