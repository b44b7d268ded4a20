import { FULL_PART } from '@granary/contract/foresight/delivery-fit';
import { HOUR_MS } from '@granary/contract/time';
import { dayAt, type LocalCalendar, timeOfHour, weekdayOf } from './local-calendar.ts';
import { rounded } from './robust.ts';
import type { PlannedDelivery, Suggestion, Supply } from './types.ts';

/** Trucks come in these hours of a delivery day. */
const TRUCKS_FROM_HOUR = 6;
const TRUCKS_TO_HOUR = 18;
const DAYS_SEARCHED = 21;
/** A truck may come this late. */
const TRUCK_LATE_MS = HOUR_MS;
/** Amounts are proposed in steps of this many kg, or in smaller steps of a power of ten for small amounts. */
const STEP_KG = 100;

export interface OrderInput {
  readonly nowMs: number;
  readonly calendar: LocalCalendar;
  readonly capacityKg: number;
  readonly supply: Supply;
  /** The earliest time (p10) at which the reserve is touched if this amount is added; `null` if that is not foreseeable. */
  readonly reserveAt: (addedKg: number) => number | null;
  /** The amount that is missing until the animals leave, at a high use; infinite if it is not known when they leave. */
  readonly neededKg: number;
  /** The level at a time if the use is low (p90) and no delivery comes. */
  readonly highLevelAt: (timeMs: number) => number;
}

export interface OrderPlan {
  readonly orderByMs: number;
  readonly suggestion: Suggestion;
}

/**
 * The latest moment to order so that the truck comes before the reserve is touched; this moment may have passed. Deliveries
 * that are ordered already and come in time are counted.
 */
export function planOrder(input: OrderInput): OrderPlan | null {
  const { nowMs, supply, reserveAt } = input;
  const planned = fitting(deliveriesAhead(supply, nowMs), input);
  let addedKg = 0;
  let reserveAtMs = reserveAt(addedKg);
  for (const { atMs, kg } of planned) {
    if (reserveAtMs === null || atMs > reserveAtMs) break;
    addedKg += kg;
    reserveAtMs = reserveAt(addedKg);
  }
  if (reserveAtMs === null || addedKg >= input.neededKg) return null;
  const highLevelAt = (timeMs: number): number =>
    planned.reduce((sum, { atMs, kg }) => (atMs <= timeMs ? sum + kg : sum), input.highLevelAt(timeMs));
  const deliverToMs = latestDelivery(input, reserveAtMs);
  const orderByMs = latestOrder(input, deliverToMs);
  return {
    orderByMs,
    suggestion: suggestionOf(
      { ...input, highLevelAt, neededKg: input.neededKg - addedKg },
      planned,
      deliverToMs,
    ),
  };
}

/** The entered deliveries that are still to come, ordered by time. */
export const deliveriesAhead = ({ planned }: Supply, nowMs: number): PlannedDelivery[] =>
  planned.filter(({ atMs }) => atMs > nowMs - TRUCK_LATE_MS).toSorted((a, b) => a.atMs - b.atMs);

/** The part of each delivery that has room if the use before it is low. The rest would be spilt, so it does not postpone an order. */
function fitting(planned: readonly PlannedDelivery[], { nowMs, capacityKg, highLevelAt }: OrderInput) {
  let addedKg = 0;
  return planned.map(({ atMs, kg }): PlannedDelivery => {
    const room = Math.max(0, capacityKg - highLevelAt(Math.max(atMs, nowMs)) - addedKg);
    const fits = Math.min(Math.max(kg, 0), room);
    addedKg += fits;
    return { atMs, kg: fits };
  });
}

/** The last delivery hour of a delivery day at or before a time; the time itself if there is no delivery day in three weeks. */
function latestDelivery({ calendar, supply }: OrderInput, untilMs: number): number {
  const last = dayAt(calendar, untilMs);
  for (let day = last; day > last - DAYS_SEARCHED; day -= 1) {
    if (supply.deliveryDays[weekdayOf(day)] !== true) continue;
    const toMs = Math.min(timeOfHour(calendar, day, TRUCKS_TO_HOUR), untilMs);
    if (toMs >= timeOfHour(calendar, day, TRUCKS_FROM_HOUR)) return Math.floor(toMs);
  }
  return untilMs;
}

/**
 * An order counts from the cut-off of its day on, or from that of the next day if it comes later; without a cut-off it
 * counts immediately.
 */
function latestOrder({ calendar, supply }: OrderInput, deliverToMs: number): number {
  const latestMs = deliverToMs - Math.max(0, supply.leadTimeH) * HOUR_MS;
  const { cutOffMinute } = supply;
  if (cutOffMinute === null) return Math.floor(latestMs);
  const day = dayAt(calendar, latestMs);
  const cutOffMs = (on: number): number => timeOfHour(calendar, on, cutOffMinute / 60);
  return Math.floor(cutOffMs(day) <= latestMs ? cutOffMs(day) : cutOffMs(day - 1));
}

/** Suggests as much as has room at the latest delivery, up to one truck and up to the needed amount, and since when it has room. */
function suggestionOf(
  input: OrderInput,
  planned: readonly PlannedDelivery[],
  deliverToMs: number,
): Suggestion {
  const { nowMs, capacityKg, supply, highLevelAt, neededKg } = input;
  const usualMs = nowMs + Math.max(0, supply.leadTimeH) * HOUR_MS;
  // If an order with the usual lead time would come too late, the delivery may come at once.
  const earliestMs = usualMs <= deliverToMs ? usualMs : nowMs;
  const toMs = Math.max(deliverToMs, earliestMs);
  const freeAt = (timeMs: number): number => Math.max(0, FULL_PART * capacityKg - highLevelAt(timeMs));
  const fits = freeAt(toMs);
  const truckKg = supply.truckKg > 0 ? supply.truckKg : Number.POSITIVE_INFINITY;
  const most = Math.min(fits, truckKg, Math.max(neededKg, supply.minKg));
  const step = Math.min(STEP_KG, 10 ** (Math.floor(Math.log10(most)) - 1));
  const kg = most > 0 ? rounded(Math.floor(most / step) * step, 1) : 0;
  // All of the amount must have room from this time on: what has no room is spilt, and so is what a later delivery has no room for.
  let fitsFromMs = toMs;
  while (fitsFromMs > nowMs) {
    const earlierMs = Math.max(nowMs, fitsFromMs - HOUR_MS);
    if (freeAt(earlierMs) < kg) break;
    fitsFromMs = earlierMs;
  }
  const fullest = planned.filter(({ atMs }) => atMs > nowMs && atMs <= toMs).map(({ atMs }) => freeAt(atMs));
  const fitsNowKg = rounded(Math.min(kg, freeAt(nowMs), ...fullest), 1);
  return { kg, fitsFromMs, fitsNowKg, deliverFromMs: Math.max(fitsFromMs, earliestMs), deliverToMs: toMs };
}
