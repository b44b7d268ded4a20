import type { Grain } from '@granary/contract/foresight/silo-use';
import { HOUR_MS } from '@granary/contract/time';
import { clamp, median, quantile } from '../statistics.ts';
import { GRAIN_DATA } from './grains.ts';
import { type Air, airOf, equilibriumMoisturePercent, vapourPressureHpa, warmedAir } from './moisture.ts';

export const ADVICE_HOURS = 48;
/** How much an aeration fan warms the air, if nothing else is given. */
const FAN_HEAT_C_DEFAULT = 1;
/** A usual airflow for cooling, in m³ per minute and tonne. */
const AIRFLOW_DEFAULT = 0.11;
/** The hours that a cooling front takes to pass the grain at 1 m³ of air per minute and tonne. */
const FRONT_H = 16.5;
const COOLER_C = 4;
const MOISTURE_POINTS = 1;
const DRYING_POINTS = 0.5;
const HUMIDITY_PERCENT_MAX = 90;
const OUTSIDE_C_MIN = -5;
/** Grain is cool enough when its warmer quarter is at most this warm, because insects and mould are not active then. */
const COOL_ENOUGH_C = 8;
/** Rain is assumed to go on for this long after the last rain. */
const RAIN_H = 3;
const PATTERN_DAYS = 3;
const PATTERN_HOURS_MIN = 24;
/** The factor by which the difference between the last hour and the usual course shrinks every hour. */
const DIFFERENCE_KEPT_PER_HOUR = 0.9;
/** Older values say nothing about the weather now. */
const OBSERVED_MS_MAX = 6 * HOUR_MS;
const WINDOW_HOURS_MIN = 2;
const DAY_HOURS = 24;

/** The mean of one hour, which begins at `ms`. */
export interface WeatherHour extends Air {
  readonly ms: number;
  readonly rainMm: number | null;
}

export interface AerationInput {
  readonly nowMs: number;
  readonly grain: Grain;
  /** The temperatures of the covered points. */
  readonly grainC: readonly number[];
  readonly moisturePercent: number;
  readonly targetPercent?: number;
  readonly fanHeatC?: number;
  /** The airflow in m³ per minute and tonne. */
  readonly airflow?: number;
  /** What the weather station of the site has measured, in the order of time. */
  readonly observed: readonly WeatherHour[];
  /** The coming hours from a weather service; missing hours are computed from the course of the last days. */
  readonly forecast?: readonly WeatherHour[];
}

/** The source of the weather of the coming hours. */
export type WeatherSource = 'forecast' | 'course_of_last_days' | 'last_value' | 'none';

export type AerationAction = 'cool' | 'dry';
type AerationObstacle =
  | 'rain'
  | 'too_humid'
  | 'too_cold'
  | 'not_cool_enough'
  | 'would_add_moisture'
  | 'would_over_dry'
  | 'grain_is_cool_and_dry';

interface AerationHour extends Air {
  readonly ms: number;
  /** The moisture that grain reaches in the air behind the fan. */
  readonly equilibriumPercent: number;
  readonly action: AerationAction | null;
  readonly obstacle: AerationObstacle | null;
}

export interface AerationWindow {
  readonly action: AerationAction;
  readonly fromMs: number;
  readonly toMs: number;
  readonly values: {
    readonly outsideC: number;
    readonly grainC: number;
    readonly equilibriumPercent: number;
  };
}

export interface AerationAdvice {
  readonly source: WeatherSource;
  readonly hours: readonly AerationHour[];
  readonly windows: readonly AerationWindow[];
  /** Why most of the hours are not advised; `null` when all are, or when there is no weather. */
  readonly obstacle: AerationObstacle | null;
  readonly grainC: number | null;
  readonly targetPercent: number;
  readonly fanHeatC: number;
  /** How long the fan has to run until the cooled air has passed all of the grain. */
  readonly frontHours: number;
}

/** Returns when fans help in the next two days. This is advice: nothing is switched. */
export function aerationAdvice(input: AerationInput): AerationAdvice {
  const { grain, moisturePercent, targetPercent = GRAIN_DATA[grain].keepsAtPercent } = input;
  const fanHeatC = clamp(input.fanHeatC ?? FAN_HEAT_C_DEFAULT, 0, 10);
  const grainC = quantile(input.grainC, 0.75);
  const { source, hours: weather } = expectedWeather(input);
  const hours =
    grainC === null
      ? []
      : weather.map((hour) => judged(hour, { grain, grainC, moisturePercent, targetPercent, fanHeatC }));
  return {
    source,
    hours,
    windows: grainC === null ? [] : windowsOf(hours, grainC),
    obstacle: mostFrequent(hours.flatMap(({ obstacle }) => obstacle ?? [])),
    grainC,
    targetPercent,
    fanHeatC,
    frontHours: FRONT_H / clamp(input.airflow ?? AIRFLOW_DEFAULT, 0.01, 10),
  };
}

interface Wanted {
  readonly grain: Grain;
  readonly grainC: number;
  readonly moisturePercent: number;
  readonly targetPercent: number;
  readonly fanHeatC: number;
}

function judged(hour: WeatherHour, wanted: Wanted): AerationHour {
  const { ms, temperatureC, humidityPercent } = hour;
  const blown = warmedAir(hour, wanted.fanHeatC);
  const equilibriumPercent = equilibriumMoisturePercent(wanted.grain, blown);
  const verdict = verdictOf(hour, blown.temperatureC, equilibriumPercent, wanted);
  const isAction = verdict === 'cool' || verdict === 'dry';
  return {
    ms,
    temperatureC,
    humidityPercent,
    equilibriumPercent,
    action: isAction ? verdict : null,
    obstacle: isAction ? null : verdict,
  };
}

function verdictOf(
  { temperatureC, humidityPercent, rainMm }: WeatherHour,
  blownC: number,
  equilibriumPercent: number,
  { grainC, moisturePercent, targetPercent }: Wanted,
): AerationAction | AerationObstacle {
  if ((rainMm ?? 0) > 0) return 'rain';
  if (humidityPercent > HUMIDITY_PERCENT_MAX) return 'too_humid';
  if (temperatureC < OUTSIDE_C_MIN) return 'too_cold';
  const isWarm = grainC > COOL_ENOUGH_C;
  const isMoist = moisturePercent > targetPercent;
  if (!isWarm && !isMoist) return 'grain_is_cool_and_dry';
  const cools = isWarm && blownC <= grainC - COOLER_C;
  const tooMoist = equilibriumPercent > Math.max(targetPercent, moisturePercent) + MOISTURE_POINTS;
  const tooDry = equilibriumPercent < targetPercent - MOISTURE_POINTS;
  if (cools && !tooMoist && !tooDry) return 'cool';
  if (isMoist && equilibriumPercent <= moisturePercent - DRYING_POINTS) return 'dry';
  if (isWarm && !cools) return 'not_cool_enough';
  return tooDry ? 'would_over_dry' : 'would_add_moisture';
}

/** Consecutive hours with one action; a fan is not worth starting for fewer than two. */
function windowsOf(hours: readonly AerationHour[], grainC: number): readonly AerationWindow[] {
  const runs: AerationHour[][] = [];
  for (const hour of hours) {
    const before = runs.at(-1)?.at(-1);
    if (hour.action === null) continue;
    if (before?.action === hour.action && before.ms + HOUR_MS === hour.ms) runs.at(-1)?.push(hour);
    else runs.push([hour]);
  }
  return runs.flatMap((run) => {
    const [first] = run;
    if (first === undefined || first.action === null || run.length < WINDOW_HOURS_MIN) return [];
    const outsideC = median(run.map(({ temperatureC }) => temperatureC)) ?? 0;
    const equilibriumPercent = median(run.map((one) => one.equilibriumPercent)) ?? 0;
    return [
      {
        action: first.action,
        fromMs: first.ms,
        toMs: first.ms + run.length * HOUR_MS,
        values: { outsideC, grainC, equilibriumPercent },
      },
    ];
  });
}

function mostFrequent<Code extends string>(codes: readonly Code[]): Code | null {
  const counts = new Map<Code, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

/**
 * Without a weather service the next days are expected to be like the last ones: the mean of the same hours plus the present
 * difference from it, which shrinks with time. The water content of the air is continued instead of the relative humidity,
 * which depends on the temperature.
 */
export function expectedWeather({
  nowMs,
  observed,
  forecast = [],
}: Pick<AerationInput, 'nowMs' | 'observed' | 'forecast'>): {
  readonly source: WeatherSource;
  readonly hours: readonly WeatherHour[];
} {
  const firstMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const wanted = Array.from({ length: ADVICE_HOURS }, (_, index) => firstMs + index * HOUR_MS);
  const served = new Map(forecast.map((hour) => [hour.ms, hour]));
  if (wanted.every((ms) => served.has(ms))) {
    return { source: 'forecast', hours: wanted.flatMap((ms) => served.get(ms) ?? []) };
  }
  const past = observed.filter(
    ({ ms }) => ms <= nowMs && ms > firstMs - (PATTERN_DAYS * DAY_HOURS + 1) * HOUR_MS,
  );
  const last = past.at(-1);
  if (last === undefined || last.ms < nowMs - OBSERVED_MS_MAX) return { source: 'none', hours: [] };
  const isPattern =
    past.length >= PATTERN_HOURS_MIN && past.length >= (last.ms - (past[0]?.ms ?? 0)) / HOUR_MS / 2;
  const usual = isPattern
    ? courseOf(past)
    : () => ({ temperatureC: last.temperatureC, vapourHpa: vapourPressureHpa(last) });
  const rainedMs = past.findLast(({ rainMm }) => (rainMm ?? 0) > 0)?.ms ?? Number.NEGATIVE_INFINITY;
  const now = usual(last.ms);
  const difference = {
    temperatureC: last.temperatureC - now.temperatureC,
    vapourHpa: vapourPressureHpa(last) - now.vapourHpa,
  };
  const hours = wanted.map((ms): WeatherHour => {
    const kept = DIFFERENCE_KEPT_PER_HOUR ** Math.max(0, (ms - last.ms) / HOUR_MS);
    const then = usual(ms);
    const air = airOf(
      then.temperatureC + kept * difference.temperatureC,
      Math.max(0, then.vapourHpa + kept * difference.vapourHpa),
    );
    return (
      served.get(ms) ?? {
        ms,
        temperatureC: air.temperatureC,
        humidityPercent: air.humidityPercent,
        rainMm: ms < rainedMs + RAIN_H * HOUR_MS ? 1 : 0,
      }
    );
  });
  return { source: isPattern ? 'course_of_last_days' : 'last_value', hours };
}

function courseOf(past: readonly WeatherHour[]): (ms: number) => { temperatureC: number; vapourHpa: number } {
  const hourOf = (ms: number) => Math.floor(ms / HOUR_MS) % DAY_HOURS;
  const of = (value: (hour: WeatherHour) => number) => {
    const all = median(past.map(value)) ?? 0;
    return Array.from({ length: DAY_HOURS }, (_, hour) => {
      const same = past.filter(({ ms }) => hourOf(ms) === hour).map(value);
      return same.length === 0 ? all : same.reduce((sum, one) => sum + one, 0) / same.length;
    });
  };
  const temperatures = of(({ temperatureC }) => temperatureC);
  const vapours = of(vapourPressureHpa);
  return (ms) => ({ temperatureC: temperatures[hourOf(ms)] ?? 0, vapourHpa: vapours[hourOf(ms)] ?? 0 });
}
