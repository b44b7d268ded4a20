import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { chance, jitter } from '../physics/numbers.ts';
import { feedKgOn, type Herd } from './herd.ts';

/** The properties of a silo that its content depends on. */
export interface Stocked {
  readonly id: string;
  readonly facility: { readonly utcOffsetHours: number };
  readonly capacityKg: number;
  readonly use: Use;
  readonly delivery: Delivery;
}

/** Material leaves evenly during these hours of the local day, each `[from, to)`. */
interface Use {
  readonly hours: readonly (readonly [number, number])[];
  /** The use on usual days, or the animals that eat it. */
  readonly dailyKg: number | Herd;
  /** The share of the daily use on Saturdays and Sundays. */
  readonly weekendShare: number;
  /** The share of the capacity that is lost through a hole in a day, at all hours. */
  readonly leakShare?: number;
}

/**
 * A truck comes every `everyDays` days and fills the silo. A silo that is not used at weekends is filled every whole number
 * of weeks, so that its level before each delivery is about the same.
 */
interface Delivery {
  readonly everyDays: number;
  readonly hour: number;
  readonly minutes: number;
  /**
   * The level after a delivery as a share of the capacity; with `use`, the truck brings what is used until the next delivery,
   * and a reserve.
   */
  readonly fillTo: number | 'use';
}

/** The random variation of a day's use, of a truck's arrival and of the level after a delivery. */
const USE_SPREAD = 0.12;
const ARRIVAL_SPREAD_MS = 2 * HOUR_MS;
const FILL_SPREAD = 0.03;
const RESERVE_SHARE = 0.15;

/**
 * The content of a silo at any time, by regular use and deliveries alone. It depends on the time only: every delivery fills
 * to a known level, so nothing before the last one matters.
 */
export function weightKgAt(silo: Stocked, timeMs: number): number {
  const cycle = cycleAt(silo, timeMs);
  const filledMs = deliveryStartMs(silo, cycle) + silo.delivery.minutes * MINUTE_MS;
  if (timeMs >= filledMs) return filledKg(silo, cycle) - usedKg(silo, filledMs, timeMs);
  return whileFillingKg(silo, cycle, timeMs);
}

/** No material is used while the truck fills the silo. */
function whileFillingKg(silo: Stocked, cycle: number, timeMs: number): number {
  const startMs = deliveryStartMs(silo, cycle);
  const durationMs = silo.delivery.minutes * MINUTE_MS;
  const previousFilledMs = deliveryStartMs(silo, cycle - 1) + durationMs;
  const foundKg = filledKg(silo, cycle - 1) - usedKg(silo, previousFilledMs, startMs);
  return foundKg + ((filledKg(silo, cycle) - foundKg) * (timeMs - startMs)) / durationMs;
}

/** The number of the last delivery. */
function cycleAt(silo: Stocked, timeMs: number): number {
  const guess = Math.floor(timeMs / (silo.delivery.everyDays * DAY_MS)) + 1;
  for (let cycle = guess; ; cycle--) {
    if (deliveryStartMs(silo, cycle) <= timeMs) return cycle;
  }
}

function deliveryStartMs(silo: Stocked, cycle: number): number {
  const { everyDays, hour } = silo.delivery;
  const firstDay = Math.floor(chance(silo.id, 0) * everyDays);
  const day = cycle * everyDays + firstDay;
  return dayStartMs(silo, day) + hour * HOUR_MS + jitter(`${silo.id} arrival`, cycle) * ARRIVAL_SPREAD_MS;
}

function filledKg(silo: Stocked, cycle: number): number {
  const { capacityKg, delivery } = silo;
  const { fillTo, minutes } = delivery;
  if (fillTo !== 'use') return capacityKg * (fillTo + jitter(`${silo.id} fill`, cycle) * FILL_SPREAD);
  const filledMs = deliveryStartMs(silo, cycle) + minutes * MINUTE_MS;
  return RESERVE_SHARE * capacityKg + usedKg(silo, filledMs, deliveryStartMs(silo, cycle + 1));
}

function usedKg(silo: Stocked, fromMs: number, toMs: number): number {
  const { dailyKg, leakShare = 0 } = silo.use;
  const lostKg = (leakShare * silo.capacityKg * (toMs - fromMs)) / DAY_MS;
  return lostKg + (dailyKg === 0 ? 0 : takenKg(silo, fromMs, toMs));
}

function takenKg(silo: Stocked, fromMs: number, toMs: number): number {
  const hoursPerDay = silo.use.hours.reduce((sum, [from, to]) => sum + to - from, 0);
  let kg = 0;
  for (let day = dayAt(silo, fromMs); dayStartMs(silo, day) < toMs; day++) {
    const midnightMs = dayStartMs(silo, day);
    for (const [from, to] of silo.use.hours) {
      const startMs = Math.max(fromMs, midnightMs + from * HOUR_MS);
      const endMs = Math.min(toMs, midnightMs + to * HOUR_MS);
      if (endMs > startMs) kg += (usePerDayKg(silo, day) * (endMs - startMs)) / (hoursPerDay * HOUR_MS);
    }
  }
  return kg;
}

function usePerDayKg(silo: Stocked, day: number): number {
  const { dailyKg, weekendShare } = silo.use;
  const share = isWeekend(day) ? weekendShare : 1;
  const usualKg = typeof dailyKg === 'number' ? dailyKg : feedKgOn(dailyKg, day);
  return usualKg * share * (1 + jitter(`${silo.id} use`, day) * USE_SPREAD);
}

/** Day 0, the first of 1970, was a Thursday. */
function isWeekend(day: number): boolean {
  const weekday = (((day + 4) % 7) + 7) % 7;
  return weekday === 0 || weekday === 6;
}

/** The number of the local day. */
export const dayAt = (silo: Pick<Stocked, 'facility'>, timeMs: number): number =>
  Math.floor((timeMs + silo.facility.utcOffsetHours * HOUR_MS) / DAY_MS);

const dayStartMs = (silo: Stocked, day: number): number =>
  day * DAY_MS - silo.facility.utcOffsetHours * HOUR_MS;
