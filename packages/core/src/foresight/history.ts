import { animalsKey } from './animals.ts';
import { hourShares } from './hour-shares.ts';
import { HOURS_PER_DAY } from './local-calendar.ts';
import { CYCLE_DAYS, CYCLE_IDLE_DAYS, CYCLE_IDLE_PART, METHODS, type Past, sinceIdle } from './methods.ts';
import { addedKgOf, HORIZON_DAYS, type Outcome, rangeOf } from './range.ts';
import { medianOf, quantileOf, rounded } from './robust.ts';
import { DAY_FLAGS, type History, type Origin, type SiloConfiguration, type UseDay } from './types.ts';

/** The latest origins, whose outcomes make the range; the origins before them only weigh the methods by their errors. */
const RANGE_ORIGINS = 35;
const WEIGHT_ORIGINS = 18;
const METHOD_DAYS = [1, 3, 7] as const;
const METHOD_DAYS_MAX = 7;
const ORIGINS = RANGE_ORIGINS + WEIGHT_ORIGINS + METHOD_DAYS_MAX;
/** If a day changes more than this many days later, all origins are computed again. */
const LATE_DAYS = 7;
/** With this many days a forecast is the same to the last digit, in whatever order the history became known. */
export const HISTORY_DAYS = ORIGINS + CYCLE_DAYS;
const PROFILE_DAYS = 28;

/** The weight of a method is divided by this power of its error. */
const WEIGHT_POWER = 6;
/** The assumed error of a method counts as much as this many errors of its own. */
const ASSUMED_COUNT = 3;
/** The factor by which the weight of an error shrinks each day. */
const KEPT_PER_DAY = 0.9;
const KNOWN_DAYS_MIN = 3;
/** Amounts of use below this share of the capacity are noise. */
const LEAST_PART = 0.004;
/** An operation that takes out more than this share of the capacity in a day empties the silo and does not count as use. */
const REMOVAL_PART = 0.4;
const RISEN_PART = 0.02;
/** The use of a day with a gap and with less than this share of the usual use is not known. */
const HIDDEN_PART = 0.6;
/** If the use falls below this share of the use before, it has ended. */
const ENDED_PART = 0.2;
/** The number of days after which a silo that stays empty counts as not used. */
const EMPTY_DAYS = 2;
/** The assumed profile of a silo without history counts as much as this many days. */
const PROFILE_ASSUMED_DAYS = 1;

/**
 * Enters closed days, which are new or were computed again. If there is no history, pass the stored days of the last
 * `HISTORY_DAYS`. A changed configuration is noticed. Open days are left out.
 */
export function updateHistory(
  history: History | null,
  days: readonly UseDay[],
  configuration: SiloConfiguration,
): History | null {
  const closed = days.filter(({ flags }) => (flags & DAY_FLAGS.open) === 0);
  // Usually nothing has changed, because a day is closed once.
  if (history !== null && isEntered(history, closed, configuration)) return history;
  const endDay = Math.max(
    history === null ? Number.NEGATIVE_INFINITY : history.firstDay + history.kg.length,
    ...closed.map(({ day }) => day + 1),
  );
  if (endDay === Number.NEGATIVE_INFINITY) return null;
  const firstDay = Math.max(
    endDay - HISTORY_DAYS,
    Math.min(history?.firstDay ?? endDay, ...closed.map(({ day }) => day)),
  );
  const kg: (number | null)[] = [];
  const flags: number[] = [];
  const hours: (string | null)[] = [];
  for (let day = firstDay; day < endDay; day += 1) {
    kg.push(history?.kg[day - history.firstDay] ?? null);
    flags.push(history?.flags[day - history.firstDay] ?? 0);
  }
  const hoursFrom = endDay - PROFILE_DAYS;
  const oldHoursFrom = history === null ? 0 : history.firstDay + history.kg.length - PROFILE_DAYS;
  for (let day = hoursFrom; day < endDay; day += 1)
    hours.push(day < oldHoursFrom ? null : (history?.hours[day - oldHoursFrom] ?? null));
  const configurationKey = keyOf(configuration);
  let changedDay = history?.configurationKey === configurationKey ? endDay : Number.NEGATIVE_INFINITY;
  for (const one of closed) {
    const at = one.day - firstDay;
    if (at < 0) continue;
    const use = useOf(one, configuration);
    if (kg[at] !== use || flags[at] !== one.flags) changedDay = Math.min(changedDay, one.day);
    kg[at] = use;
    flags[at] = one.flags;
    if (one.day >= hoursFrom) hours[one.day - hoursFrom] = one.hours;
  }
  const given = { configurationKey, firstDay, kg, flags, hours };
  // Of older origins too little is stored to continue from them.
  const isOld = changedDay < (history === null ? 0 : history.firstDay + history.kg.length) - LATE_DAYS;
  const kept = (isOld ? [] : (history?.origins ?? [])).filter(
    ({ day }) => day <= changedDay && day > endDay - ORIGINS,
  );
  if (history !== null && kept.at(-1)?.day === endDay && changedDay >= endDay) {
    return { configurationKey, firstDay, kg, flags, hours, origins: kept, range: history.range };
  }
  const origins = [...kept];
  for (let day = (kept.at(-1)?.day ?? endDay - ORIGINS) + 1; day <= endDay; day += 1)
    origins.push(originAt(given, origins, day, configuration));
  const idle = idleDays(given);
  const outcomes = origins
    .filter(({ day }) => day > endDay - RANGE_ORIGINS)
    .map((origin) => outcomeOf(given, idle, origin, configuration));
  const range = rangeOf(outcomes);
  return {
    configurationKey,
    firstDay,
    kg,
    flags,
    hours,
    origins: origins.map((origin) => trimmed(origin, endDay)),
    range: {
      width: rounded(range.width, 4),
      scored: range.scored,
      meanErrorH: rounded(range.meanErrorH, 2),
      inside: range.inside,
    },
  };
}

function isEntered(history: History, closed: readonly UseDay[], configuration: SiloConfiguration): boolean {
  const { configurationKey, firstDay, kg, flags, hours } = history;
  if (configurationKey !== keyOf(configuration)) return false;
  return closed.every((one) => {
    const at = one.day - firstDay;
    const hourAt = at - kg.length + PROFILE_DAYS;
    return (
      at >= 0 &&
      kg[at] === useOf(one, configuration) &&
      flags[at] === one.flags &&
      (hourAt < 0 || hours[hourAt] === one.hours)
    );
  });
}

/** The origin without the parts that no later origin needs. */
const trimmed = ({ day, methods, kg }: Origin, endDay: number): Origin => ({
  day,
  methods: day > endDay - WEIGHT_ORIGINS - METHOD_DAYS_MAX - LATE_DAYS ? methods : [],
  kg: day > endDay - RANGE_ORIGINS ? kg : [],
});

const keyOf = ({ capacityKg, animals, withdrawals }: SiloConfiguration): string =>
  `${capacityKg};${withdrawals};${animalsKey(animals)}`;

/** `null` if the weight rose on this day although nobody filled the silo, for example because a refill was denied. */
function useOf({ kg, dischargedKg }: UseDay, { capacityKg, withdrawals }: SiloConfiguration): number | null {
  if (kg < -RISEN_PART * capacityKg) return null;
  const isRemoval = withdrawals === 'any' && dischargedKg > REMOVAL_PART * capacityKg;
  return isRemoval ? rounded(kg - dischargedKg, 1) : kg;
}

type Days = Pick<History, 'firstDay' | 'kg' | 'flags'>;

/** The use of the days before an origin; `NaN` for a day whose use is not known or does not show the demand. */
export function pastOf({ firstDay, kg, flags }: Days, originDay: number, animals: Past['animals']): Past {
  const values: number[] = [];
  let emptyDays = 0;
  for (let day = originDay - CYCLE_DAYS; day < originDay; day += 1) {
    if (day < firstDay) {
      // An array access with a negative index would be as slow as a look-up of a property by name.
      values.push(Number.NaN);
      continue;
    }
    const use = kg[day - firstDay];
    const flag = flags[day - firstDay] ?? 0;
    emptyDays = (flag & DAY_FLAGS.empty) === 0 ? 0 : emptyDays + 1;
    const isCut = emptyDays > 0 && emptyDays <= EMPTY_DAYS;
    values.push(typeof use !== 'number' || isCut ? Number.NaN : Math.max(0, use));
  }
  const known = Math.max(0, firstDay - originDay + CYCLE_DAYS);
  const flagAt = (at: number): number => flags[originDay - CYCLE_DAYS + at - firstDay] ?? 0;
  for (let at = known; at < values.length; at += 1) {
    if ((flagAt(at) & DAY_FLAGS.gap) !== 0) dropHidden(values, at);
  }
  for (let at = Math.max(known, values.length - 12); at < values.length - 1; at += 1) {
    if ((flagAt(at) & DAY_FLAGS.still) !== 0) spreadStill(values, at);
  }
  return { originDay, values, recent: sinceIdle(values), animals };
}

/** Little use in a gap of the weights may hide a refill that was not seen. */
function dropHidden(values: number[], at: number): void {
  const before = values.slice(Math.max(0, at - 7), at).filter((kg) => !Number.isNaN(kg));
  if ((values[at] ?? 0) < HIDDEN_PART * medianOf(before)) values[at] = Number.NaN;
}

/** A day without use before a day with double use means that the sensor was stuck, so each day gets half of the sum. */
function spreadStill(values: number[], at: number): void {
  const usual = (values[at - 1] ?? Number.NaN) + (values[at - 2] ?? Number.NaN);
  const [use, next] = [values[at] ?? Number.NaN, values[at + 1] ?? Number.NaN];
  if (!(use < 0.1 * usual && next > 0.8 * usual)) return;
  values[at] = (use + next) / 2;
  values[at + 1] = (use + next) / 2;
}

/** The use of the days `[day, day + count)`; `NaN` unless all of them are known, without a gap, and the silo was never empty. */
function actualKg({ firstDay, kg, flags }: Days, day: number, count: number): number {
  if (day < firstDay) return Number.NaN;
  let sum = 0;
  for (let at = day - firstDay; at < day - firstDay + count; at += 1) {
    const use = kg[at];
    if (typeof use !== 'number' || ((flags[at] ?? 0) & (DAY_FLAGS.gap | DAY_FLAGS.empty)) !== 0)
      return Number.NaN;
    sum += use;
  }
  return Math.max(0, sum);
}

const ORIGIN_DAYS_AHEAD = HORIZON_DAYS.at(-1) ?? 14;
const scratch = METHODS.map(() => new Float64Array(ORIGIN_DAYS_AHEAD));
const combined = new Float64Array(ORIGIN_DAYS_AHEAD);

function originAt(
  days: Days,
  before: readonly Origin[],
  day: number,
  configuration: SiloConfiguration,
): Origin {
  const past = pastOf(days, day, configuration.animals);
  if (knownDays(past) < KNOWN_DAYS_MIN) return { day, methods: [], kg: [] };
  const methods = METHODS.map(({ predict }, index) => {
    const out = scratch[index] ?? combined;
    return predict(past, out) ? METHOD_DAYS.map((count) => sumKg(out, count)) : null;
  });
  const weights = weightsAt(days, before, past, methods, configuration);
  blend(weights, scratch, combined);
  endUse(past, combined);
  return { day, methods, kg: HORIZON_DAYS.map((count) => sumKg(combined, count)) };
}

export const knownDays = ({ values }: Past): number => values.filter((value) => !Number.isNaN(value)).length;

function sumKg(daily: Float64Array, count: number): number {
  let sum = 0;
  for (let ahead = 0; ahead < count; ahead += 1) sum += daily[ahead] ?? 0;
  return Number(sum.toPrecision(5));
}

function blend(weights: readonly number[], parts: readonly Float64Array[], out: Float64Array): void {
  out.fill(0);
  for (const [index, weight] of weights.entries()) {
    if (weight === 0) continue;
    const part = parts[index];
    for (let ahead = 0; ahead < out.length; ahead += 1)
      out[ahead] = (out[ahead] ?? 0) + weight * (part?.[ahead] ?? 0);
  }
}

/** The weights by the errors of the earlier origins; a new method has an assumed error, and a method without an answer gets the weight 0. */
function weightsAt(
  days: Days,
  before: readonly Origin[],
  past: Past,
  methods: Origin['methods'],
  { capacityKg }: SiloConfiguration,
): number[] {
  const day = past.originDay;
  const idle = idleDays({ firstDay: day - past.values.length, kg: past.values });
  // A method that was right while nothing was used proves nothing about a silo in use.
  const isBusy = !idle.has(day - 1);
  const usual = typicalKg(methods);
  const least = Math.max(0.01 * usual, LEAST_PART * 0.25 * capacityKg);
  const errors = METHODS.map(({ assumedError }) => ({
    sum: ASSUMED_COUNT * assumedError * usual,
    count: ASSUMED_COUNT,
  }));
  for (const origin of before.slice(-WEIGHT_ORIGINS - METHOD_DAYS_MAX)) {
    for (const [horizon, count] of METHOD_DAYS.entries()) {
      if (origin.day + count > day) continue;
      const actual = actualKg(days, origin.day, count);
      if (Number.isNaN(actual) || (isBusy && touches(idle, origin.day, count))) continue;
      const part = KEPT_PER_DAY ** (day - origin.day - count) * (METHOD_WEIGHTS[horizon] ?? 0);
      for (const [index, predicted] of origin.methods.entries()) {
        const error = errors[index];
        if (predicted === null || error === undefined) continue;
        error.sum += (part * Math.abs((predicted[horizon] ?? 0) - actual)) / count;
        error.count += part;
      }
    }
  }
  const raw = errors.map(({ sum, count }, index) =>
    (methods[index] ?? null) === null ? 0 : 1 / (sum / count + least) ** WEIGHT_POWER,
  );
  const total = raw.reduce((sum, one) => sum + one, 0);
  return raw.map((one) => (total > 0 ? one / total : 0));
}

/** The weights of the errors over 1, 3 and 7 days. */
const METHOD_WEIGHTS = [0.3, 0.5, 0.2];

/** The use of a usual day, as the mean of the methods. */
function typicalKg(methods: Origin['methods']): number {
  let sum = 0;
  let count = 0;
  for (const one of methods) {
    if (one === null) continue;
    sum += (one[1] ?? 0) / 3;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

/** Predicts the use of each day after the last known one; `false` if no prediction is possible. */
export function predictDays(history: History, configuration: SiloConfiguration, out: Float64Array): boolean {
  const origin = history.origins.at(-1);
  if (origin === undefined || origin.methods.length === 0) return false;
  const past = pastOf(history, origin.day, configuration.animals);
  const parts = METHODS.map(({ predict }) => {
    const part = new Float64Array(out.length);
    predict(past, part);
    return part;
  });
  const weights = weightsAt(history, history.origins.slice(0, -1), past, origin.methods, configuration);
  blend(weights, parts, out);
  endUse(past, out);
  return true;
}

/** The use ends on the day on which the animals leave, whatever the methods predict, unless the use continued after that day. */
function endUse({ originDay, values, animals }: Past, out: Float64Array): void {
  const endsOnDay = animals?.endsOnDay ?? null;
  if (endsOnDay === null || (animals?.startedOnDay ?? 0) > originDay) return;
  const since = originDay - endsOnDay;
  if (since > 1) {
    const busy = medianOf(values.slice(-since - 5, -since).filter((kg) => !Number.isNaN(kg)));
    const after = medianOf(values.slice(-since + 1).filter((kg) => !Number.isNaN(kg)));
    if (!(after < ENDED_PART * busy)) return;
  }
  for (let ahead = Math.max(0, -since); ahead < out.length; ahead += 1) out[ahead] = 0;
}

/** The range applies to a silo in use, so outcomes with days on which the use ended or began again are not counted. */
function outcomeOf(
  days: Days,
  idle: ReadonlySet<number>,
  origin: Origin,
  { capacityKg }: SiloConfiguration,
): Outcome {
  return {
    predictedKg: origin.kg,
    actualKg: HORIZON_DAYS.map((count) =>
      touches(idle, origin.day - 1, count + 1) ? Number.NaN : actualKg(days, origin.day, count),
    ),
    addedKg: addedKgOf(origin.kg[HORIZON_DAYS.indexOf(7)] ?? 0, capacityKg),
  };
}

function touches(idle: ReadonlySet<number>, fromDay: number, count: number): boolean {
  for (let day = fromDay; day < fromDay + count; day += 1) if (idle.has(day)) return true;
  return false;
}

/** The days in runs of at least three days with nearly no use. */
function idleDays({ firstDay, kg }: Pick<Days, 'firstDay' | 'kg'>): Set<number> {
  const recent = kg.slice(-RANGE_ORIGINS - 14);
  const known = recent
    .filter((one): one is number => one !== null && !Number.isNaN(one))
    .sort((a, b) => a - b);
  const limit = CYCLE_IDLE_PART * Math.max(0, quantileOf(known, 0.9));
  const idle = new Set<number>();
  const offset = firstDay + kg.length - recent.length;
  let since = 0;
  for (let at = 0; at <= recent.length; at += 1) {
    const use = recent[at];
    if (typeof use === 'number' && use < limit) continue;
    if (at - since >= CYCLE_IDLE_DAYS) for (let day = since; day < at; day += 1) idle.add(offset + day);
    since = at + 1;
  }
  return idle;
}

/** The mean use of the last seven known days; 0 if no day is known. */
export function recentKgPerDay({ values }: Pick<Past, 'values'>): number {
  const known = values.filter((kg) => !Number.isNaN(kg)).slice(-7);
  return known.length === 0 ? 0 : known.reduce((sum, kg) => sum + kg, 0) / known.length;
}

/** The share of the use in each local hour: 24 numbers with the sum 1. */
export function hourProfile({ hours }: Pick<History, 'hours'>): number[] {
  const sums = new Array<number>(HOURS_PER_DAY).fill(PROFILE_ASSUMED_DAYS / HOURS_PER_DAY);
  for (const text of hours) {
    if (text === null) continue;
    const shares = hourShares(text);
    for (let hour = 0; hour < HOURS_PER_DAY; hour += 1) sums[hour] = (sums[hour] ?? 0) + (shares[hour] ?? 0);
  }
  const shares = sums.map((sum) => Math.max(sum, 0));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => (total > 0 ? share / total : 1 / HOURS_PER_DAY));
}
