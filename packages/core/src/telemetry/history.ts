import { Refusal } from '@granary/contract/errors';
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
import type { Sensor } from '../sensors/sensor.ts';
import { STANDARD_SENSORS } from '../sensors/standard-sensors.ts';
import { roundTo6 } from '../units.ts';

/** The requested buckets and the aggregate. */
export interface Span {
  readonly interval: Interval;
  readonly aggregate: Aggregate;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface HistoryPlan extends Span {
  /** The name in the query; `level` is not a sensor, but the weight as a share of the capacity. */
  readonly name: string;
  readonly sensor: Sensor;
}

const LEVEL = 'level';

/** The history of a silo; refuses a sensor that it does not have. */
export function planSiloHistory(query: HistoryQuery, sensors: readonly Sensor[], nowMs: number): HistoryPlan {
  const { weight } = STANDARD_SENSORS;
  const named = sensors.map((sensor) => ({ name: sensor === weight ? LEVEL : sensor.sensorId, sensor }));
  return { ...sensorNamed(query.sensor ?? LEVEL, named), ...planSpan(query, nowMs) };
}

/** The history of a field device; refuses a sensor that it does not have. */
export function planFieldHistory(
  query: HistoryQuery,
  sensors: readonly Sensor[],
  nowMs: number,
): HistoryPlan {
  const named = sensors.map((sensor) => ({ name: sensor.sensorId, sensor }));
  return { ...sensorNamed(query.sensor ?? 'temperature', named), ...planSpan(query, nowMs) };
}

type NamedSensor = Pick<HistoryPlan, 'name' | 'sensor'>;

function sensorNamed(wanted: string, sensors: readonly NamedSensor[]): NamedSensor {
  const found = sensors.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const message = `must be one of ${sensors.map(({ name }) => name).join(', ')}`;
  throw new Refusal('invalid_input', 'the query is not valid', [{ path: '/sensor', message }]);
}

/** Adds the defaults to a history query, and refuses one with too many points. */
export function planSpan(query: Omit<HistoryQuery, 'sensor'>, nowMs: number): Span {
  const { interval = '1h', aggregate = 'avg' } = query;
  const { fromMs, toMs } = planRange(query, nowMs);
  const points = pointsBetween(fromMs, toMs, interval);
  if (points > HISTORY_POINTS_MAX) {
    const advice = fittingInterval(fromMs, toMs);
    const message = `${points} points are more than the ${HISTORY_POINTS_MAX} one answer may hold; ${advice}`;
    throw new Refusal('invalid_input', message, [{ path: '/interval', message: advice }]);
  }
  return { interval, aggregate, fromMs, toMs };
}

/** Without a range it is the last day. */
export function planRange(
  { from, to }: Pick<HistoryQuery, 'from' | 'to'>,
  nowMs: number,
): Pick<Span, 'fromMs' | 'toMs'> {
  const toMs = to === undefined ? nowMs : checkedTimeMs(to);
  const fromMs = from === undefined ? toMs - DAY_MS : checkedTimeMs(from);
  refuseEmptyRange(fromMs, toMs);
  return { fromMs, toMs };
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

/** The figures of a bucket in the smallest unit of the sensor; `null` when it has implausible values only. */
export interface Bucket {
  readonly startMs: number;
  readonly sum: number;
  readonly count: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly last: number | null;
  readonly badCount: number;
}

const COUNTS: ReadonlySet<Aggregate> = new Set(['count', 'bad_count']);

/** The aggregate in the unit of the sensor, or a count; `null` when the bucket has no value for it. */
function bucketValue(bucket: Bucket, { aggregate, sensor }: HistoryPlan): number | null {
  if (aggregate === 'bad_count') return bucket.badCount;
  if (bucket.count === 0) return null;
  if (aggregate === 'count') return bucket.count;
  const stored = aggregate === 'avg' ? bucket.sum / bucket.count : bucket[aggregate];
  return stored === null ? null : stored / sensor.scale;
}

/** A bucket without a value has no point; `capacityKg` is `null` for a device that has no level. */
export function historyPoints(
  buckets: readonly Bucket[],
  plan: HistoryPlan,
  capacityKg: number | null,
): HistoryPoint[] {
  const isShare = plan.name === LEVEL && !COUNTS.has(plan.aggregate);
  const points: HistoryPoint[] = [];
  for (const bucket of buckets) {
    const measured = bucketValue(bucket, plan);
    const value =
      measured !== null && isShare && capacityKg !== null ? (measured / capacityKg) * 100 : measured;
    if (value !== null) points.push({ timestamp: toIso(bucket.startMs), value: roundTo6(value) });
  }
  return points;
}
