import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import {
  type Boundary,
  boundaryAt,
  fillHours,
  floorHour,
  type Hours,
  indexOf,
  nearest,
  startHours,
  usedBetweenBoundaries,
  usePerHour,
  usePerMs,
} from './hour-medians.ts';
import { encodeHours } from './hour-shares.ts';
import { INTERVAL_COUNT, LEVEL_MS, levelNow } from './level-now.ts';
import { dayAt, HOURS_PER_DAY, type LocalCalendar, startOfDay } from './local-calendar.ts';
import { FELL_BACK_WITHIN_MS, findRises, type Rise, type Weights } from './refills.ts';
import { medianOf, rounded } from './robust.ts';
import {
  DAY_FLAGS,
  type LedgerInput,
  type LedgerResult,
  type LedgerTail,
  type LevelReading,
  type Movement,
  type Refill,
  type UseDay,
} from './types.ts';

/** The readings of this long before the first day that is computed again are needed. */
export const LEDGER_MARGIN_MS = 30 * HOUR_MS;

/** A pass finds only refills that begin at least this long after its first reading; the pass before found the earlier ones. */
const CONTEXT_MS = 2.5 * HOUR_MS;
/** The readings of this long before the present are read again by the next pass. */
const REREAD_MS = 5 * HOUR_MS;
/** The level at midnight is the mean of the weights within this time before and after it. */
const BOUNDARY_MS = 2 * HOUR_MS;
/** The use of a day is not known if a gap at its start or end is longer than this. */
const GAP_DAYS_MAX = 14;
/** A weight above this many capacities is not a weight. */
const CAPACITY_TIMES_MAX = 2;
const WEIGHT_KG_MAX = 1e9;
/**
 * The amount of an operation is not used if it differs from the change of the weight by more than this share of the capacity
 * and more than this share of the amount.
 */
const AMOUNT_OF_CAPACITY = 0.03;
const AMOUNT_OF_AMOUNT = 0.25;
/** A detected rise belongs to an operation if it overlaps the operation after this time is added at both ends. */
const OPERATION_MARGIN_MS = 45 * MINUTE_MS;
/** A day is still if the weight did not change by a digit in this many consecutive hours. */
const STILL_HOURS = 10;
/** A day that uses less than this share of the capacity has no profile of hours. */
const PROFILED_OF_CAPACITY = 0.005;
/** A silo with less than this share of the capacity is empty. */
export const EMPTY_PART = 0.01;
/** In these hours of the night the sun does not heat the load cells. */
const QUIET_FROM_HOUR = 2;
const QUIET_TO_HOUR = 4;

/** Computes the refills, the balance of each local day and the level from weights and operations. */
export function readLedger(input: LedgerInput): LedgerResult {
  const { nowMs, calendar, before } = input;
  const all = orderedWeights(input);
  const acceptFromMs = before === null ? Number.NEGATIVE_INFINITY : before.readFromMs + CONTEXT_MS;
  const movements = input.movements.filter(({ fromMs }) => fromMs >= acceptFromMs && fromMs <= nowMs);
  const capacityKg = plausibleCapacity(input.capacityKg, all);

  const { rises, spikes, pendingFromMs } = findRises(all, capacityKg);
  const isSpike = (timeMs: number): boolean =>
    spikes.some(({ fromMs, toMs }) => timeMs > fromMs && timeMs < toMs);
  const weights = keep(all, (timeMs) => !isSpike(timeMs));
  const earlier = before?.refills ?? [];
  const hours = startHours(before, weights);
  const refills = [...earlier];
  const feeds = movements.filter(({ type }) => type === 'feed');
  const isDenied = (rise: Rise): boolean =>
    input.denials.some(({ fromMs, toMs }) => fromMs <= rise.toMs && toMs >= rise.fromMs);
  const accepted = rises.filter((rise) => rise.fromMs >= acceptFromMs && !isDenied(rise));
  for (const inflow of inOrder(accepted, feeds)) {
    fillHours(hours, weights, refills, before?.readFromMs ?? 0, inflow.fromMs);
    refills.push(refillOf(inflow, weights, usePerMs(hours, refills, inflow.fromMs), capacityKg));
  }
  fillHours(hours, weights, refills, before?.readFromMs ?? 0, Number.POSITIVE_INFINITY);
  const discharges = [...(before?.discharges ?? []), ...movements.filter(({ type }) => type === 'discharge')];

  const firstDay = Math.max(before === null ? input.firstDay : before.openDay, dayAt(calendar, hours.fromMs));
  const days = closeDays({ calendar, hours, refills, discharges, firstDay, nowMs, capacityKg });
  const added = refills.slice(earlier.length);
  const active = [
    pendingFromMs ?? nowMs,
    ...added.filter(({ toMs }) => toMs > nowMs - FELL_BACK_WITHIN_MS - LEVEL_MS).map(({ fromMs }) => fromMs),
    ...movements.filter(({ toMs }) => toMs > nowMs - OPERATION_MARGIN_MS).map(({ fromMs }) => fromMs),
  ];
  // The last weights of a device that reports seldom are old, and a rise can only be found with some weights before and after it.
  const neededMs = all.atMs.at(-INTERVAL_COUNT) ?? all.atMs[0] ?? before?.readFromMs ?? nowMs;
  const readFromMs = floorHour(
    Math.min(nowMs - REREAD_MS, neededMs, Math.min(...active) - CONTEXT_MS - HOUR_MS),
  );
  const refillsFromMs = before === null ? startOfDay(calendar, firstDay) : acceptFromMs;
  return {
    days,
    refills: added.filter(({ fromMs }) => fromMs >= refillsFromMs),
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
  return kg.reduce((max, weightKg) => Math.max(max, weightKg), 1);
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
    const rise = rises.find(
      (candidate) =>
        left.has(candidate) &&
        candidate.fromMs <= feed.toMs + OPERATION_MARGIN_MS &&
        candidate.toMs >= feed.fromMs - OPERATION_MARGIN_MS,
    );
    if (rise !== undefined) left.delete(rise);
    const fromMs = Math.min(feed.fromMs, rise?.fromMs ?? feed.fromMs);
    inflows.push({ fromMs, toMs: Math.max(feed.toMs, rise?.toMs ?? feed.toMs), rise: rise ?? null, feed });
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
      Math.abs(feed.kg - measuredKg) <=
        Math.max(AMOUNT_OF_CAPACITY * capacityKg, AMOUNT_OF_AMOUNT * feed.kg));
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
    hours:
      hasHours && kg > PROFILED_OF_CAPACITY * capacityKg
        ? encodeHours(usePerHour(hours, refills, startMs), kg)
        : null,
  };
}

/** The amount that operations discharged within the range; of an operation that is partly inside, its part. */
function dischargedWithin(discharges: readonly Movement[], fromMs: number, toMs: number): number {
  let kg = 0;
  for (const discharge of discharges) {
    const sharedMs = Math.min(discharge.toMs, toMs) - Math.max(discharge.fromMs, fromMs);
    const isPoint =
      discharge.toMs <= discharge.fromMs && discharge.fromMs >= fromMs && discharge.fromMs < toMs;
    if (isPoint) kg += discharge.kg;
    else if (sharedMs > 0) kg += (discharge.kg * sharedMs) / (discharge.toMs - discharge.fromMs);
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
