import type { Random } from './random.ts';

/**
 * The amounts that animals and plants take out of a silo every five minutes. This module is made for the back-test alone: it
 * shares no code with the forecast or with the simulator.
 */
export const KINDS = ['broiler', 'pig', 'dairy', 'mill', 'seasonal', 'sequence', 'heating'] as const;
export type Kind = (typeof KINDS)[number];

/** The data that a person who keeps the animals knows. Days are counted from the first day of the series. */
export interface Herd {
  readonly kind: 'broiler' | 'pig';
  readonly heads: number;
  readonly startDay: number;
  readonly endDay: number;
  /** The day from which these data are known. */
  readonly knownFromDay: number;
}

export interface Demand {
  /** The use of each day, in kg. */
  readonly perDay: readonly number[];
  /** The share of each five minutes of a day by the local clock: 288 numbers with the sum 1. */
  shares(day: number): Float64Array;
  readonly herds: readonly Herd[];
}

export const SLOTS_PER_DAY = 288;

/** The g of feed per bird on day 1 to 56 (Ross 308, as hatched, 2022). */
const BROILER_G = [
  12, 16, 20, 24, 27, 31, 35, 39, 44, 48, 52, 57, 62, 67, 72, 77, 83, 88, 94, 100, 105, 111, 117, 122, 128,
  134, 139, 145, 150, 156, 161, 166, 171, 176, 180, 185, 189, 193, 197, 201, 204, 207, 211, 213, 216, 219,
  221, 223, 225, 227, 229, 230, 231, 233, 233, 234,
];

/** Random changes from day to day; each day keeps a part of the change of the day before. */
function* fluctuation(random: Random, deviation: number, kept = 0.6): Generator<number, never> {
  let state = random.normal() * deviation;
  for (;;) {
    yield Math.exp(state);
    state = kept * state + Math.sqrt(1 - kept * kept) * deviation * random.normal();
  }
}

const normalised = (slots: Float64Array): Float64Array => {
  let sum = 0;
  for (const one of slots) sum += one;
  for (let slot = 0; slot < slots.length; slot += 1) slots[slot] = (slots[slot] ?? 0) / (sum || 1);
  return slots;
};

const bump = (hour: number, centre: number, width: number): number =>
  Math.exp(-(((hour - centre) / width) ** 2) / 2);

/** Augers run for some minutes at a time, so the shares of the slots are uneven. */
function augers(random: Random, rateAt: (hour: number) => number, runs: number): Float64Array {
  const slots = new Float64Array(SLOTS_PER_DAY);
  for (let slot = 0; slot < SLOTS_PER_DAY; slot += 1) {
    const rate = rateAt(slot / 12);
    slots[slot] = rate * (random.happens(runs) ? 1 / runs : 0);
  }
  return normalised(slots);
}

export function demandOf(kind: Kind, random: Random, days: number): Demand {
  switch (kind) {
    case 'broiler':
      return broilers(random, days);
    case 'pig':
      return pigs(random, days);
    case 'dairy':
      return dairy(random, days);
    case 'mill':
      return mill(random, days);
    case 'seasonal':
      return seasonal(random, days);
    case 'sequence':
      return dairy(random, days);
    case 'heating':
      return heating(random, days);
  }
}

function broilers(random: Random, days: number): Demand {
  const perDay: number[] = new Array(days).fill(0);
  const herds: Herd[] = [];
  const places = random.whole(12_000, 30_000);
  const appetite = random.between(0.93, 1.06);
  const noise = fluctuation(random, random.between(0.025, 0.05));
  let start = -random.whole(0, 45);
  while (start < days) {
    const length = random.whole(35, 43);
    const heads = Math.round(places * random.between(0.96, 1));
    const lost = random.between(0.03, 0.05);
    for (let age = 0; age < length; age += 1) {
      const alive = heads * (1 - (lost * age) / length);
      const kg = ((BROILER_G[age] ?? 234) / 1_000) * alive * appetite * noise.next().value;
      // Birds are not fed in the last hours before they are caught.
      if (start + age >= 0 && start + age < days) perDay[start + age] = age === length - 1 ? 0.5 * kg : kg;
    }
    herds.push({ kind: 'broiler', heads, startDay: start, endDay: start + length, knownFromDay: start - 3 });
    start += length + random.whole(5, 8);
  }
  const [dark, light] = [random.between(22, 23.5), random.between(4, 6)];
  const shares = (): Float64Array =>
    augers(
      random,
      (hour) =>
        hour < light || hour > dark
          ? 0.15
          : 1 + 0.5 * bump(hour, light + 1, 1) + 0.4 * bump(hour, dark - 1.5, 1.2),
      0.5,
    );
  return { perDay, shares, herds };
}

function pigs(random: Random, days: number): Demand {
  const perDay: number[] = new Array(days).fill(0);
  const herds: Herd[] = [];
  const places = random.whole(600, 1_500);
  const appetite = random.between(0.92, 1.08);
  const noise = fluctuation(random, random.between(0.03, 0.06));
  let start = -random.whole(5, 100);
  while (start < days) {
    const length = random.whole(100, 115);
    const gain = random.between(0.85, 0.95);
    let heads = places;
    let disturbed = 1;
    for (let age = 0; age < length; age += 1) {
      const weight = 25 + gain * age;
      const kcal = 10_700 * (1 - Math.exp(-Math.exp(-4.04) * weight ** 0.996));
      if (age === length - 21 || age === length - 10) heads = Math.round(heads * random.between(0.6, 0.8));
      if (random.happens(1 / 70)) disturbed = random.between(0.65, 0.85);
      disturbed += (1 - disturbed) * 0.25;
      if (start + age >= 0 && start + age < days)
        perDay[start + age] = (kcal / 3_300) * heads * appetite * disturbed * noise.next().value;
    }
    herds.push({
      kind: 'pig',
      heads: places,
      startDay: start,
      endDay: start + length,
      knownFromDay: start - 3,
    });
    start += length + random.whole(4, 7);
  }
  const shares = (): Float64Array =>
    augers(random, (hour) => 0.3 + 0.5 * bump(hour, 7.5, 1.5) + 1.3 * bump(hour, 16, 3), 0.4);
  return { perDay, shares, herds };
}

function dairy(random: Random, days: number): Demand {
  const noise = fluctuation(random, random.between(0.03, 0.05));
  const base = random.between(700, 2_000);
  let herd = 1;
  const perDay = Array.from({ length: days }, () => {
    herd *= 1 + 0.004 * random.normal();
    return base * herd * noise.next().value;
  });
  const [morning, evening] = [random.between(5, 7), random.between(16, 18)];
  const shares = (): Float64Array =>
    augers(
      random,
      (hour) =>
        0.25 + 1.4 * bump(hour, morning, 1.2) + 0.7 * bump(hour, 12, 1) + 1.4 * bump(hour, evening, 1.2),
      0.4,
    );
  return { perDay, shares, herds: [] };
}

function mill(random: Random, days: number): Demand {
  const noise = fluctuation(random, random.between(0.05, 0.08), 0.4);
  const base = random.between(3_000, 9_000);
  const workdays = random.happens(0.5) ? 5 : 6;
  const saturday = random.between(0.4, 0.7);
  const perDay = Array.from({ length: days }, (_, day) => {
    const kg = base * noise.next().value;
    const weekday = day % 7;
    if (weekday >= workdays || random.happens(0.012)) return 0;
    return weekday === 5 ? kg * saturday : kg;
  });
  const batch = random.whole(8, 16);
  const shares = (): Float64Array => {
    const slots = new Float64Array(SLOTS_PER_DAY);
    for (let slot = 6 * 12; slot < 17.5 * 12; slot += random.whole(batch - 3, batch + 3)) {
      slots[slot] = (slots[slot] ?? 0) + 1;
      slots[slot + 1] = (slots[slot + 1] ?? 0) + 1;
    }
    return normalised(slots);
  };
  return { perDay, shares, herds: [] };
}

/** Weeks with use, and months without. */
function seasonal(random: Random, days: number): Demand {
  const noise = fluctuation(random, random.between(0.08, 0.14));
  const base = random.between(1_000, 3_000);
  const perDay: number[] = new Array(days).fill(0);
  let day = -random.whole(0, 40);
  while (day < days) {
    const season = random.whole(30, 60);
    for (let at = day; at < day + season && at < days; at += 1)
      if (at >= 0) perDay[at] = base * noise.next().value;
    day += season + random.whole(25, 45);
  }
  const shares = (): Float64Array => augers(random, (hour) => (hour > 6 && hour < 20 ? 1 : 0.02), 0.6);
  return { perDay, shares, herds: [] };
}

/**
 * A pellet boiler: its use is proportional to the degrees by which a day is colder than 16 °C, plus hot water. The weather
 * changes within days.
 */
function heating(random: Random, days: number): Demand {
  const noise = fluctuation(random, random.between(0.03, 0.05));
  const kept = random.between(0.8, 0.9);
  const [perDegree, water] = [random.between(25, 60), random.between(1, 2.5)];
  const [yearly, swing, unsteady] = [random.between(7, 10), random.between(8, 10), random.between(2.5, 3.5)];
  let weather = unsteady * random.normal();
  const perDay = Array.from({ length: days }, (_, day) => {
    // The series begins on 12 January, twelve days before the coldest time of a year.
    const celsius = yearly - swing * Math.cos((2 * Math.PI * (day - 12)) / 365) + weather;
    weather = kept * weather + Math.sqrt(1 - kept * kept) * unsteady * random.normal();
    return perDegree * (Math.max(0, 16 - celsius) + water) * noise.next().value;
  });
  const shares = (): Float64Array =>
    augers(
      random,
      (hour) => 0.6 + 0.9 * bump(hour, 6.5, 1.5) + 0.5 * bump(hour, 19, 2.5) - (hour < 4 ? 0.3 : 0),
      0.4,
    );
  return { perDay, shares, herds: [] };
}
