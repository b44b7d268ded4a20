import type { SensorType } from '@granary/contract/devices/statuses';
import { Refusal } from '@granary/contract/errors';
import { CHANNELS, type ChannelName } from '@granary/contract/telemetry/channels';
import {
  type Aggregate,
  HISTORY_POINTS_MAX,
  type HistoryPoint,
  type HistoryQuery,
  INTERVAL_MS,
  INTERVALS,
  type Interval,
} from '@granary/contract/telemetry/telemetry';
import { checkedTimeMs, DAY_MS, toIso } from '@granary/contract/time';
import { roundTo6 } from './readings.ts';

/** The requested buckets and the aggregate. */
export interface Span {
  readonly interval: Interval;
  readonly aggregate: Aggregate;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface HistoryPlan extends Span {
  readonly sensor: SensorType;
}

export const planHistory = (query: HistoryQuery, nowMs: number): HistoryPlan => ({
  sensor: query.sensor ?? 'level',
  ...planSpan(query, nowMs),
});

/** Adds the defaults to a history query, and refuses one with too many points. */
export function planSpan(query: Omit<HistoryQuery, 'sensor'>, nowMs: number): Span {
  const { interval = '1h', aggregate = 'avg' } = query;
  const toMs = query.to === undefined ? nowMs : checkedTimeMs(query.to);
  const fromMs = query.from === undefined ? toMs - DAY_MS : checkedTimeMs(query.from);
  refuseEmptyRange(fromMs, toMs);
  const points = pointsBetween(fromMs, toMs, interval);
  if (points > HISTORY_POINTS_MAX) {
    const advice = fittingInterval(fromMs, toMs);
    const message = `${points} points are more than the ${HISTORY_POINTS_MAX} one answer may hold; ${advice}`;
    throw new Refusal('invalid_input', message, [{ path: '/interval', message: advice }]);
  }
  return { interval, aggregate, fromMs, toMs };
}

export function refuseEmptyRange(fromMs: number, toMs: number): void {
  if (fromMs < toMs) return;
  throw new Refusal('invalid_input', 'the range is empty', [{ path: '/from', message: 'must be before to' }]);
}

function pointsBetween(fromMs: number, toMs: number, interval: Interval): number {
  const sizeMs = INTERVAL_MS[interval];
  return Math.ceil(toMs / sizeMs) - Math.ceil(fromMs / sizeMs);
}

function fittingInterval(fromMs: number, toMs: number): string {
  const fits = INTERVALS.find((interval) => pointsBetween(fromMs, toMs, interval) <= HISTORY_POINTS_MAX);
  return fits === undefined ? 'ask for a shorter range' : `interval=${fits} would fit`;
}

/** The figures of a bucket in the smallest unit of the channel; `null` when it has implausible values only. */
export interface Bucket {
  readonly startMs: number;
  readonly sum: number;
  readonly count: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly last: number | null;
  readonly badCount: number;
}

/** `level` is the weight as a share of the capacity. */
export const channelOf = (sensor: SensorType): ChannelName => (sensor === 'level' ? 'weight' : sensor);

const COUNTS: ReadonlySet<Aggregate> = new Set(['count', 'bad_count']);

/** The aggregate in the unit of the channel, or a count; `null` when the bucket has no value for it. */
export function bucketValue(bucket: Bucket, aggregate: Aggregate, channel: ChannelName): number | null {
  if (aggregate === 'bad_count') return bucket.badCount;
  if (bucket.count === 0) return null;
  if (aggregate === 'count') return bucket.count;
  const stored = aggregate === 'avg' ? bucket.sum / bucket.count : bucket[aggregate];
  return stored === null ? null : stored / CHANNELS[channel].scale;
}

export function historyPoints(
  buckets: readonly Bucket[],
  { sensor, aggregate }: HistoryPlan,
  capacityKg: number,
): HistoryPoint[] {
  const isShare = sensor === 'level' && !COUNTS.has(aggregate);
  const channel = channelOf(sensor);
  return pointsOf(buckets, (bucket) => {
    const value = bucketValue(bucket, aggregate, channel);
    return value !== null && isShare ? (value / capacityKg) * 100 : value;
  });
}

/** A bucket without a value has no point. */
export function pointsOf(
  buckets: readonly Bucket[],
  valueIn: (bucket: Bucket) => number | null,
): HistoryPoint[] {
  const points: HistoryPoint[] = [];
  for (const bucket of buckets) {
    const value = valueIn(bucket);
    if (value !== null) points.push({ timestamp: toIso(bucket.startMs), value: roundTo6(value) });
  }
  return points;
}
