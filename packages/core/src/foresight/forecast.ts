import { sentence } from '@granary/contract/sentences/codes';
import type { ForecastReason } from '@granary/contract/sentences/foresight';
import { DAY_MS, HOUR_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import {
  type Ahead,
  EMPTY_WITHIN_DAYS,
  HISTORY_AGE_DAYS_MAX,
  neededUntilEnd,
  QUANTILES,
  type Spread,
  timeWhenUsed,
  useAhead,
  usedUntil,
  usualKg,
  weekKg,
} from './ahead.ts';
import { implausibleOf } from './animals.ts';
import { changePercent, useReasons } from './forecast-reasons.ts';
import { knownDays, pastOf, predictDays, recentKgPerDay } from './history.ts';
import { EMPTY_PART } from './ledger.ts';
import { dayAt, HOURS_PER_DAY, startOfDay, timeOfHour } from './local-calendar.ts';
import type { Past } from './methods.ts';
import { deliveriesAhead, planOrder } from './order-by.ts';
import { addedKgOf } from './range.ts';
import { rounded } from './robust.ts';
import type {
  EmptyTimes,
  Forecast,
  ForecastInput,
  ForecastStatus,
  History,
  LevelNow,
  PathPoint,
} from './types.ts';
import { pointOf, withDeliveries } from './with-deliveries.ts';

/** There is no forecast from a reading that is older than this. */
const LEVEL_AGE_MS = 6 * HOUR_MS;
/** The reading of a device that reports seldom may be this many of its reporting intervals old, up to a limit. */
const LEVEL_AGE_INTERVALS = 1.5;
const LEVEL_AGE_MS_MAX = 36 * HOUR_MS;
/** There is no forecast from fewer full days. */
const KNOWN_DAYS_MIN = 3;

/** After this many days without use a silo is not in use, whatever was expected. */
const IDLE_DAYS = 14;
/** After this many days without use a silo is not in use, unless something shows that the use begins again soon. */
const IDLE_DAYS_SURE = 3;
/** The use begins again soon if the next three days are expected to use this share of what three usual days use. */
const RESUMED_OF_USUAL = 0.3;
const RESUMED_WITHIN_DAYS = 3;
/** A day that uses less than this share of the capacity counts as a day without use. */
const IDLE_OF_CAPACITY = 0.002;
/** The silo will be used again if each day of the next week uses this many times what a day without use may use. */
const USED_LATER_TIMES = 10;

/** A range is too wide for an answer if its late end is this many times as far away as its early end, and this much later. */
const WIDE_RATIO = 4;
const WIDE_MS = 3 * DAY_MS;

/** A level above this many capacities shows that the configured capacity is wrong. */
const LEVEL_CAPACITIES_MAX = 1.3;
/**
 * If the configured capacity is much too large, real refills are too small to be detected. That is so if the level is below this share
 * of the capacity, and the weight rose on this many of the last days, each time by more than this many standard deviations of the level.
 */
const HIDDEN_RISES = { belowCapacityShare: 0.05, days: 2, withinDays: 28, deviations: 30 } as const;

/** The level is known at best to this share of the capacity, because the sun heats load cells. */
const LEVEL_DEVIATION_OF_CAPACITY = 0.006;
/** If the weight stays the same although this share of the capacity should have been used, the sensor is stuck. */
const STUCK_USE_OF_CAPACITY = 0.02;
const PATH_STEP_HOURS = 6;

/** A silo whose use can be predicted. */
interface PredictableSilo {
  readonly input: ForecastInput;
  readonly level: LevelNow;
  readonly history: History;
  readonly past: Past;
  readonly ahead: Ahead;
  readonly today: number;
  readonly isEmpty: boolean;
}

/** A forecast says nothing before it has something to stand on: a level, a plausible configuration, some days, and a silo in use. */
export function forecastOf(input: ForecastInput): Forecast {
  const { nowMs, configuration, history, level } = input;
  const { capacityKg } = configuration;
  const today = dayAt(input.calendar, nowMs);
  if (level === null || nowMs - level.atMs > levelAgeMaxMs(level)) return withoutLevel(input);
  const implausible = implausibleReason(input, level, today);
  if (implausible !== null) return undated(input, 'unpredictable', implausible);
  const isEmpty = shownKg(level.kg) <= EMPTY_PART * capacityKg;
  const daily = new Float64Array(EMPTY_WITHIN_DAYS + HISTORY_AGE_DAYS_MAX);
  const past = history === null ? null : pastOf(history, originDayOf(history), configuration.animals);
  const days = past === null ? 0 : knownDays(past);
  const isKnown = history !== null && past !== null && days >= KNOWN_DAYS_MIN;
  if (!isKnown || !predictDays(history, configuration, daily)) {
    return isEmpty
      ? undated(input, 'empty')
      : undated(input, 'learning', sentence('learning', { days, needed: KNOWN_DAYS_MIN }));
  }
  const ahead = useAhead(input, today, daily);
  const idleDays = idleDaysOf(past.values, capacityKg);
  const isIdle = idleDays >= IDLE_DAYS || (idleDays >= IDLE_DAYS_SURE && !isUsedSoon(ahead, past.values));
  if (isIdle && !isUsedLater(ahead, capacityKg))
    return undated(input, isEmpty ? 'empty' : 'not_in_use', sentence('idle', { days: idleDays }));
  const silo = { input, level, history, past, ahead, today, isEmpty };
  return isStuck(silo)
    ? undated(input, 'stale', sentence('weight_unchanged', { since: toIso(level.unchangedSinceMs) }))
    : datedForecast(silo);
}

/** A forecast without a date, and why it has none. */
function undated(
  input: ForecastInput,
  status: ForecastStatus,
  ...reasons: readonly ForecastReason[]
): Forecast {
  const { nowMs, calendar, history, level } = input;
  return {
    status,
    madeAtMs: nowMs,
    timeZone: calendar.timeZone,
    levelKg: level === null ? null : shownKg(level.kg),
    usableKg: level === null ? null : rounded(Math.max(0, shownKg(level.kg) - reserveKgOf(input)), 1),
    use: null,
    empty: null,
    orderByMs: null,
    suggestion: null,
    path: [],
    withDeliveries: null,
    reasons,
    // Nothing is predicted for a silo that is not used, so it has no score.
    score: status === 'not_in_use' ? null : scoreOf(input),
    knownDays: history === null ? 0 : history.kg.filter((kg) => kg !== null).length,
  };
}

const shownKg = (levelKg: number): number => rounded(Math.max(0, levelKg), 1);

function reserveKgOf({ configuration: { capacityKg, supply } }: ForecastInput): number {
  return supply === null ? 0 : (Math.min(Math.max(supply.reservePercent, 0), 100) / 100) * capacityKg;
}

const levelAgeMaxMs = ({ everyMs }: LevelNow): number =>
  Math.min(Math.max(LEVEL_AGE_MS, LEVEL_AGE_INTERVALS * everyMs), LEVEL_AGE_MS_MAX);

function withoutLevel(input: ForecastInput): Forecast {
  const { nowMs, level, newest, configuration } = input;
  const { capacityKg: capacity_kg } = configuration;
  // Weights arrive, but none of them is possible for this silo.
  if (
    newest !== null &&
    nowMs - newest.atMs <= LEVEL_AGE_MS &&
    !(newest.kg >= 0 && newest.kg <= capacity_kg)
  ) {
    const level_kg = rounded(newest.kg, 1);
    return undated(input, 'unpredictable', sentence('capacity_not_plausible', { capacity_kg, level_kg }));
  }
  const hours = level === null ? null : Math.floor((nowMs - level.atMs) / HOUR_MS);
  return undated(input, 'stale', sentence('stale', { last: toIsoOrNull(level?.atMs ?? null), hours }));
}

/** Why the configuration of the silo cannot be true; `null` if it can. */
function implausibleReason(
  { configuration, history }: ForecastInput,
  level: LevelNow,
  today: number,
): ForecastReason | null {
  const { animals, capacityKg } = configuration;
  const levelKg = shownKg(level.kg);
  if (
    !(capacityKg > 0) ||
    !Number.isFinite(capacityKg) ||
    levelKg > LEVEL_CAPACITIES_MAX * capacityKg ||
    (levelKg < HIDDEN_RISES.belowCapacityShare * capacityKg && hasHiddenRises(history, level.deviationKg))
  )
    return sentence('capacity_not_plausible', { capacity_kg: capacityKg, level_kg: levelKg });
  const what = animals === null ? null : implausibleOf(animals, today, capacityKg);
  return what === null ? null : sentence('animals_not_plausible', { what });
}

/** Whether the weight stays the same although it should have fallen. */
function isStuck({ input, level, past, ahead, isEmpty }: PredictableSilo): boolean {
  const { unchangedSinceMs, atMs } = level;
  return (
    !isEmpty &&
    atMs - unchangedSinceMs > LEVEL_AGE_MS &&
    usualKg(input, ahead, past, [unchangedSinceMs, atMs]) >
      STUCK_USE_OF_CAPACITY * input.configuration.capacityKg
  );
}

function datedForecast(silo: PredictableSilo): Forecast {
  const { input, level, history, past, ahead, today, isEmpty } = silo;
  const { nowMs, configuration } = input;
  const { capacityKg, supply } = configuration;
  // Today's use since the reading is a part of `ahead`, so only the use before today is subtracted from the level.
  const todayMs = startOfDay(input.calendar, today);
  const usedSinceKg = level.atMs < todayMs ? usualKg(input, ahead, past, [level.atMs, todayMs]) : 0;
  const leftKg = Math.max(0, shownKg(level.kg) - usedSinceKg);
  const spread = {
    width: history.range.width,
    addedKg: addedKgOf(weekKg(ahead), capacityKg),
    deviationKg: Math.max(level.deviationKg, LEVEL_DEVIATION_OF_CAPACITY * capacityKg),
  };
  const spreadFor = (quantile: number): Spread => ({ ...spread, quantile });
  const usedUpAt = (kg: number, index: number): number | null =>
    timeWhenUsed(input, ahead, kg, spreadFor(QUANTILES[index] ?? 0));
  const [p10Ms = null, , p50Ms = null, , p90Ms = null] = QUANTILES.map((_, index) => usedUpAt(leftKg, index));
  const empty: EmptyTimes | null = p10Ms === null ? null : { p10Ms, p50Ms, p90Ms };
  const wideRatio = wideRatioOf(p10Ms, p90Ms, nowMs);
  const usedAt = (timeMs: number): number[] => usedUntil(input, ahead, spreadFor, timeMs);
  const levelsAt = (timeMs: number): PathPoint =>
    pointOf(
      timeMs,
      usedAt(timeMs).map((kg) => Math.max(0, leftKg - kg)),
    );
  const order =
    supply === null
      ? null
      : planOrder({
          nowMs,
          calendar: input.calendar,
          capacityKg,
          supply,
          reserveAt: (addedKg) =>
            timeWhenUsed(input, ahead, Math.max(0, leftKg - reserveKgOf(input)) + addedKg, spreadFor(1)),
          highLevelAt: (timeMs) => levelsAt(timeMs).p90,
          neededKg: neededUntilEnd(input, ahead, spreadFor(1)) - leftKg,
        });
  const reasons = [
    ...(order !== null && order.orderByMs < nowMs && !isEmpty
      ? [sentence('order_overdue', { hours: Math.ceil((nowMs - order.orderByMs) / HOUR_MS) })]
      : []),
    ...(empty === null ? [sentence('lasts_longer', { days: EMPTY_WITHIN_DAYS })] : []),
    ...(wideRatio === null ? [] : [sentence('wide_range', { ratio: wideRatio })]),
    ...useReasons(input, past, today),
  ];
  const ordered = { orderByMs: order?.orderByMs ?? null, suggestion: order?.suggestion ?? null };
  if (isEmpty) return { ...undated(input, 'empty', ...reasons), ...ordered };
  return {
    ...undated(input, wideRatio === null ? 'ok' : 'unpredictable', ...reasons),
    ...ordered,
    use: { kgPerDay: rounded(recentKgPerDay(past), 1), changePercent: changePercent(past.values) },
    empty: wideRatio === null || empty === null ? empty : { ...empty, p50Ms: null, p90Ms: null },
    path: pathTimes(input, today).map(levelsAt),
    withDeliveries:
      supply === null
        ? null
        : withDeliveries({
            nowMs,
            capacityKg,
            leftKg,
            planned: deliveriesAhead(supply, nowMs),
            usedAt,
            usedUpAt,
            pathTimes: pathTimes(input, today),
            allTimes: pathTimes({ ...input, horizonDays: EMPTY_WITHIN_DAYS }, today),
            isWide: wideRatio !== null,
          }),
  };
}

/** How many times as far away as its early end the late end of a range is that is too wide for an answer; `null` for other ranges. */
function wideRatioOf(p10Ms: number | null, p90Ms: number | null, nowMs: number): number | null {
  if (p10Ms === null) return null;
  const earlyMs = Math.max(p10Ms - nowMs, HOUR_MS);
  const lateMs = p90Ms ?? Number.POSITIVE_INFINITY;
  const isWide =
    lateMs - p10Ms > WIDE_MS &&
    (lateMs - nowMs) / earlyMs > WIDE_RATIO &&
    p10Ms - nowMs < (EMPTY_WITHIN_DAYS / WIDE_RATIO) * DAY_MS;
  return isWide ? rounded(((p90Ms ?? nowMs + EMPTY_WITHIN_DAYS * DAY_MS) - nowMs) / earlyMs, 1) : null;
}

/** Whether the weight rose repeatedly, each time by too little to count as a refill with this capacity. */
function hasHiddenRises(history: History | null, deviationKg: number): boolean {
  const days = (history?.kg ?? []).slice(-HIDDEN_RISES.withinDays).filter((kg) => kg !== null);
  const used = days.filter((kg) => kg > 0);
  const usual = used.reduce((sum, kg) => sum + kg, 0) / Math.max(used.length, 1);
  const limitKg = Math.max(usual, HIDDEN_RISES.deviations * deviationKg, 1);
  return days.filter((kg) => kg < -limitKg).length >= HIDDEN_RISES.days;
}

const originDayOf = ({ firstDay, kg }: History): number => firstDay + kg.length;

function scoreOf({ history }: ForecastInput): Forecast['score'] {
  if (history === null || history.range.scored === 0) return null;
  const { scored, meanErrorH, inside } = history.range;
  const insidePercent = Math.round((100 * inside) / scored);
  return { horizonDays: 3, forecasts: scored, meanErrorH: rounded(meanErrorH, 1), insidePercent };
}

/** The number of days without use at the end. */
function idleDaysOf(values: readonly number[], capacityKg: number): number {
  const used = values.findLastIndex((kg) => kg > IDLE_OF_CAPACITY * capacityKg);
  return values.slice(used + 1).filter((kg) => !Number.isNaN(kg)).length;
}

/** Whether a weekday, a cycle or the animals show that the use begins again soon. */
function isUsedSoon({ daily }: Ahead, values: readonly number[]): boolean {
  const busy = values.slice(-IDLE_DAYS - 7).filter((kg) => kg > 0);
  const usual = busy.length === 0 ? 0 : busy.reduce((sum, kg) => sum + kg, 0) / busy.length;
  const soon = (daily[0] ?? 0) + (daily[1] ?? 0) + (daily[2] ?? 0);
  return soon > RESUMED_OF_USUAL * RESUMED_WITHIN_DAYS * usual;
}

/** Whether the animals, or the cycles of the past, show that the silo will be used again. */
const isUsedLater = (ahead: Ahead, capacityKg: number): boolean =>
  weekKg(ahead) > 7 * IDLE_OF_CAPACITY * USED_LATER_TIMES * capacityKg;

/** The times of the path: now, and every six hours of the local clock. */
function pathTimes({ calendar, nowMs, horizonDays }: ForecastInput, today: number): number[] {
  if (!(horizonDays > 0)) return [];
  const untilMs = nowMs + Math.min(horizonDays, EMPTY_WITHIN_DAYS) * DAY_MS;
  const times = [nowMs];
  for (let day = today; startOfDay(calendar, day) <= untilMs; day += 1) {
    for (let hour = 0; hour < HOURS_PER_DAY; hour += PATH_STEP_HOURS) {
      const timeMs = timeOfHour(calendar, day, hour);
      if (timeMs > nowMs && timeMs <= untilMs) times.push(timeMs);
    }
  }
  return times;
}
