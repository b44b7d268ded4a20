import type { Grain } from '@granary/contract/foresight/silo-use';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { clamp } from '../statistics.ts';
import { GRAIN_DATA } from './grains.ts';
import { ofDryMass } from './moisture.ts';

/** The longest time that is told, because nothing was measured for longer times. */
export const STORAGE_DAYS_MAX = 3_650;
/** The percentage of broken kernels for which the published tables of maize hold. */
const DAMAGED_PERCENT_USUAL = 30;
/** The hours in which shelled maize of 25 %, at 60 °F and with 30 % damaged kernels, loses 0.5 % of its dry matter. */
const REFERENCE_H = 230;
/** Above this temperature the correction for wet maize would give wetter grain a longer time. */
const WET_MAIZE_F_MAX = 100;
const TEMPERATURE_C = { min: -20, max: 50 } as const;
const MOISTURE_PERCENT = { min: 5, max: 40 } as const;

/**
 * The days at 30, 40, 50, 60, 70 and 80 °F, by moisture in % (Hellevang, NDSU 2019). The source has "more than 300" for the
 * values from 300 on; they are twice the time at 10 °F more, by the rule of thumb of the source.
 */
const CEREAL_DAYS: readonly (readonly [number, readonly number[]])[] = [
  [14, [3_200, 1_600, 800, 400, 200, 140]],
  [15, [1_920, 960, 480, 240, 125, 70]],
  [16, [920, 460, 230, 120, 70, 40]],
  [17, [560, 280, 130, 75, 45, 20]],
  [18, [400, 200, 90, 50, 30, 15]],
  [19, [300, 140, 70, 35, 20, 10]],
  [20, [300, 90, 50, 25, 14, 7]],
  [22, [190, 60, 30, 15, 8, 3]],
  [24, [130, 40, 15, 10, 6, 2]],
  [26, [90, 35, 12, 8, 5, 2]],
  [28, [70, 30, 10, 7, 4, 2]],
  [30, [60, 25, 5, 5, 3, 1]],
];
const CEREAL_F = [30, 40, 50, 60, 70, 80] as const;
const CEREAL_EDGES = { fahrenheit: { min: 30, max: 80 }, moisture: { min: 14, max: 30 } } as const;
/**
 * The factors by which all rows and columns are continued beyond the edges of the table. One factor for each edge makes sure
 * that warmer or wetter grain never keeps longer: the rule of thumb for colder grain, otherwise the step at that edge which
 * gives the shortest times.
 */
const PER_10_F_COLDER = 2;
const PER_10_F_WARMER = 3;
const PER_POINT_DRIER = 1.6;
const PER_POINT_WETTER = Math.SQRT2;
/** For soybeans the table holds at a moisture that is three points lower. */
const SOYBEAN_POINTS_LESS = 3;

/** A period with the temperature and the moisture of the grain in it; it uses up a part of the storage life. */
export interface StoragePeriod {
  readonly durationMs: number;
  readonly temperatureC: number;
  readonly moisturePercent: number;
}

export interface StorageLife {
  /** 1 when the life is used up; it may be more. */
  readonly usedShare: number;
  /** The days that are left at the temperature and moisture of the last period. */
  readonly remainingDays: number;
}

/** How long grain keeps its quality: until it loses 0.5 % of its dry matter (maize), or by the table of the NDSU (all other grain). */
export function storageDays(
  grain: Grain,
  temperatureC: number,
  moisturePercent: number,
  damagedPercent = DAMAGED_PERCENT_USUAL,
): number {
  const fahrenheit = 32 + 1.8 * clamp(temperatureC, TEMPERATURE_C.min, TEMPERATURE_C.max);
  const moisture = clamp(moisturePercent, MOISTURE_PERCENT.min, MOISTURE_PERCENT.max);
  const { storage } = GRAIN_DATA[grain];
  const days =
    storage === 'thompson'
      ? maizeDays(fahrenheit, moisture, clamp(damagedPercent, 0, 100))
      : tableDays(fahrenheit, storage === 'soybeans' ? moisture + SOYBEAN_POINTS_LESS : moisture);
  return Math.min(days, STORAGE_DAYS_MAX);
}

/** Storage life is additive: each period uses the share of the storage time at its temperature and moisture. */
export function storageLife(grain: Grain, periods: readonly StoragePeriod[]): StorageLife | null {
  const last = periods.at(-1);
  if (last === undefined) return null;
  const daysOf = (one: StoragePeriod) => storageDays(grain, one.temperatureC, one.moisturePercent);
  const usedShare = periods.reduce((sum, one) => sum + Math.max(0, one.durationMs) / DAY_MS / daysOf(one), 0);
  return { usedShare, remainingDays: Math.max(0, 1 - usedShare) * daysOf(last) };
}

/**
 * The time since which the oldest grain is in the silo. The first grain in is the first one out, so the content came with
 * the last refills. `null` if the refills do not explain all of it, because then the oldest grain came before the first of
 * them.
 */
export function storedSinceMs(
  levelKg: number,
  refills: readonly { readonly fromMs: number; readonly kg: number }[],
): number | null {
  let unexplainedKg = levelKg;
  for (const { fromMs, kg } of refills.toReversed()) {
    unexplainedKg -= kg;
    if (unexplainedKg <= 0) return fromMs;
  }
  return null;
}

/** The equation of Thompson 1972, after Steele and Saul (ASAE D535). */
function maizeDays(fahrenheit: number, moisturePercent: number, damagedPercent: number): number {
  const dry = ofDryMass(moisturePercent);
  const ofMoisture = 0.103 * (Math.exp(455 / dry ** 1.53) - 0.00845 * dry + 1.558);
  const ofDamage = 2.08 * Math.exp(-0.0239 * damagedPercent);
  const hours = REFERENCE_H * ofTemperature(fahrenheit, moisturePercent) * ofMoisture * ofDamage;
  return (hours * HOUR_MS) / DAY_MS;
}

function ofTemperature(fahrenheit: number, moisturePercent: number): number {
  if (fahrenheit <= 60) return 128.76 * Math.exp((-4.86 * fahrenheit) / 60);
  const wet = clamp((moisturePercent - 19) / 100, 0, 0.09);
  const ofDry = (at: number): number => 32.3 * Math.exp((-3.48 * at) / 60);
  const at = Math.min(fahrenheit, WET_MAIZE_F_MAX);
  return ((ofDry(at) + wet * Math.exp((0.61 * (at - 60)) / 60)) * ofDry(fahrenheit)) / ofDry(at);
}

/** Interpolates the logarithm of the days linearly between the cells of the table. */
function tableDays(fahrenheit: number, moisturePercent: number): number {
  const { fahrenheit: warmth, moisture } = CEREAL_EDGES;
  const insideF = clamp(fahrenheit, warmth.min, warmth.max);
  const insidePercent = clamp(moisturePercent, moisture.min, moisture.max);
  const byWarmth =
    (fahrenheit < insideF ? PER_10_F_COLDER : PER_10_F_WARMER) ** ((insideF - fahrenheit) / 10);
  const byMoisture =
    (moisturePercent < insidePercent ? PER_POINT_DRIER : PER_POINT_WETTER) **
    (insidePercent - moisturePercent);
  const rows = CEREAL_DAYS.map(([x, days]) => ({
    x: x as number,
    y: interpolated(
      days.map((one, index) => ({ x: CEREAL_F[index] ?? 0, y: Math.log(one) })),
      insideF,
    ),
  }));
  return Math.exp(interpolated(rows, insidePercent)) * byWarmth * byMoisture;
}

function interpolated(points: readonly { readonly x: number; readonly y: number }[], x: number): number {
  const above = points.findIndex((point) => point.x >= x);
  const index = clamp(above === -1 ? points.length - 1 : above, 1, points.length - 1);
  const left = points[index - 1];
  const right = points[index];
  if (left === undefined || right === undefined) return 0;
  return left.y + ((right.y - left.y) * (x - left.x)) / (right.x - left.x);
}
