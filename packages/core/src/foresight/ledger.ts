import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { encodeHours } from './hour-shares.ts';
import { dayAt, HOURS_PER_DAY, type LocalCalendar, startOfDay } from './local-calendar.ts';
import { FELL_BACK_WITHIN_MS, findRises, type Rise, type Weights } from './refills.ts';
import { medianOf, noiseOf, rounded } from './robust.ts';
import {
  DAY_FLAGS,
  type LedgerInput,
  type LedgerResult,
  type LedgerTail,
  type LevelNow,
  type LevelReading,
  type Movement,
  type Refill,
  type UseDay,
} from './types.ts';

/** The readings of this long before the first day that is computed again are needed. */
export const LEDGER_MARGIN_MS = 30 * HOUR_MS;

/** A pass finds only refills that begin at least this long after its first reading; the pass before found the earlier ones. */
const CONTEXT_MS = 2.5 * HOUR_MS;
const REREAD_MS = 5 * HOUR_MS;
const REREAD_COUNT = 10;
/** The level at midnight is the mean of the weights within this time before and after it. */
const BOUNDARY_MS = 2 * HOUR_MS;
/** If the nearest weights are further away than this, the level at midnight is only estimated. */
const ESTIMATED_MS = 4.5 * HOUR_MS;
/** The use of a day is not known if a gap at its start or end is longer than this. */
const GAP_DAYS_MAX = 14;
const LEVEL_MS = 30 * MINUTE_MS;
const LEVEL_COUNT_MIN = 3;
const RISEN_COUNT = 5;
/** A change of the level within half an hour by more than this share of the capacity is checked. */
const JUMP_PART = 0.04;
/** A weight above this many capacities is not a weight. */
const CAPACITY_TIMES_MAX = 2;
const WEIGHT_KG_MAX = 1e9;
/**
 * The amount of an operation is not used if it differs from the change of the weight by more than this share of the capacity
 * and more than this share of the amount.
 */
const AMOUNT_PART = 0.03;
const AMOUNT_SHARE = 0.25;
/** A detected rise belongs to an operation if it overlaps the operation after this time is added at both ends. */
const OPERATION_MARGIN_MS = 45 * MINUTE_MS;
/** A day is still if the weight did not change by a digit in this many consecutive hours. */
const STILL_HOURS = 10;
/** A silo with less than this share of the capacity is empty. */
export const EMPTY_PART = 0.01;
/** How far back an unchanged weight is followed. */
const UNCHANGED_MS_MAX = 29 * HOUR_MS;
const QUIET_FROM_HOUR = 2;
const QUIET_TO_HOUR = 4;

/** The medians of the weights of each hour of UTC, without the refills of the same hour. */
interface Hours {
  readonly fromMs: number;
  readonly kg: (number | null)[];
}

/** Computes the refills, the balance of each local day and the level from weights and operations. */
export function readLedger(input: LedgerInput): LedgerResult {
  const { nowMs, calendar, before } = input;
  const all = orderedWeights(input);
  const acceptFromMs = before === null ? Number.NEGATIVE_INFINITY : before.readFromMs + CONTEXT_MS;
  const movements = input.movements.filter((one) => one.fromMs >= acceptFromMs && one.fromMs <= nowMs);
  const capacityKg = plausibleCapacity(input.capacityKg, all);

  const { rises, spikes, pendingFromMs } = findRises(all, capacityKg);
  const isSpike = (timeMs: number): boolean =>
    spikes.some(({ fromMs, toMs }) => timeMs > fromMs && timeMs < toMs);
  const weights = keep(all, (timeMs) => !isSpike(timeMs));
  const known = before?.refills ?? [];
  const hours = startHours(before, weights);
  const refills = [...known];
  const feeds = movements.filter(({ type }) => type === 'feed');
  const isDenied = (rise: Rise): boolean =>
    input.denials.some(({ fromMs, toMs }) => fromMs <= rise.toMs && toMs >= rise.fromMs);
  const accepted = rises.filter((rise) => rise.fromMs >= acceptFromMs && !isDenied(rise));
  for (const step of inOrder(accepted, feeds)) {
    fillHours(hours, weights, refills, before?.readFromMs ?? 0, step.fromMs);
    refills.push(refillOf(step, weights, usePerMs(hours, refills, step.fromMs), capacityKg));
  }
  fillHours(hours, weights, refills, before?.readFromMs ?? 0, Number.POSITIVE_INFINITY);
  const discharges = [...(before?.discharges ?? []), ...movements.filter(({ type }) => type === 'discharge')];

  const firstDay = Math.max(before === null ? input.firstDay : before.openDay, dayAt(calendar, hours.fromMs));
  const days = closeDays({ calendar, hours, refills, discharges, firstDay, nowMs, capacityKg });
  const found = refills.slice(known.length);
  const active = [
    pendingFromMs ?? nowMs,
    ...found.filter(({ toMs }) => toMs > nowMs - FELL_BACK_WITHIN_MS - LEVEL_MS).map(({ fromMs }) => fromMs),
    ...movements.filter(({ toMs }) => toMs > nowMs - OPERATION_MARGIN_MS).map(({ fromMs }) => fromMs),
  ];
  // The last weights of a device that reports seldom are old, and a rise can only be found with some weights before and after it.
  const neededMs = all.atMs.at(-REREAD_COUNT) ?? all.atMs[0] ?? before?.readFromMs ?? nowMs;
  const readFromMs = floorHour(
    Math.min(nowMs - REREAD_MS, neededMs, Math.min(...active) - CONTEXT_MS - HOUR_MS),
  );
  const refillsFromMs = before === null ? startOfDay(calendar, firstDay) : acceptFromMs;
  return {
    days,
    refills: found.filter(({ fromMs }) => fromMs >= refillsFromMs),
    refillsFromMs,
    level: levelNow(weights, hours, refills, capacityKg),
    tail: tailOf({ calendar, hours, refills, discharges, days, firstDay, readFromMs }),
  };
}

/** The weights ordered by time; of several readings of one time the last one counts, and impossible weights are left out. */
function orderedWeights({ readings, capacityKg, nowMs }: LedgerInput): Weights {
  const bound = Math.min(capacityKg > 0 ? CAPACITY_TIMES_MAX * capacityKg : WEIGHT_KG_MAX, WEIGHT_KG_MAX);
  const usable = readings.filter(({ atMs, kg }) => Math.abs(kg) <= bound && atMs <= nowMs);
  if (usable.some(({ atMs }, index) => atMs <= (usable[index - 1]?.atMs ?? Number.NEGATIVE_INFINITY)))
    usable.sort((a: LevelReading, b: LevelReading) => a.atMs - b.atMs);
  const weights = { atMs: [] as number[], kg: [] as number[] };
  for (const { atMs, kg } of usable) {
    if (weights.atMs.at(-1) === atMs) weights.kg[weights.kg.length - 1] = kg;
    else {
      weights.atMs.push(atMs);
      weights.kg.push(kg);
    }
  }
  return weights;
}

function plausibleCapacity(capacityKg: number, { kg }: Weights): number {
  if (Number.isFinite(capacityKg) && capacityKg > 0) return capacityKg;
  return kg.reduce((max, one) => Math.max(max, one), 1);
}

function keep({ atMs, kg }: Weights, isKept: (timeMs: number) => boolean): Weights {
  return { atMs: atMs.filter(isKept), kg: kg.filter((_, index) => isKept(atMs[index] ?? 0)) };
}

/** Material that came in: a rise of the weight, an operation, or an operation with the rise that it caused. */
interface Inflow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly rise: Rise | null;
  readonly feed: Movement | null;
}

function inOrder(rises: readonly Rise[], feeds: readonly Movement[]): Inflow[] {
  const inflows: Inflow[] = [];
  const left = new Set(rises);
  for (const feed of feeds) {
    const own = rises.find(
      (rise) =>
        left.has(rise) &&
        rise.fromMs <= feed.toMs + OPERATION_MARGIN_MS &&
        rise.toMs >= feed.fromMs - OPERATION_MARGIN_MS,
    );
    if (own !== undefined) left.delete(own);
    const fromMs = Math.min(feed.fromMs, own?.fromMs ?? feed.fromMs);
    inflows.push({ fromMs, toMs: Math.max(feed.toMs, own?.toMs ?? feed.toMs), rise: own ?? null, feed });
  }
  for (const rise of left) inflows.push({ fromMs: rise.fromMs, toMs: rise.toMs, rise, feed: null });
  return inflows.sort((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs);
}

function refillOf(inflow: Inflow, weights: Weights, kgPerMs: number, capacityKg: number): Refill {
  const { fromMs, toMs, rise, feed } = inflow;
  const measured = rise === null ? changeOver(weights, inflow, kgPerMs) : netRise(rise, kgPerMs);
  const measuredKg = measured === null ? null : rounded(measured, 1);
  const isBelieved =
    feed !== null &&
    (measuredKg === null ||
      Math.abs(feed.kg - measuredKg) <= Math.max(AMOUNT_PART * capacityKg, AMOUNT_SHARE * feed.kg));
  const kg = isBelieved ? rounded(feed.kg, 1) : Math.max(measuredKg ?? 0, 0);
  return {
    fromMs,
    toMs,
    kg,
    measuredKg,
    source: feed === null ? 'detected' : 'operation',
    operationId: feed?.id ?? null,
    inGap: rise?.inGap ?? false,
  };
}

const netRise = (rise: Rise, kgPerMs: number): number =>
  rise.afterKg - rise.beforeKg + kgPerMs * rise.measuredOverMs;

/** The change of the weight during an operation that is too small to be detected as a rise. */
function changeOver({ atMs, kg }: Weights, { fromMs, toMs }: Inflow, kgPerMs: number): number | null {
  const within = (from: number, to: number): number[] =>
    kg.filter((_, index) => (atMs[index] ?? 0) >= from && (atMs[index] ?? 0) <= to);
  const before = within(fromMs - LEVEL_MS, fromMs);
  const after = within(toMs + MINUTE_MS, toMs + LEVEL_MS);
  if (before.length === 0 || after.length === 0) return null;
  return medianOf(after) - medianOf(before) + kgPerMs * (toMs - fromMs + LEVEL_MS);
}

/** The mean use per millisecond in the 24 hours before a time, or in the known part of them. */
function usePerMs(hours: Hours, refills: readonly Refill[], timeMs: number): number {
  const last = nearest(hours, indexOf(hours, timeMs) - 1, -1);
  if (last === null) return 0;
  const first = nearest(hours, Math.max(0, last - HOURS_PER_DAY), 1);
  if (first === null || last - first < 6) return 0;
  return Math.max(0, usedBetween(hours, refills, first, last)) / ((last - first) * HOUR_MS);
}

const floorHour = (timeMs: number): number => Math.floor(timeMs / HOUR_MS) * HOUR_MS;
const indexOf = (hours: Hours, timeMs: number): number => Math.floor((timeMs - hours.fromMs) / HOUR_MS);

function startHours(before: LedgerTail | null, weights: Weights): Hours {
  if (before !== null) {
    const count = Math.max(0, (before.readFromMs - before.hoursFromMs) / HOUR_MS);
    return { fromMs: before.hoursFromMs, kg: before.hours.slice(0, count) };
  }
  return { fromMs: floorHour(weights.atMs[0] ?? 0), kg: [] };
}

/** Enters the medians of the hours that begin from `readFromMs` on and end before `untilMs`. */
function fillHours(
  hours: Hours,
  weights: Weights,
  refills: readonly Refill[],
  readFromMs: number,
  untilMs: number,
): void {
  const { atMs, kg } = weights;
  const nextMs = hours.fromMs + hours.kg.length * HOUR_MS;
  let index = firstAtOrAfter(atMs, Math.max(nextMs, readFromMs));
  while (index < atMs.length) {
    const startMs = floorHour(atMs[index] ?? 0);
    if (startMs + HOUR_MS > untilMs) return;
    const near = refills.filter(({ toMs }) => toMs > startMs);
    const values: number[] = [];
    while (index < atMs.length && (atMs[index] ?? 0) < startMs + HOUR_MS) {
      const timeMs = atMs[index] ?? 0;
      let value = kg[index] ?? 0;
      let isFilling = false;
      for (const refill of near) {
        if (timeMs >= refill.toMs) value -= refill.kg;
        else if (timeMs > refill.fromMs) isFilling = true;
      }
      if (!isFilling) values.push(value);
      index += 1;
    }
    const at = indexOf(hours, startMs);
    while (hours.kg.length < at) hours.kg.push(null);
    if (hours.kg.length === at) hours.kg.push(values.length === 0 ? null : rounded(medianOf(values), 2));
  }
}

function firstAtOrAfter(atMs: readonly number[], timeMs: number): number {
  let [low, high] = [-1, atMs.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((atMs[middle] ?? 0) >= timeMs) high = middle;
    else low = middle;
  }
  return high;
}

/** The next hour with weights, from `index` on in this direction. */
function nearest(hours: Hours, index: number, direction: 1 | -1): number | null {
  let at = direction === 1 ? Math.max(index, 0) : Math.min(index, hours.kg.length - 1);
  while (at >= 0 && at < hours.kg.length) {
    if (hours.kg[at] !== null) return at;
    at += direction;
  }
  return null;
}

/** The amount that left the silo between two hours, both of which have weights. */
function usedBetween(hours: Hours, refills: readonly Refill[], from: number, to: number): number {
  const [fromMs, toMs] = [hours.fromMs + from * HOUR_MS, hours.fromMs + to * HOUR_MS];
  let kg = (hours.kg[from] ?? 0) - (hours.kg[to] ?? 0);
  for (const refill of refills) if (refill.toMs > fromMs && refill.toMs <= toMs) kg += refill.kg;
  return kg;
}

/** The level at a time, as a weighted mean of hours. */
interface Boundary {
  readonly parts: readonly { readonly hour: number; readonly weight: number }[];
  readonly isEstimated: boolean;
}

/**
 * The mean of the hours around the time, in which the use before and after it cancels out; if an hour is missing, a line
 * between the nearest hours.
 */
function boundaryAt(hours: Hours, timeMs: number, aroundMs: number): Boundary | null {
  const first = Math.ceil((timeMs - aroundMs - hours.fromMs) / HOUR_MS);
  const count = Math.round((2 * aroundMs) / HOUR_MS);
  const around: number[] = [];
  for (let hour = first; hour < first + count; hour += 1)
    if (hour >= 0 && typeof hours.kg[hour] === 'number') around.push(hour);
  if (around.length === count)
    return { parts: around.map((hour) => ({ hour, weight: 1 / count })), isEstimated: false };
  const middle = (timeMs - hours.fromMs) / HOUR_MS - 0.5;
  const left = nearest(hours, Math.floor(middle), -1);
  const right = nearest(hours, Math.floor(middle) + 1, 1);
  if (left === null || right === null) return null;
  const share = (middle - left) / (right - left);
  const parts = [
    { hour: left, weight: 1 - share },
    { hour: right, weight: share },
  ];
  return { parts, isEstimated: Math.max(middle - left, right - middle) * HOUR_MS > ESTIMATED_MS };
}

function usedBetweenBoundaries(
  hours: Hours,
  refills: readonly Refill[],
  from: Boundary,
  to: Boundary,
): number {
  const reference = Math.min(...from.parts.map(({ hour }) => hour));
  const usedUntil = ({ parts }: Boundary): number =>
    parts.reduce((kg, { hour, weight }) => kg + weight * usedBetween(hours, refills, reference, hour), 0);
  return usedUntil(to) - usedUntil(from);
}

interface DaysInput {
  readonly calendar: LocalCalendar;
  readonly hours: Hours;
  readonly refills: readonly Refill[];
  readonly discharges: readonly Movement[];
  readonly firstDay: number;
  readonly nowMs: number;
  readonly capacityKg: number;
}

function closeDays(input: DaysInput): UseDay[] {
  const { calendar, hours, firstDay, nowMs } = input;
  const lastMs = hours.fromMs + hours.kg.length * HOUR_MS;
  const days: UseDay[] = [];
  let startsAt = boundaryAt(hours, startOfDay(calendar, firstDay), BOUNDARY_MS);
  for (let day = firstDay; startOfDay(calendar, day) < Math.min(lastMs, nowMs); day += 1) {
    const endMs = startOfDay(calendar, day + 1);
    const endsAt = boundaryAt(hours, endMs, BOUNDARY_MS);
    const closed = nowMs >= endMs + BOUNDARY_MS ? endsAt : null;
    if (startsAt !== null && !isLongGap(startsAt)) {
      if (closed === null) {
        const latest = nearest(hours, hours.kg.length - 1, -1) ?? 0;
        const present = { parts: [{ hour: latest, weight: 1 }], isEstimated: false };
        days.push(dayOf(input, day, startsAt, present, true));
      } else if (!isLongGap(closed)) days.push(dayOf(input, day, startsAt, closed, false));
    }
    startsAt = endsAt;
  }
  return days;
}

const isLongGap = ({ parts }: Boundary): boolean =>
  (parts.at(-1)?.hour ?? 0) - (parts[0]?.hour ?? 0) > GAP_DAYS_MAX * HOURS_PER_DAY;

function dayOf(input: DaysInput, day: number, from: Boundary, to: Boundary, isOpen: boolean): UseDay {
  const { calendar, hours, refills, discharges, capacityKg } = input;
  const [startMs, endMs] = [startOfDay(calendar, day), startOfDay(calendar, day + 1)];
  const kg = usedBetweenBoundaries(hours, refills, from, to);
  const inDay = refills.filter(({ toMs }) => toMs > startMs && toMs <= endMs);
  const isGap = from.isEstimated || to.isEstimated;
  let flags = isOpen ? DAY_FLAGS.open : 0;
  if (isGap) flags |= DAY_FLAGS.gap;
  if (inDay.length > 0) flags |= DAY_FLAGS.refill;
  if (isStill(hours, startMs, endMs)) flags |= DAY_FLAGS.still;
  if (lowestKg(hours, startMs, endMs) < EMPTY_PART * capacityKg) flags |= DAY_FLAGS.empty;
  const quiet: number[] = [];
  for (let hour = QUIET_FROM_HOUR; hour < QUIET_TO_HOUR; hour += 1) {
    const value = hours.kg[indexOf(hours, startMs + hour * HOUR_MS)];
    if (typeof value === 'number') quiet.push(value);
  }
  const hasHours = !isOpen && !isGap && endMs - startMs === HOURS_PER_DAY * HOUR_MS;
  return {
    day,
    kg: rounded(kg, 1),
    dischargedKg: rounded(dischargedWithin(discharges, startMs, endMs), 1),
    refilledKg: rounded(
      inDay.reduce((sum, refill) => sum + refill.kg, 0),
      1,
    ),
    quietKg: quiet.length === 0 ? null : rounded(medianOf(quiet), 1),
    flags,
    hours: hasHours && kg > 0.005 * capacityKg ? encodeHours(usePerHour(hours, refills, startMs), kg) : null,
  };
}

/** The amount that operations discharged within the range; of an operation that is partly inside, its part. */
function dischargedWithin(discharges: readonly Movement[], fromMs: number, toMs: number): number {
  let kg = 0;
  for (const one of discharges) {
    const shared = Math.min(one.toMs, toMs) - Math.max(one.fromMs, fromMs);
    const isPoint = one.toMs <= one.fromMs && one.fromMs >= fromMs && one.fromMs < toMs;
    if (isPoint) kg += one.kg;
    else if (shared > 0) kg += (one.kg * shared) / (one.toMs - one.fromMs);
  }
  return kg;
}

function isStill(hours: Hours, startMs: number, endMs: number): boolean {
  let same = 1;
  for (let at = indexOf(hours, startMs) + 1; at < indexOf(hours, endMs); at += 1) {
    const value = hours.kg[at];
    same = typeof value === 'number' && value === hours.kg[at - 1] ? same + 1 : 1;
    if (same >= STILL_HOURS) return true;
  }
  return false;
}

function lowestKg(hours: Hours, startMs: number, endMs: number): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (let at = indexOf(hours, startMs); at < indexOf(hours, endMs); at += 1)
    lowest = Math.min(lowest, hours.kg[at] ?? Number.POSITIVE_INFINITY);
  return lowest;
}

function usePerHour(hours: Hours, refills: readonly Refill[], startMs: number): number[] {
  const use: number[] = [];
  let from = boundaryAt(hours, startMs, HOUR_MS);
  for (let hour = 1; hour <= HOURS_PER_DAY; hour += 1) {
    const to = boundaryAt(hours, startMs + hour * HOUR_MS, HOUR_MS);
    use.push(from === null || to === null ? 0 : usedBetweenBoundaries(hours, refills, from, to));
    from = to;
  }
  return use;
}

/** The median of the last half hour. A jump without a refill is not believed unless all of the last readings show the fall or rise. */
function levelNow(
  weights: Weights,
  hours: Hours,
  refills: readonly Refill[],
  capacityKg: number,
): LevelNow | null {
  const { atMs, kg } = weights;
  const last = atMs.at(-1);
  if (last === undefined) return null;
  const from = Math.min(
    firstAtOrAfter(atMs, last - LEVEL_MS + MINUTE_MS),
    Math.max(0, kg.length - LEVEL_COUNT_MIN),
  );
  // The use and the refills since an older weight are taken into account, which matters if weights are hours apart.
  const kgPerMs = usePerMs(hours, refills, last);
  const recent = kg.slice(from).map((one, index) => {
    const timeMs = atMs[from + index] ?? last;
    const later = refills.filter(({ fromMs, toMs }) => fromMs >= timeMs && toMs <= last);
    return later.reduce((sum, refill) => sum + refill.kg, one - kgPerMs * (last - timeMs));
  });
  const earlierFrom = firstAtOrAfter(atMs, (atMs[from] ?? 0) - 2 * LEVEL_MS);
  const recentKg = medianOf(recent);
  const earlierKg = medianOf(kg.slice(earlierFrom, from));
  const jumpKg = recentKg - earlierKg;
  const isJump =
    Math.abs(jumpKg) > JUMP_PART * capacityKg && !refills.some(({ toMs }) => toMs > last - 4 * LEVEL_MS);
  const isFall = jumpKg < 0 && recent.every((one) => one < recentKg - jumpKg / 2);
  // If this many readings are high, the silo is being filled or was filled: a spike of so many readings is rare.
  const latest = kg.slice(-RISEN_COUNT);
  const isRisen =
    latest.length === RISEN_COUNT && latest.every((one) => one > earlierKg + (JUMP_PART / 2) * capacityKg);
  const believedKg = isJump && !isFall ? earlierKg : recentKg;
  const noise = noiseOf(kg.slice(Math.max(0, kg.length - 24)));
  return {
    kg: rounded(isRisen ? medianOf(latest.slice(-LEVEL_COUNT_MIN)) : believedKg, 1),
    deviationKg: rounded((1.25 * noise) / Math.sqrt(recent.length), 2),
    atMs: last,
    unchangedSinceMs: unchangedSince(weights, hours),
    everyMs: usualInterval(atMs),
  };
}

function usualInterval(atMs: readonly number[]): number {
  const latest = atMs.slice(-REREAD_COUNT);
  const intervals = latest.slice(1).map((timeMs, index) => timeMs - (latest[index] ?? 0));
  return intervals.length === 0 ? 0 : medianOf(intervals);
}

/** Uses the hours, because a pass reads only the last weights, and looks no further back than the hours are kept. */
function unchangedSince({ atMs, kg }: Weights, hours: Hours): number {
  const [lastMs, lastKg] = [atMs.at(-1) ?? 0, kg.at(-1) ?? 0];
  let hour = indexOf(hours, lastMs);
  while (hour > indexOf(hours, lastMs - UNCHANGED_MS_MAX) && hours.kg[hour] === rounded(lastKg, 2)) hour -= 1;
  return Math.min(lastMs, hours.fromMs + (hour + 1) * HOUR_MS);
}

interface TailInput {
  readonly calendar: LocalCalendar;
  readonly hours: Hours;
  readonly refills: readonly Refill[];
  readonly discharges: readonly Movement[];
  readonly days: readonly UseDay[];
  readonly firstDay: number;
  readonly readFromMs: number;
}

/** A day may still change while a refill before its end can be found, and while there are no weights after its end. */
function tailOf({ calendar, hours, refills, discharges, days, firstDay, readFromMs }: TailInput): LedgerTail {
  const acceptFromMs = readFromMs + CONTEXT_MS;
  const final = days.findLast(
    ({ day, flags }) =>
      (flags & DAY_FLAGS.open) === 0 && startOfDay(calendar, day + 1) + BOUNDARY_MS <= acceptFromMs,
  );
  const lastHourMs = hours.fromMs + (nearest(hours, hours.kg.length - 1, -1) ?? 0) * HOUR_MS;
  const openDay = final === undefined ? firstDay : final.day + 1;
  const openFromMs = Math.min(startOfDay(calendar, openDay) - LEDGER_MARGIN_MS, lastHourMs);
  const hoursFromMs = Math.max(hours.fromMs, floorHour(openFromMs));
  return {
    readFromMs,
    settledMs: acceptFromMs,
    openDay,
    hoursFromMs,
    hours: hours.kg.slice(indexOf(hours, hoursFromMs), Math.max(0, indexOf(hours, readFromMs))),
    refills: refills.filter(({ fromMs, toMs }) => toMs >= hoursFromMs && fromMs < acceptFromMs),
    discharges: discharges.filter(
      ({ fromMs, toMs }) => toMs >= startOfDay(calendar, openDay) && fromMs < acceptFromMs,
    ),
  };
}
