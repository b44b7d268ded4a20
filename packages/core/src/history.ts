import { CHANNELS, type ChannelName } from '@granary/contract/channels';
import type { SensorType } from '@granary/contract/devices';
import { Refusal } from '@granary/contract/errors';
import {
  type Aggregate,
  HISTORY_POINTS_MAX,
  type HistoryPoint,
  type HistoryQuery,
  INTERVALS,
  type Interval,
} from '@granary/contract/telemetry';
import { DAY_MS, HOUR_MS, MINUTE_MS, toIso } from '@granary/contract/time';
import { tidy } from './telemetry.ts';

export const INTERVAL_MS = { '5m': 5 * MINUTE_MS, '1h': HOUR_MS, '1d': DAY_MS } as const satisfies Record<
  Interval,
  number
>;

export interface HistoryPlan {
  readonly sensor: SensorType;
  readonly interval: Interval;
  readonly aggregate: Aggregate;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Fills in what the caller left out and refuses what no answer could hold. */
export function planHistory(query: HistoryQuery, nowMs: number): HistoryPlan {
  const { sensor = 'level', interval = '1h', aggregate = 'avg' } = query;
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const fromMs = query.from === undefined ? toMs - DAY_MS : Date.parse(query.from);
  if (fromMs >= toMs) {
    throw new Refusal('invalid_input', 'the range is empty', [
      { path: '/from', message: 'must be before to' },
    ]);
  }
  const points = pointsBetween(fromMs, toMs, interval);
  if (points > HISTORY_POINTS_MAX) {
    const advice = fittingInterval(fromMs, toMs);
    const message = `${points} points are more than the ${HISTORY_POINTS_MAX} one answer may hold; ${advice}`;
    throw new Refusal('invalid_input', message, [{ path: '/interval', message: advice }]);
  }
  return { sensor, interval, aggregate, fromMs, toMs };
}

function pointsBetween(fromMs: number, toMs: number, interval: Interval): number {
  const sizeMs = INTERVAL_MS[interval];
  return Math.ceil(toMs / sizeMs) - Math.ceil(fromMs / sizeMs);
}

function fittingInterval(fromMs: number, toMs: number): string {
  const fits = INTERVALS.find((interval) => pointsBetween(fromMs, toMs, interval) <= HISTORY_POINTS_MAX);
  return fits === undefined ? 'ask for a shorter range' : `interval=${fits} would fit`;
}

/** Everything a bucket knows of its readings, in the channel's smallest unit. */
export interface Bucket {
  readonly startMs: number;
  readonly sum: number;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly last: number;
}

/** `level` is weight seen as a share of the silo. */
export const channelOf = (sensor: SensorType): ChannelName => (sensor === 'level' ? 'weight' : sensor);

export function historyPoint(bucket: Bucket, plan: HistoryPlan, capacityKg: number): HistoryPoint {
  const timestamp = toIso(bucket.startMs);
  if (plan.aggregate === 'count') return { timestamp, value: bucket.count };
  const stored = plan.aggregate === 'avg' ? bucket.sum / bucket.count : bucket[plan.aggregate];
  const value = stored / CHANNELS[channelOf(plan.sensor)].scale;
  return { timestamp, value: tidy(plan.sensor === 'level' ? (value / capacityKg) * 100 : value) };
}
