/** Animals that grow and are replaced by young ones: all arrive on one day, and all leave on one day. */
export interface Herd {
  readonly kind: 'broiler' | 'pig';
  readonly heads: number;
  /** The days of a round; `presentDays` is the number of them on which animals are there. On the others the house is empty. */
  readonly roundDays: number;
  readonly presentDays: number;
  /** A day on which a round began, in days since 1970. */
  readonly beganOn: number;
}

/** The feed of a Ross 308 broiler, as hatched, in g on day 1 to 56 (Aviagen 2022). */
const BROILER_G = [
  12, 16, 20, 24, 27, 31, 35, 39, 44, 48, 52, 57, 62, 67, 72, 77, 83, 88, 94, 100, 105, 111, 117, 122, 128,
  134, 139, 145, 150, 156, 161, 166, 171, 176, 180, 185, 189, 193, 197, 201, 204, 207, 211, 213, 216, 219,
  221, 223, 225, 227, 229, 230, 231, 233, 233, 234,
] as const;
/** The share that a broiler eats of the feed in the table, which is for unlimited feed; houses differ. */
const BROILER_SHARE = 0.97;
const PIG_KG = 25;
const PIG_KG_PER_DAY = 0.88;
/** The energy that gilts and barrows take in a day at most, in kcal, and the energy of 1 kg of feed (NRC 2012). */
const PIG_KCAL = 10_700;
const FEED_KCAL_PER_KG = 3_300;

/** Returns the day of the round: 1 on its first day; greater than `presentDays` while the house is empty. */
export const ageOn = ({ roundDays, beganOn }: Herd, day: number): number =>
  ((((day - beganOn) % roundDays) + roundDays) % roundDays) + 1;

/** Returns the first day of the round to which a day belongs, and its first day without animals. */
export function roundOn(herd: Herd, day: number): { readonly startedOn: number; readonly endsOn: number } {
  const startedOn = day - ageOn(herd, day) + 1;
  return { startedOn, endsOn: startedOn + herd.presentDays };
}

export function feedKgOn(herd: Herd, day: number): number {
  const age = ageOn(herd, day);
  if (age > herd.presentDays) return 0;
  const { heads } = herd;
  if (herd.kind === 'broiler') return (heads * BROILER_SHARE * (BROILER_G[age - 1] ?? 234)) / 1_000;
  const bodyKg = PIG_KG + PIG_KG_PER_DAY * (age - 1);
  return (heads * PIG_KCAL * (1 - Math.exp(-Math.exp(-4.04) * bodyKg ** 0.995))) / FEED_KCAL_PER_KG;
}
