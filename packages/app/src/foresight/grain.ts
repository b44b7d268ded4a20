import type { Grain, SiloUse } from '@granary/contract/foresight/silo-use';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { aerationAdvice, type WeatherHour } from '@granary/core/foresight/grain/aeration';
import type { GrainFacts } from '@granary/core/foresight/grain/grain-state';
import { type DayTemperature, hotSpots, levelM } from '@granary/core/foresight/grain/hot-spots';
import { equilibriumMoisturePercent } from '@granary/core/foresight/grain/moisture';
import { storageLife, storedSinceMs } from '@granary/core/foresight/grain/storage-time';
import { dayAt, type LocalCalendar } from '@granary/core/foresight/local-calendar';
import type { SiloFinding } from '@granary/core/foresight/record';
import type { Refill } from '@granary/core/foresight/types';
import {
  type DeclaredSensor,
  declaredSensors,
  isInUse,
  scaleOf,
} from '@granary/core/sensors/declared-sensors';
import type { Lane } from '@granary/core/sensors/sensor';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import type { Sql } from '@granary/store/sql';
import { type HistoryRange, readBuckets } from '../telemetry/bucket-rows.ts';
import { findingsOf, type SiloRow } from './foresight-rows.ts';

const CABLE_MS = 16 * DAY_MS;
const STORED_MS_MAX = 365 * DAY_MS;
const WEATHER_MS = 4 * DAY_MS;
const STORAGE_WARNING = 0.5;
const STORAGE_CRITICAL = 0.8;

interface GrainWish {
  readonly nowMs: number;
  readonly calendar: LocalCalendar;
  readonly use: SiloUse;
  readonly levelKg: number | null;
  readonly refills: readonly Refill[];
}

interface Mean {
  readonly startMs: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

async function readMeans(sql: Sql, range: HistoryRange, scale: number): Promise<Mean[]> {
  const buckets = await readBuckets(sql, range);
  return buckets.flatMap(({ startMs, sum, count, min, max }) =>
    count === 0 || min === null || max === null
      ? []
      : [{ startMs, mean: sum / count / scale, min: min / scale, max: max / scale }],
  );
}

/** The hours of a sensor, from a time before now. */
const readHours = (
  sql: Sql,
  { lane, scale }: { readonly lane: Lane; readonly scale: number },
  {
    deviceNo,
    nowMs,
    sinceMs,
  }: { readonly deviceNo: number; readonly nowMs: number; readonly sinceMs: number },
): Promise<Mean[]> =>
  readMeans(sql, { deviceNo, lane, interval: '1h', fromMs: nowMs - sinceMs, toMs: nowMs + HOUR_MS }, scale);

/** Groups the hours (UTC) by local days. */
function localDays(hours: readonly Mean[], calendar: LocalCalendar): DayTemperature[] {
  const byDay = Map.groupBy(hours, ({ startMs }) => dayAt(calendar, startMs));
  return [...byDay].map(([day, own]) => ({
    day,
    meanC: own.reduce((sum, { mean }) => sum + mean, 0) / own.length,
    minC: Math.min(...own.map(({ min }) => min)),
    maxC: Math.max(...own.map(({ max }) => max)),
  }));
}

/** Finds the weather station in the facility that reported last. */
async function weatherStation(sql: Sql, facility: string): Promise<number | undefined> {
  const [found] = await sql.query<{ deviceNo: number }>(
    `SELECT devices.device_no FROM devices JOIN presence ON presence.device_no = devices.device_no
     WHERE profile = 'weather_station' AND facility = $1 AND removed_at_ms IS NULL AND last_seen_at_ms IS NOT NULL
     ORDER BY last_seen_at_ms DESC, devices.device_no LIMIT 1`,
    [facility],
  );
  return found?.deviceNo;
}

async function readWeather(sql: Sql, facility: string, nowMs: number): Promise<WeatherHour[]> {
  const station = await weatherStation(sql, facility);
  if (station === undefined) return [];
  const { temperature, humidity, rainfall } = STANDARD_SENSORS;
  const hours = { deviceNo: station, nowMs, sinceMs: WEATHER_MS };
  const [degrees, humidities, rain] = await Promise.all([
    readHours(sql, temperature, hours),
    readHours(sql, humidity, hours),
    readHours(sql, rainfall, hours),
  ]);
  const humidityAt = new Map(humidities.map(({ startMs, mean }) => [startMs, mean]));
  const rainAt = new Map(rain.map(({ startMs, max }) => [startMs, max]));
  return degrees.flatMap(({ startMs, mean }) => {
    const humidityPercent = humidityAt.get(startMs);
    if (humidityPercent === undefined) return [];
    return [{ ms: startMs, temperatureC: mean, humidityPercent, rainMm: rainAt.get(startMs) ?? null }];
  });
}

/** What the points of its cables say about a silo. */
async function readHotSpots(
  sql: Sql,
  silo: SiloRow,
  points: readonly DeclaredSensor[],
  weather: readonly WeatherHour[],
  { nowMs, calendar, levelKg, refills }: GrainWish,
) {
  const known = (await findingsOf(sql, silo.deviceNo))
    .filter(({ type, result }) => type === 'hot_spot' && result === 'fail')
    .map(({ sensorId }) => sensorId);
  const hours = { deviceNo: silo.deviceNo, nowMs, sinceMs: CABLE_MS };
  const cablePoints = await Promise.all(
    points.map(async ({ sensorId, position, lane, precision }) => ({
      id: sensorId,
      cable: position?.cable ?? 0,
      point: position?.point ?? 0,
      heightM: position?.height_m ?? null,
      days: localDays(await readHours(sql, { lane, scale: scaleOf(precision) }, hours), calendar),
    })),
  );
  const outside = weather.map(({ ms, temperatureC }) => ({
    startMs: ms,
    mean: temperatureC,
    min: temperatureC,
    max: temperatureC,
  }));
  const lastRefill = refills.at(-1);
  const heightsM = cablePoints.flatMap(({ heightM }) => heightM ?? []);
  return hotSpots({
    day: dayAt(calendar, nowMs) - 1,
    points: cablePoints,
    levelM: levelKg === null ? null : levelM(levelKg / silo.capacityKg, heightsM),
    outside: localDays(outside, calendar),
    disturbedOn: lastRefill === undefined ? null : dayAt(calendar, lastRefill.toMs),
    known,
  });
}

/** The share of its storage life that the grain has used since it was stored. */
async function readStorage(
  sql: Sql,
  silo: SiloRow,
  { nowMs, levelKg }: GrainWish,
  { grain, moisturePercent }: { readonly grain: Grain; readonly moisturePercent: number },
): Promise<GrainFacts['storage']> {
  const sinceMs = await storedSince(sql, silo, levelKg, nowMs);
  const { lane, scale } = STANDARD_SENSORS.temperature;
  const range = {
    deviceNo: silo.deviceNo,
    lane,
    interval: '1d',
    fromMs: sinceMs,
    toMs: nowMs + HOUR_MS,
  } as const;
  const days = await readMeans(sql, range, scale);
  const life = storageLife(
    grain,
    days.map(({ startMs, mean }) => ({
      durationMs: Math.min(nowMs, startMs + DAY_MS) - Math.max(startMs, sinceMs),
      temperatureC: mean,
      moisturePercent,
    })),
  );
  return life === null ? null : { ...life, sinceMs: Math.max(days[0]?.startMs ?? sinceMs, sinceMs) };
}

/** Returns `null` for a silo without a cable whose product is no grain. */
export async function readGrain(sql: Sql, silo: SiloRow, wish: GrainWish): Promise<GrainFacts | null> {
  const { nowMs, use } = wish;
  const { grain } = use.product ?? {};
  const points = declaredSensors(silo.sensors).sensors.filter(
    (sensor) => isInUse(sensor) && sensor.position !== undefined && sensor.type === 'temperature',
  );
  if (grain === undefined && points.length === 0) return null;
  const weather = await readWeather(sql, silo.facility, nowMs);
  const cable = await readHotSpots(sql, silo, points, weather, wish);
  const { temperature, humidity } = STANDARD_SENSORS;
  const lastDay = { deviceNo: silo.deviceNo, nowMs, sinceMs: DAY_MS };
  const [own, damp] = await Promise.all([
    readHours(sql, temperature, lastDay),
    readHours(sql, humidity, lastDay),
  ]);
  const covered = cable.points.flatMap(({ state, temperatureC }) =>
    state === 'uncovered' || temperatureC === null ? [] : [temperatureC],
  );
  const temperatureC = covered.length > 0 ? meanOf(covered) : (own.at(-1)?.mean ?? null);
  const humidityPercent = damp.at(-1)?.mean ?? null;
  const equilibriumPercent =
    grain === undefined || temperatureC === null || humidityPercent === null
      ? null
      : equilibriumMoisturePercent(grain, { temperatureC, humidityPercent });
  const moisturePercent = use.product?.moisture_percent ?? equilibriumPercent;
  const facts = { cable, temperatureC, equilibriumPercent, moisturePercent, toMs: nowMs };
  if (grain === undefined || moisturePercent === null) return { ...facts, storage: null, aeration: null };
  const grainC = covered.length > 0 || temperatureC === null ? covered : [temperatureC];
  return {
    ...facts,
    storage: await readStorage(sql, silo, wish, { grain, moisturePercent }),
    aeration:
      temperatureC === null
        ? null
        : aerationAdvice({ nowMs, grain, grainC, moisturePercent, observed: weather }),
  };
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * The time since when the oldest grain has been stored, from the refills that make up the level; otherwise the earliest time
 * that is examined.
 */
async function storedSince(
  sql: Sql,
  { deviceNo }: SiloRow,
  levelKg: number | null,
  nowMs: number,
): Promise<number> {
  const earliestMs = nowMs - STORED_MS_MAX;
  if (levelKg === null) return earliestMs;
  const refills = await sql.query<{ fromMs: number; kg: number }>(
    'SELECT from_ms, kg FROM refills WHERE device_no = $1 AND is_refill = 1 AND from_ms >= $2 ORDER BY from_ms',
    [deviceNo, earliestMs],
  );
  return storedSinceMs(levelKg, refills) ?? earliestMs;
}

/** Returns findings about hot spots and used storage life. */
export async function grainFindings(sql: Sql, silo: SiloRow, wish: GrainWish): Promise<SiloFinding[]> {
  const facts = await readGrain(sql, silo, wish);
  if (facts === null) return [];
  const { cable, storage, toMs } = facts;
  const isWatched = cable.status === 'watched';
  const unseen = isWatched
    ? ({ result: 'pass', code: 'no_hot_spot_seen' } as const)
    : ({ result: 'inconclusive', code: cable.status === 'settling' ? 'settling' : 'no_data' } as const);
  const spots = cable.points.map(
    ({ id, severity, temperatureC, aboveNeighboursC, slopeCPerDay }): SiloFinding => ({
      type: 'hot_spot',
      sensorId: id,
      ...(severity === null ? unseen : ({ result: 'fail', code: 'point_gets_warmer' } as const)),
      severity,
      fromMs: toMs - 7 * DAY_MS,
      toMs,
      values: {
        temperature_c: tenths(temperatureC),
        warmer_by_c: tenths(aboveNeighboursC),
        slope_c_per_day: tenths(slopeCPerDay),
      },
      limit: null,
    }),
  );
  if (storage === null) return spots;
  const { usedShare, remainingDays, sinceMs } = storage;
  const severity = storageSeverity(usedShare);
  const life: SiloFinding = {
    type: 'storage_life',
    sensorId: '',
    ...(severity === null
      ? ({ result: 'pass', code: 'keeps' } as const)
      : ({ result: 'fail', code: 'storage_life_used' } as const)),
    severity,
    fromMs: sinceMs,
    toMs,
    values: { used_percent: tenths(100 * usedShare) ?? 0, remaining_days: tenths(remainingDays) },
    limit: 100 * (severity === 'critical' ? STORAGE_CRITICAL : STORAGE_WARNING),
  };
  return [...spots, life];
}

const tenths = (value: number | null): number | null => (value === null ? null : Math.round(value * 10) / 10);

function storageSeverity(usedShare: number): 'warning' | 'critical' | null {
  if (usedShare >= STORAGE_CRITICAL) return 'critical';
  return usedShare >= STORAGE_WARNING ? 'warning' : null;
}
