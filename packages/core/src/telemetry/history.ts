import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import {
  type Aggregate,
  type ContentUnit,
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
  /** The unit of a level as the query names it; `null` for percent, and for other sensors. */
  readonly unit: ContentUnit | null;
  /** Each point has the smallest and the largest value of its bucket, too. */
  readonly hasRange: boolean;
}

const LEVEL = 'level';

/** The history of a silo; refuses a sensor that it does not have. */
export function planSiloHistory(query: HistoryQuery, sensors: readonly Sensor[], nowMs: number): HistoryPlan {
  const { weight } = STANDARD_SENSORS;
  const named = sensors.map((sensor) => ({ name: sensor === weight ? LEVEL : sensor.sensorId, sensor }));
  const wanted = sensorNamed(query.sensor ?? LEVEL, named);
  return planOf(query, wanted, nowMs);
}

/** The history of a field device; refuses a sensor that it does not have. */
export function planFieldHistory(
  query: HistoryQuery,
  sensors: readonly Sensor[],
  nowMs: number,
): HistoryPlan {
  const named = sensors.map((sensor) => ({ name: sensor.sensorId, sensor }));
  const wanted = sensorNamed(query.sensor ?? 'temperature', named);
  return planOf(query, wanted, nowMs);
}

type NamedSensor = Pick<HistoryPlan, 'name' | 'sensor'>;

const planOf = (query: HistoryQuery, wanted: NamedSensor, nowMs: number): HistoryPlan => ({
  ...wanted,
  unit: unitOf(query, wanted),
  hasRange: query.include === 'range',
  ...planSpan(query, nowMs),
});

function sensorNamed(wanted: string, sensors: readonly NamedSensor[]): NamedSensor {
  const found = sensors.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const message = `must be one of ${sensors.map(({ name }) => name).join(', ')}`;
  throw new Refusal('invalid_input', 'the query is not valid', [{ path: '/sensor', message }]);
}

function unitOf({ unit }: HistoryQuery, { name }: NamedSensor): ContentUnit | null {
  if (unit === undefined || name === LEVEL) return unit ?? null;
  const message = `is only for sensor=${LEVEL}`;
  throw new Refusal('invalid_input', 'the query is not valid', [{ path: '/unit', message }]);
}

/** Adds the defaults to a history query, and refuses one with too many points. */
function planSpan(query: Omit<HistoryQuery, 'sensor'>, nowMs: number): Span {
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

/** The range of a query; without one it is the last day. */
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
  throw new Refusal('invalid_input', 'the range is empty', [issueOf('/from', sentence('must_be_before_to'))]);
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
  /** When the last value was measured. */
  readonly lastTsMs: number | null;
  readonly badCount: number;
}

/** The bucket with the values of both; it begins when the earlier one begins. */
export const joinBuckets = (earlier: Bucket, later: Bucket): Bucket => ({
  startMs: earlier.startMs,
  sum: earlier.sum + later.sum,
  count: earlier.count + later.count,
  min: either(Math.min, earlier.min, later.min),
  max: either(Math.max, earlier.max, later.max),
  last: later.last ?? earlier.last,
  lastTsMs: later.lastTsMs ?? earlier.lastTsMs,
  badCount: earlier.badCount + later.badCount,
});

const either = (
  choose: (a: number, b: number) => number,
  a: number | null,
  b: number | null,
): number | null => (a === null || b === null ? (a ?? b) : choose(a, b));

/** Orders by time; of the parts of one bucket the one with the newest value is the last. */
export const byTime = (one: Bucket, other: Bucket): number =>
  one.startMs - other.startMs || (one.lastTsMs ?? 0) - (other.lastTsMs ?? 0);

/** Joins the parts of each bucket, which are ordered by time: the compressed, the late and the open part. */
export function joinParts(parts: readonly Bucket[]): Bucket[] {
  const buckets: Bucket[] = [];
  for (const part of parts) {
    const previous = buckets.at(-1);
    if (previous?.startMs === part.startMs) buckets[buckets.length - 1] = joinBuckets(previous, part);
    else buckets.push(part);
  }
  return buckets;
}

const COUNTS: ReadonlySet<Aggregate> = new Set(['count', 'bad_count']);

export const isCount = (aggregate: Aggregate): boolean => COUNTS.has(aggregate);

/** The aggregate in the smallest unit of the sensor, or a count; `null` when the bucket has no value for it. */
export function aggregateOf(bucket: Bucket, aggregate: Aggregate): number | null {
  if (aggregate === 'bad_count') return bucket.badCount;
  if (bucket.count === 0) return null;
  return aggregate === 'avg' ? bucket.sum / bucket.count : bucket[aggregate];
}

/** A bucket without a value has no point; `capacityKg` is `null` for a device that has no level. */
export function historyPoints(
  buckets: readonly Bucket[],
  plan: HistoryPlan,
  capacityKg: number | null,
): HistoryPoint[] {
  const { aggregate, sensor, hasRange } = plan;
  const isShare = plan.name === LEVEL && plan.unit !== 'kg';
  const inUnit = (stored: number): number =>
    roundTo6(
      isShare && capacityKg !== null ? (stored / sensor.scale / capacityKg) * 100 : stored / sensor.scale,
    );
  const points: HistoryPoint[] = [];
  for (const bucket of buckets) {
    const stored = aggregateOf(bucket, aggregate);
    if (stored === null) continue;
    const value = isCount(aggregate) ? roundTo6(stored) : inUnit(stored);
    const timestamp = toIso(bucket.startMs);
    const { min, max } = bucket;
    // A bucket that has only bad values has no range.
    if (!hasRange || min === null || max === null) points.push({ timestamp, value });
    else points.push({ timestamp, value, min: inUnit(min), max: inUnit(max) });
  }
  return points;
}
