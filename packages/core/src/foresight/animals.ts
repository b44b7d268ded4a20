import { rounded } from './robust.ts';
import type { AnimalKind, Animals } from './types.ts';

/** Ross 308, as hatched, performance objectives 2022: g of feed per bird on day 1 to 56. */
const BROILER_G = [
  12, 16, 20, 24, 27, 31, 35, 39, 44, 48, 52, 57, 62, 67, 72, 77, 83, 88, 94, 100, 105, 111, 117, 122, 128,
  134, 139, 145, 150, 156, 161, 166, 171, 176, 180, 185, 189, 193, 197, 201, 204, 207, 211, 213, 216, 219,
  221, 223, 225, 227, 229, 230, 231, 233, 233, 234,
];

/** Growing pigs: start weight, daily gain, and energy intake by weight (NRC 2012, mean of gilts and barrows). */
const PIG_START_KG = 25;
const PIG_GAIN_KG = 0.9;
const PIG_END_KG = 160;
const FEED_KCAL_PER_KG = 3_300;

/**
 * The share of a day's feed that broilers get on their last day, because they are not fed for eight to twelve hours before
 * they are caught.
 */
const CATCHING_PART = 0.6;

/** The greatest age at which animals of a kind are kept in such a house; an older start date is wrong. */
const AGE_DAYS_MAX: Record<AnimalKind, number> = {
  broiler: 84,
  pig: 260,
  layer: 900,
  dairy: 20_000,
  other: 20_000,
};
/** Animals may be entered this many days before they come. */
const AHEAD_DAYS_MAX = 90;
/** Animals that would eat more than this many silo capacities in one day, by their curve, are not plausible. */
const CAPACITY_PARTS_MAX = 2;

/** The feed of one animal on a day of its age, in kg; `null` if there is no curve for the kind. The first day has the age 0. */
export function feedAt(animals: Animals, ageDays: number): number | null {
  const { kind, curve } = animals;
  if (curve !== null && curve.length > 0) return curve[Math.min(Math.max(ageDays, 0), curve.length - 1)] ?? 0;
  if (kind === 'broiler') return broilerKg(ageDays);
  if (kind !== 'pig') return null;
  const kg = Math.min(PIG_START_KG + PIG_GAIN_KG * Math.max(ageDays, 0), PIG_END_KG);
  const gilts = 10_967 * (1 - Math.exp(-Math.exp(-3.803) * kg ** 0.9072));
  const barrows = 10_447 * (1 - Math.exp(-Math.exp(-4.283) * kg ** 1.0843));
  return (gilts + barrows) / 2 / FEED_KCAL_PER_KG;
}

export const broilerKg = (ageDays: number): number =>
  (BROILER_G[Math.min(Math.max(ageDays, 0), BROILER_G.length - 1)] ?? 0) / 1_000;

/** The feed of all animals on a day, in kg: 0 before they come and after they leave; `null` if there is no curve. */
export function expectedKg(animals: Animals, day: number): number | null {
  const each = feedAt(animals, day - animals.startedOnDay);
  if (each === null) return null;
  if (!isHoused(animals, day)) return 0;
  const isLast = animals.kind === 'broiler' && day + 1 === animals.endsOnDay;
  return each * animals.heads * (isLast ? CATCHING_PART : 1);
}

export function isHoused({ startedOnDay, endsOnDay }: Animals, day: number): boolean {
  return day >= startedOnDay && (endsOnDay === null || day < endsOnDay);
}

/** The field of the animals that cannot be true today; `null` if all are plausible. */
export function implausibleOf(
  animals: Animals,
  today: number,
  capacityKg: number,
): 'heads' | 'started_on' | 'ends_on' | null {
  const { kind, heads, startedOnDay, endsOnDay } = animals;
  if (!Number.isFinite(startedOnDay) || startedOnDay > today + AHEAD_DAYS_MAX) return 'started_on';
  if (endsOnDay !== null && !(endsOnDay > startedOnDay)) return 'ends_on';
  const lastDay = endsOnDay === null ? today : Math.min(today, endsOnDay);
  if (lastDay - startedOnDay > AGE_DAYS_MAX[kind]) return 'started_on';
  if (!Number.isFinite(heads) || heads <= 0) return 'heads';
  const most = feedAt(animals, Math.min(AGE_DAYS_MAX[kind], 200));
  return most !== null && most * heads > CAPACITY_PARTS_MAX * capacityKg ? 'heads' : null;
}

/** The part of the key of a history that stands for the animals. */
export const animalsKey = (animals: Animals | null): string =>
  animals === null
    ? ''
    : [
        animals.kind,
        animals.heads,
        animals.startedOnDay,
        animals.endsOnDay ?? '',
        (animals.curve ?? []).map((kg) => rounded(kg, 6)).join(' '),
      ].join(',');
