import { sentence } from '@granary/contract/sentences/codes';
import type { ForecastReason } from '@granary/contract/sentences/foresight';
import { DAY_MS, HOUR_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import { expectedKg, implausibleOf, isHoused } from './animals.ts';
import { hourProfile, knownDays, pastOf, predictDays, recentKgPerDay } from './history.ts';
import { EMPTY_PART } from './ledger.ts';
import { dayAt, HOURS_PER_DAY, hourOfDay, startOfDay, timeOfHour } from './local-calendar.ts';
import { type Past, useOfCurve, weekdayFactors } from './methods.ts';
import { deliveriesAhead, planOrder } from './order-by.ts';
import { addedKgOf, usualWidthAt } from './range.ts';
import { rounded } from './robust.ts';
import type { EmptyTimes, Forecast, ForecastInput, ForecastStatus, History, PathPoint } from './types.ts';
import { pointOf, withDeliveries } from './with-deliveries.ts';

/** A silo that lasts longer gets no date. The calendar of `ForecastInput` reaches from 15 days ago to this many days ahead. */
export const EMPTY_WITHIN_DAYS = 30;
/** There is no prediction if the last reading is older than this, if fewer days are known, or after this many days without use. */
const STALE_MS = 6 * HOUR_MS;
/** For a device that reports seldom, a reading may be this many of its reporting intervals old. */
const STALE_TIMES = 1.5;
const STALE_MS_MAX = 36 * HOUR_MS;
const KNOWN_DAYS_MIN = 3;
const IDLE_DAYS = 14;
/** After this many days without use a silo is not in use, unless something shows that the use begins again soon. */
const IDLE_DAYS_SURE = 3;
const RESUMED_PART = 0.3;
/** A day that uses less than this share of the capacity counts as a day without use. */
const IDLE_PART = 0.002;
/** A range is too wide for an answer if its late end is this many times as far away as its early end, and this much later. */
const RATIO_MAX = 4;
const WIDE_MS = 3 * DAY_MS;
const LEVEL_PARTS_MAX = 1.3;
/** If the configured capacity is much too large, real refills are too small to be detected: this many rises in this many days show it. */
const LOW_PART = 0.05;
const HIDDEN_DAYS = 28;
const HIDDEN_COUNT = 2;
const HIDDEN_DEVIATIONS = 30;
/** The level is known at best to this share of the capacity, because the sun heats load cells. */
const LEVEL_DEVIATION_PART = 0.006;
const PATH_STEP_HOURS = 6;
/** 80 % of a normal distribution lie within this many standard deviations, and 50 % within this share of them. */
const DEVIATIONS = 1.2816;
const HALF = 0.5263;
/** If the weight stays the same although this share of the capacity should have been used, the sensor is stuck. */
const STUCK_PART = 0.02;
const CHANGE_DAYS = 7;
/** If the use differs from the curve by more than these factors, the curve does not fit the animals. */
const CURVE_RATIO = [0.6, 1.45] as const;

/** A greater ratio is shown as this one, because it says nothing more. */
const CURVE_RATIO_SAID_MAX = 100;

/** The quantiles as factors of the width of the range, from high use to low use: high use gives the early end of the range. */
const QUANTILES = [1, HALF, 0, -HALF, -1] as const;

export function forecastOf(input: ForecastInput): Forecast {
  const { nowMs, configuration, history, level } = input;
  const { capacityKg, supply } = configuration;
  const today = dayAt(input.calendar, nowMs);
  const levelKg = level === null ? null : rounded(Math.max(0, level.kg), 1);
  const reserveKg =
    supply === null ? 0 : (Math.min(Math.max(supply.reservePercent, 0), 100) / 100) * capacityKg;
  const said = (status: ForecastStatus, reasons: readonly ForecastReason[]): Forecast => ({
    status,
    madeAtMs: nowMs,
    timeZone: input.calendar.timeZone,
    levelKg,
    usableKg: levelKg === null ? null : rounded(Math.max(0, levelKg - reserveKg), 1),
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
  });

  const staleMs = Math.min(Math.max(STALE_MS, STALE_TIMES * (level?.everyMs ?? 0)), STALE_MS_MAX);
  if (level === null || levelKg === null || nowMs - level.atMs > staleMs) {
    const { newest } = input;
    // Weights arrive, but none of them is possible for this silo.
    if (newest !== null && nowMs - newest.atMs <= STALE_MS && !(newest.kg >= 0 && newest.kg <= capacityKg))
      return said('unpredictable', [
        sentence('capacity_not_plausible', { capacity_kg: capacityKg, level_kg: rounded(newest.kg, 1) }),
      ]);
    const hours = level === null ? null : Math.floor((nowMs - level.atMs) / HOUR_MS);
    return said('stale', [sentence('stale', { last: toIsoOrNull(level?.atMs ?? null), hours })]);
  }
  if (
    !(capacityKg > 0) ||
    !Number.isFinite(capacityKg) ||
    levelKg > LEVEL_PARTS_MAX * capacityKg ||
    (levelKg < LOW_PART * capacityKg && hasHiddenRises(history, level.deviationKg))
  )
    return said('unpredictable', [
      sentence('capacity_not_plausible', { capacity_kg: capacityKg, level_kg: levelKg }),
    ]);
  const what =
    configuration.animals === null ? null : implausibleOf(configuration.animals, today, capacityKg);
  if (what !== null) return said('unpredictable', [sentence('animals_not_plausible', { what })]);
  const isEmpty = levelKg <= EMPTY_PART * capacityKg;
  const daily = new Float64Array(EMPTY_WITHIN_DAYS + IDLE_DAYS);
  const past = history === null ? null : pastOf(history, originDayOf(input), configuration.animals);
  const days = past === null ? 0 : knownDays(past);
  if (
    history === null ||
    past === null ||
    days < KNOWN_DAYS_MIN ||
    !predictDays(history, configuration, daily)
  )
    return isEmpty
      ? said('empty', [])
      : said('learning', [sentence('learning', { days, needed: KNOWN_DAYS_MIN })]);

  const ahead = useAhead(input, today, daily);
  const idle = idleDaysOf(past.values, capacityKg);
  const isIdle = idle >= IDLE_DAYS || (idle >= IDLE_DAYS_SURE && !isUsedSoon(ahead, past.values));
  if (isIdle && !isUsedLater(ahead, capacityKg))
    return said(isEmpty ? 'empty' : 'not_in_use', [sentence('idle', { days: idle })]);

  const unchangedMs = level.atMs - level.unchangedSinceMs;
  const isStuck =
    !isEmpty &&
    unchangedMs > STALE_MS &&
    usualKg(input, ahead, past, [level.unchangedSinceMs, level.atMs]) > STUCK_PART * capacityKg;
  if (isStuck) return said('stale', [sentence('weight_unchanged', { since: toIso(level.unchangedSinceMs) })]);

  // Today's use since the reading is a part of `ahead`, so only the use before today is subtracted from the level.
  const todayMs = startOfDay(input.calendar, today);
  const usedSinceKg = level.atMs < todayMs ? usualKg(input, ahead, past, [level.atMs, todayMs]) : 0;
  const leftKg = Math.max(0, levelKg - usedSinceKg);
  const deviationKg = Math.max(level.deviationKg, LEVEL_DEVIATION_PART * capacityKg);
  const addedKg = addedKgOf(weekKg(ahead), capacityKg);
  const widthFor = (quantile: number): Width => ({
    quantile,
    width: history.range.width,
    addedKg,
    deviationKg,
  });
  const times = QUANTILES.map((quantile) => timeWhenUsed(input, ahead, leftKg, widthFor(quantile)));
  const [p10Ms = null, , p50Ms = null, , p90Ms = null] = times;
  const reasons: ForecastReason[] = useReasons(input, past, today);
  const isWide =
    p10Ms !== null &&
    (p90Ms ?? Number.POSITIVE_INFINITY) - p10Ms > WIDE_MS &&
    ((p90Ms ?? Number.POSITIVE_INFINITY) - nowMs) / Math.max(p10Ms - nowMs, HOUR_MS) > RATIO_MAX &&
    p10Ms - nowMs < (EMPTY_WITHIN_DAYS / RATIO_MAX) * DAY_MS;
  if (isWide) {
    const until = p90Ms ?? nowMs + EMPTY_WITHIN_DAYS * DAY_MS;
    const ratio = rounded((until - nowMs) / Math.max(p10Ms - nowMs, HOUR_MS), 1);
    reasons.unshift(sentence('wide_range', { ratio }));
  }
  if (p10Ms === null) reasons.unshift(sentence('lasts_longer', { days: EMPTY_WITHIN_DAYS }));
  const empty: EmptyTimes | null = p10Ms === null ? null : { p10Ms, p50Ms, p90Ms };

  const usedAt = (timeMs: number): number[] => usedUntil(input, ahead, widthFor, timeMs);
  const levelsAt = (timeMs: number): PathPoint => pathPoint(timeMs, usedAt(timeMs), leftKg);
  const order =
    supply === null
      ? null
      : planOrder({
          nowMs,
          calendar: input.calendar,
          capacityKg,
          supply,
          reserveAt: (addedKg) =>
            timeWhenUsed(input, ahead, Math.max(0, leftKg - reserveKg) + addedKg, widthFor(1)),
          highLevelAt: (timeMs) => levelsAt(timeMs).p90,
          neededKg: neededUntilEnd(input, ahead, widthFor(1)) - leftKg,
        });
  if (order !== null && order.orderByMs < nowMs && !isEmpty)
    reasons.unshift(sentence('order_overdue', { hours: Math.ceil((nowMs - order.orderByMs) / HOUR_MS) }));
  if (isEmpty)
    return {
      ...said('empty', reasons),
      orderByMs: order?.orderByMs ?? null,
      suggestion: order?.suggestion ?? null,
    };
  const answer = said(isWide ? 'unpredictable' : 'ok', reasons);
  return {
    ...answer,
    use: {
      kgPerDay: rounded(recentKgPerDay(past), 1),
      changePercent: changePercent(past.values),
    },
    empty: isWide && empty !== null ? { p10Ms: empty.p10Ms, p50Ms: null, p90Ms: null } : empty,
    orderByMs: order?.orderByMs ?? null,
    suggestion: order?.suggestion ?? null,
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
            usedUpAt: (kg, index) => timeWhenUsed(input, ahead, kg, widthFor(QUANTILES[index] ?? 0)),
            pathTimes: pathTimes(input, today),
            allTimes: pathTimes({ ...input, horizonDays: EMPTY_WITHIN_DAYS }, today),
            isWide,
          }),
  };
}

/** Whether the weight rose repeatedly, each time by too little to count as a refill with this capacity. */
function hasHiddenRises(history: History | null, deviationKg: number): boolean {
  const days = (history?.kg ?? []).slice(-HIDDEN_DAYS).filter((kg) => kg !== null);
  const used = days.filter((kg) => kg > 0);
  const usual = used.reduce((sum, kg) => sum + kg, 0) / Math.max(used.length, 1);
  const limitKg = Math.max(usual, HIDDEN_DEVIATIONS * deviationKg, 1);
  return days.filter((kg) => kg < -limitKg).length >= HIDDEN_COUNT;
}

const originDayOf = ({ history }: ForecastInput): number =>
  history === null ? 0 : history.firstDay + history.kg.length;

function scoreOf({ history }: ForecastInput): Forecast['score'] {
  if (history === null || history.range.scored === 0) return null;
  const { scored, meanErrorH, inside } = history.range;
  const insidePercent = Math.round((100 * inside) / scored);
  return { horizonDays: 3, forecasts: scored, meanErrorH: rounded(meanErrorH, 1), insidePercent };
}

/** The number of days without use at the end. */
function idleDaysOf(values: readonly number[], capacityKg: number): number {
  const used = values.findLastIndex((kg) => kg > IDLE_PART * capacityKg);
  return values.slice(used + 1).filter((kg) => !Number.isNaN(kg)).length;
}

/** Whether a weekday, a cycle or the animals show that the use begins again soon. */
function isUsedSoon({ daily }: Ahead, values: readonly number[]): boolean {
  const busy = values.slice(-IDLE_DAYS - 7).filter((kg) => kg > 0);
  const usual = busy.length === 0 ? 0 : busy.reduce((sum, kg) => sum + kg, 0) / busy.length;
  return (daily[0] ?? 0) + (daily[1] ?? 0) + (daily[2] ?? 0) > RESUMED_PART * 3 * usual;
}

/** Whether the animals, or the cycles of the past, show that the silo will be used again. */
const isUsedLater = (ahead: Ahead, capacityKg: number): boolean =>
  weekKg(ahead) > 7 * IDLE_PART * 10 * capacityKg;

/** The expected use from now on: the rest of today, and the days after it. */
interface Ahead {
  readonly today: number;
  /** The expected use of each day, from today on. */
  readonly daily: Float64Array;
  /** The share of a day's use before each of its 24 hours, and 1 at the end. */
  readonly usedBefore: readonly number[];
  readonly usedShareNow: number;
}

function useAhead(
  { calendar, history, nowMs, level }: ForecastInput,
  today: number,
  days: Float64Array,
): Ahead {
  const origin = history === null ? today : history.firstDay + history.kg.length;
  // The history may end some days ago, or before yesterday if yesterday is not closed yet.
  const skipped = Math.min(Math.max(today - origin, 0), IDLE_DAYS);
  const daily = days.slice(skipped, skipped + EMPTY_WITHIN_DAYS + 1);
  const usedBefore = [0];
  for (const share of history === null ? [] : hourProfile(history))
    usedBefore.push((usedBefore.at(-1) ?? 0) + share);
  const readingMs = Math.max(level?.atMs ?? nowMs, startOfDay(calendar, today));
  const usedShareNow = shareBefore(usedBefore, hourOfDay(calendar, today, readingMs));
  return { today, daily, usedBefore, usedShareNow };
}

const weekKg = ({ daily }: Ahead): number => daily.slice(0, 7).reduce((sum, kg) => sum + kg, 0);

function shareBefore(usedBefore: readonly number[], hour: number): number {
  const whole = Math.min(Math.floor(hour), HOURS_PER_DAY - 1);
  const [from = 0, to = 1] = [usedBefore[whole], usedBefore[whole + 1]];
  return from + (to - from) * (hour - whole);
}

/** The hour of a day until which a share of its use takes place. */
function hourOfShare(usedBefore: readonly number[], share: number): number {
  let hour = 0;
  while (hour < HOURS_PER_DAY - 1 && (usedBefore[hour + 1] ?? 1) < share) hour += 1;
  const [from = 0, to = 1] = [usedBefore[hour], usedBefore[hour + 1]];
  return to > from ? hour + Math.min(Math.max((share - from) / (to - from), 0), 1) : hour;
}

/** The usual use between two times; of the same weekdays of the last two weeks the one with less use counts. */
function usualKg(
  { calendar }: ForecastInput,
  { usedBefore }: Ahead,
  past: Past,
  [fromMs, toMs]: readonly [number, number],
): number {
  const [first, last] = [dayAt(calendar, fromMs), dayAt(calendar, toMs)];
  const usual = recentKgPerDay(past);
  const known = (kg: number | undefined, otherwise: number): number =>
    kg === undefined || Number.isNaN(kg) ? otherwise : kg;
  let sum = 0;
  for (let day = first; day <= last; day += 1) {
    const from = day === first ? shareBefore(usedBefore, hourOfDay(calendar, day, fromMs)) : 0;
    const to = day === last ? shareBefore(usedBefore, hourOfDay(calendar, day, toMs)) : 1;
    const at = past.values.length + day - past.originDay;
    const weekAgo = known(past.values[at - 7], usual);
    sum += Math.max(0, to - from) * Math.min(weekAgo, known(past.values[at - 14], weekAgo));
  }
  return sum;
}

/** The amount that the animals may use until they leave; infinite if that day is not known or is far away. */
function neededUntilEnd(
  { calendar, nowMs, configuration }: ForecastInput,
  { today, daily, usedShareNow }: Ahead,
  width: Width,
): number {
  const endsOnDay = configuration.animals?.endsOnDay ?? null;
  if (endsOnDay === null || endsOnDay <= today || endsOnDay - today > daily.length)
    return Number.POSITIVE_INFINITY;
  const expected = daily.slice(0, endsOnDay - today).reduce((sum, kg) => sum + kg, 0);
  const usedKgToday = (daily[0] ?? 0) * usedShareNow;
  return usedKg(expected - usedKgToday, (startOfDay(calendar, endsOnDay) - nowMs) / DAY_MS, width);
}

interface Width {
  readonly quantile: number;
  readonly width: number;
  readonly addedKg: number;
  readonly deviationKg: number;
}

/** The quantile of the use in the days ahead; its range combines the uncertainty of the use and that of the level. */
function usedKg(
  expectedKg: number,
  daysAhead: number,
  { quantile, width, addedKg, deviationKg }: Width,
): number {
  if (quantile === 0) return expectedKg;
  const log = usualWidthAt(daysAhead) * width;
  const spread = (expectedKg + addedKg) * (quantile > 0 ? Math.exp(log) - 1 : 1 - Math.exp(-log));
  const off = Math.sqrt(spread ** 2 + (DEVIATIONS * deviationKg) ** 2);
  return Math.max(0, expectedKg + quantile * off);
}

/** The time at which an amount is used up; `null` if it is not used up within `EMPTY_WITHIN_DAYS`. */
function timeWhenUsed(
  { calendar, nowMs }: ForecastInput,
  { today, daily, usedBefore, usedShareNow }: Ahead,
  kg: number,
  width: Width,
): number | null {
  if (kg <= 0) return nowMs;
  let expected = 0;
  let usedAtStart = 0;
  for (let index = 0; index < daily.length; index += 1) {
    const fromShare = index === 0 ? usedShareNow : 0;
    expected += (daily[index] ?? 0) * (1 - fromShare);
    const endMs = startOfDay(calendar, today + index + 1);
    const usedAtEnd = Math.max(usedAtStart, usedKg(expected, (endMs - nowMs) / DAY_MS, width));
    if (usedAtEnd >= kg) {
      const part = usedAtEnd > usedAtStart ? (kg - usedAtStart) / (usedAtEnd - usedAtStart) : 0;
      const hour = hourOfShare(usedBefore, fromShare + (1 - fromShare) * part);
      return Math.max(nowMs, Math.round(timeOfHour(calendar, today + index, hour)));
    }
    usedAtStart = usedAtEnd;
  }
  return null;
}

/** The use until a time, for each quantile. */
function usedUntil(
  { calendar, nowMs }: ForecastInput,
  { today, daily, usedBefore, usedShareNow }: Ahead,
  widthFor: (quantile: number) => Width,
  timeMs: number,
): number[] {
  const day = dayAt(calendar, timeMs);
  const share = shareBefore(usedBefore, hourOfDay(calendar, day, timeMs));
  return QUANTILES.map((quantile) => {
    const width = widthFor(quantile);
    let [expected, from] = [0, 0];
    for (let index = 0; index <= day - today; index += 1) {
      const fromShare = index === 0 ? usedShareNow : 0;
      const startsKg = from;
      expected += (daily[Math.min(index, daily.length - 1)] ?? 0) * (1 - fromShare);
      const endMs = startOfDay(calendar, today + index + 1);
      from = Math.max(from, usedKg(expected, (endMs - nowMs) / DAY_MS, width));
      if (index === day - today) {
        const part = fromShare < 1 ? Math.max(0, (share - fromShare) / (1 - fromShare)) : 1;
        from = startsKg + (from - startsKg) * part;
      }
    }
    return from;
  });
}

const pathPoint = (timeMs: number, usedKg: readonly number[], levelKg: number): PathPoint =>
  pointOf(
    timeMs,
    usedKg.map((kg) => Math.max(0, levelKg - kg)),
  );

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

/** The change of the mean use from the week before last to the last week. */
function changePercent(values: readonly number[]): number | null {
  const [now, before] = [values.slice(-CHANGE_DAYS), values.slice(-2 * CHANGE_DAYS, -CHANGE_DAYS)].map(
    (days) => days.filter((kg) => !Number.isNaN(kg)),
  );
  if (now === undefined || before === undefined || now.length < 4 || before.length < 4) return null;
  const mean = (days: readonly number[]): number => days.reduce((sum, kg) => sum + kg, 0) / days.length;
  if (!(mean(before) > 0)) return null;
  return Math.round(Math.min(Math.max((mean(now) / mean(before) - 1) * 100, -100), 999));
}

function useReasons(
  { configuration, refills, nowMs }: ForecastInput,
  past: Past,
  today: number,
): ForecastReason[] {
  const { animals } = configuration;
  const reasons: ForecastReason[] = [
    sentence('uses', {
      kg_per_day: rounded(recentKgPerDay(past), 1),
      change_percent: changePercent(past.values) || null,
    }),
  ];
  if (animals !== null && expectedKg(animals, today) !== null && isHoused(animals, today)) {
    const ratio = useOfCurve(past);
    const percentOfCurve = Math.round(100 * Math.min(ratio ?? 1, CURVE_RATIO_SAID_MAX));
    const [low, high] = CURVE_RATIO;
    if (ratio !== null && (ratio < low || ratio > high))
      reasons.push(sentence('animals_do_not_match', { percent_of_curve: percentOfCurve }));
    else if (ratio !== null) {
      const ageDays = today - animals.startedOnDay + 1;
      reasons.push(
        sentence('animals_curve', {
          kind: animals.kind,
          age_days: ageDays,
          percent_of_curve: percentOfCurve,
        }),
      );
    }
  }
  if (
    animals !== null &&
    animals.endsOnDay !== null &&
    animals.endsOnDay > today &&
    animals.endsOnDay <= today + 21
  )
    reasons.push(sentence('animals_end', { day: toIso(animals.endsOnDay * DAY_MS).slice(0, 10) }));
  const factors = weekdayFactors(past);
  const quiet = (factors ?? []).flatMap((factor, weekday) => (factor < 0.3 ? [weekday] : []));
  if (quiet.length > 0 && quiet.length < 6) reasons.push(sentence('weekdays', { quiet: quiet.join(',') }));
  const count = refills.filter(({ fromMs }) => fromMs > nowMs - IDLE_DAYS * DAY_MS).length;
  if (count > 0) reasons.push(sentence('refills', { count, days: IDLE_DAYS }));
  return reasons;
}
