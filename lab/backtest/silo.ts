import { type Demand, demandOf, type Herd, type Kind, SLOTS_PER_DAY } from './demand.ts';
import { Random } from './random.ts';

export const SLOT_MS = 300_000;
/** Monday 2026-01-12 00:00 in Berlin; the clocks are put forward on day 76. */
export const START_MS = Date.UTC(2026, 0, 11, 23);
export const ZONE = 'Europe/Berlin';
const FORWARD_MS = Date.UTC(2026, 2, 29, 1);

export interface TrueRefill {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kg: number;
}

/** A silo with its true course, and with the reports of its scale. */
export interface Silo {
  readonly name: string;
  readonly kind: Kind;
  readonly slots: number;
  readonly capacityKg: number;
  readonly leadTimeH: number;
  /** The true content at the end of each slot. */
  readonly levelKg: Float64Array;
  /** The amount that would be taken out in each slot if the silo were never empty. */
  readonly demandKg: Float64Array;
  readonly refills: readonly TrueRefill[];
  readonly herds: readonly Herd[];
  /** The reported weight of each slot (`NaN` if it was lost), and the slot in which the report arrived. */
  readonly reportedKg: Float64Array;
  readonly arrivesAt: Int32Array;
  /** The hours from the end of a slot until the silo is empty without another refill; infinite if not within the series. */
  hoursToEmpty(slot: number): number;
}

export const timeOf = (slot: number): number => START_MS + slot * SLOT_MS;

/** The local day and the slot of that day. */
function localOf(slot: number): { day: number; slotOfDay: number } {
  const local = slot + (timeOf(slot) >= FORWARD_MS ? 12 : 0);
  return { day: Math.floor(local / SLOTS_PER_DAY), slotOfDay: local % SLOTS_PER_DAY };
}

export function makeSilos(kind: Kind, count: number, seed: number, days: number): Silo[] {
  const silos: Silo[] = [];
  for (let index = 0; index < count; index += 1) {
    const random = new Random(seed * 7_919 + index * 104_729 + kind.length * 1_299_709 + kind.charCodeAt(0));
    const demand = demandOf(kind, random, days + 1);
    const names = [`${kind}-${index + 1}`];
    if (kind === 'sequence') names.push(`${kind}-${index + 1}b`);
    silos.push(...simulate(kind, names, demand, random, days));
  }
  return silos.slice(0, count);
}

interface Filling {
  readonly slot: number;
  readonly slots: number;
  readonly kg: number;
}

function simulate(
  kind: Kind,
  names: readonly string[],
  demand: Demand,
  random: Random,
  days: number,
): Silo[] {
  const slots = days * SLOTS_PER_DAY;
  const wanted = new Float64Array(slots);
  let shares = demand.shares(0);
  let sharesDay = 0;
  for (let slot = 0; slot < slots; slot += 1) {
    const { day, slotOfDay } = localOf(slot);
    if (day !== sharesDay) {
      shares = demand.shares(day);
      sharesDay = day;
    }
    wanted[slot] = (demand.perDay[day] ?? 0) * (shares[slotOfDay] ?? 0);
  }
  const busy = demand.perDay.filter((kg) => kg > 0).sort((a, b) => a - b);
  const busyKg = busy[Math.floor(busy.length * 0.8)] ?? 1_000;
  const states = names.map((name) => {
    const capacityKg = Math.round((busyKg * random.between(4.5, 10)) / 100) * 100;
    return {
      name,
      capacityKg,
      kg: capacityKg * random.between(0.4, 0.9),
      levelKg: new Float64Array(slots),
      ownWanted: new Float64Array(slots),
      refills: [] as TrueRefill[],
      fillings: [] as Filling[],
      /** The truck comes when this many hours are left. */
      refillAtH: random.between(8, 60),
      emptySince: -1,
      isActive: new Uint8Array(slots),
    };
  });
  const total = cumulative(wanted);
  let active = 0;
  for (let slot = 0; slot < slots; slot += 1) {
    const { day, slotOfDay } = localOf(slot);
    const now = states[active];
    if (states.length > 1 && now !== undefined && now.kg <= 0.02 * now.capacityKg) {
      const other = states[1 - active];
      if (other !== undefined && other.kg > 0.05 * other.capacityKg) active = 1 - active;
    }
    for (const [index, state] of states.entries()) {
      const isActive = index === active;
      state.isActive[slot] = isActive ? 1 : 0;
      if (isActive) {
        state.ownWanted[slot] = wanted[slot] ?? 0;
        state.kg = Math.max(0, state.kg - (wanted[slot] ?? 0));
      }
      for (const filling of state.fillings)
        if (slot >= filling.slot)
          state.kg = Math.min(state.capacityKg, state.kg + filling.kg / filling.slots);
      while (state.fillings[0] !== undefined && slot >= state.fillings[0].slot + state.fillings[0].slots - 1)
        state.fillings.shift();
      state.levelKg[slot] = state.kg;
      if (state.kg > 0) state.emptySince = -1;
      else if (state.emptySince < 0) state.emptySince = slot;
      if (slot % 6 !== 0 || state.fillings.length > 0) continue;
      const isDaytime = slotOfDay > 6 * 12 && slotOfDay < 17 * 12;
      const isOpenDay = kind !== 'mill' || day % 7 < 5;
      if (!isDaytime || !isOpenDay) continue;
      const leftH = states.length > 1 ? 0 : hoursUntil(total, slot, state.kg);
      const emptyH = state.emptySince < 0 ? 0 : (slot - state.emptySince) / 12;
      if (leftH - emptyH > state.refillAtH) continue;
      // Of two silos the inactive one is filled, some hours after it was emptied.
      if (states.length > 1 && (state.kg > 0.3 * state.capacityKg || random.happens(0.9))) continue;
      state.refillAtH = random.happens(0.08) ? -random.between(6, 24) : random.between(6, 60);
      planRefill(state, slot, slots, random);
    }
  }
  return states.map((state) =>
    finished(kind, state, { slots, total, herds: demand.herds, perDay: demand.perDay }, random),
  );
}

/** One truck or two, each for 15 to 60 minutes. */
function planRefill(
  state: { kg: number; capacityKg: number; fillings: Filling[]; refills: TrueRefill[] },
  now: number,
  slots: number,
  random: Random,
): void {
  const free = state.capacityKg - state.kg;
  const amount = free * random.between(0.4, 0.95);
  const trucks = random.happens(0.12) && amount > 0.25 * state.capacityKg ? 2 : 1;
  let slot = now + random.whole(1, 12);
  for (let truck = 0; truck < trucks; truck += 1) {
    const length = random.whole(3, 12);
    const kg = amount / trucks;
    if (slot + length + 12 >= slots) return;
    state.fillings.push({ slot, slots: length, kg });
    state.refills.push({ fromMs: timeOf(slot - 1), toMs: timeOf(slot + length - 1), kg });
    slot += length + random.whole(5, 18);
  }
}

function cumulative(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let index = 0; index < values.length; index += 1)
    sums[index + 1] = (sums[index] ?? 0) + (values[index] ?? 0);
  return sums;
}

/** The hours after the end of a slot until `kg` more are taken out, by bisection. */
function hoursUntil(sums: Float64Array, slot: number, kg: number): number {
  const target = (sums[slot + 1] ?? 0) + kg;
  if ((sums.at(-1) ?? 0) < target) return Number.POSITIVE_INFINITY;
  let [low, high] = [slot, sums.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) >= target) high = middle;
    else low = middle;
  }
  return Math.max(0, (high - slot - 1) / 12);
}

interface Simulated {
  readonly name: string;
  readonly capacityKg: number;
  readonly levelKg: Float64Array;
  readonly ownWanted: Float64Array;
  readonly refills: readonly TrueRefill[];
  readonly isActive: Uint8Array;
}

function finished(
  kind: Kind,
  state: Simulated,
  world: { slots: number; total: Float64Array; herds: readonly Herd[]; perDay: readonly number[] },
  random: Random,
): Silo {
  const { slots, total } = world;
  const { reportedKg, arrivesAt } = scale(state.levelKg, state.capacityKg, random);
  const hoursToEmpty = (slot: number): number => {
    const kg = state.levelKg[slot] ?? 0;
    if (kg <= 0) return 0;
    let from = slot;
    while (from < slots && state.isActive[from] === 0) from += 1;
    return from >= slots ? Number.POSITIVE_INFINITY : (from - slot) / 12 + hoursUntil(total, from, kg);
  };
  return {
    name: state.name,
    kind,
    slots,
    capacityKg: state.capacityKg,
    leadTimeH: [24, 36, 48][random.whole(0, 2)] ?? 48,
    levelKg: state.levelKg,
    demandKg: state.ownWanted,
    refills: state.refills,
    herds: world.herds,
    reportedKg,
    arrivesAt,
    hoursToEmpty,
  };
}

/** Adds noise, sun, wind, resolution and drift to the weights, and makes some reports lost, late, repeated or wrong. */
function scale(
  levelKg: Float64Array,
  capacityKg: number,
  random: Random,
): { reportedKg: Float64Array; arrivesAt: Int32Array } {
  const slots = levelKg.length;
  const reportedKg = new Float64Array(slots);
  const arrivesAt = new Int32Array(slots);
  const noise = random.between(0.001, 0.005) * capacityKg;
  const wave = random.between(0.002, 0.005) * capacityKg;
  const digit = [1, 2, 5, 10, 20][random.whole(0, 4)] ?? 5;
  const driftPerSlot = random.happens(0.15)
    ? (random.between(-0.0003, 0.0003) * capacityKg) / SLOTS_PER_DAY
    : 0;
  let drift = 0;
  let sun = 0.6;
  let windUntil = 0;
  let windy = 1;
  let stuckUntil = 0;
  let spikeUntil = 0;
  let spike = 0;
  for (let slot = 0; slot < slots; slot += 1) {
    const { slotOfDay } = localOf(slot);
    if (slotOfDay === 0) sun = Math.min(1, Math.max(0.1, 0.5 * sun + 0.3 + 0.25 * random.normal()));
    drift += driftPerSlot;
    // A technician sets the scale to zero again.
    if (random.happens(1 / (40 * SLOTS_PER_DAY))) drift = 0;
    if (slot >= windUntil && random.happens(1 / (4 * SLOTS_PER_DAY))) {
      windUntil = slot + random.whole(12, 60);
      windy = random.between(3, 6);
    }
    if (slot >= spikeUntil && random.happens(1 / (2 * SLOTS_PER_DAY))) {
      spikeUntil = slot + (random.happens(0.2) ? random.whole(2, 4) : 1);
      spike = random.between(-0.6, 0.6) * capacityKg;
    }
    if (slot >= stuckUntil && random.happens(1 / (90 * SLOTS_PER_DAY)))
      stuckUntil = slot + random.whole(72, 360);
    const sunny = wave * sun * Math.sin((2 * Math.PI * (slotOfDay / 12 - 8)) / 24);
    const shaken = noise * (slot < windUntil ? windy : 1) * random.normal();
    const weight = (levelKg[slot] ?? 0) + sunny + shaken + drift + (slot < spikeUntil ? spike : 0);
    const isStuck = slot < stuckUntil && slot > 0;
    reportedKg[slot] = isStuck ? (reportedKg[slot - 1] ?? 0) : Math.round(weight / digit) * digit;
    arrivesAt[slot] = slot + (random.happens(0.004) ? random.whole(2, 72) : 0);
  }
  // A connection fails for an hour to three days; two of five devices send the kept readings afterwards.
  for (let slot = 0; slot < slots; slot += 1) {
    if (!random.happens(1 / (20 * SLOTS_PER_DAY))) continue;
    const length = Math.round(12 * 72 ** random.next());
    const isKept = random.happens(0.4);
    const end = Math.min(slots, slot + length);
    for (let at = slot; at < end; at += 1) {
      if (isKept) arrivesAt[at] = end;
      else reportedKg[at] = Number.NaN;
    }
    slot = end;
  }
  return { reportedKg, arrivesAt };
}
