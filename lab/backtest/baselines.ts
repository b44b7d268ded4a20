/** A level that was known at some time. */
export interface LevelAt {
  readonly slot: number;
  readonly kg: number;
}

export interface Known {
  /** The use of the closed days up to yesterday; `null` is a day whose use is not known. */
  readonly dailyKg: readonly (number | null)[];
  readonly levels: readonly LevelAt[];
  readonly slot: number;
  readonly lastRefillSlot: number;
}

const SLOTS_PER_HOUR = 12;
const DAY = 24 * SLOTS_PER_HOUR;

const daysOf = ({ dailyKg }: Known, count: number): number[] =>
  dailyKg.slice(-count).filter((kg) => kg !== null);

const at = ({ levels }: Known): number => levels.at(-1)?.kg ?? Number.NaN;

function byDailyUse(known: Known, kgPerDay: number): number {
  return kgPerDay > 0 ? (24 * Math.max(0, at(known))) / kgPerDay : Number.NaN;
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? Number.NaN : values.reduce((sum, one) => sum + one, 0) / values.length;

/** The hours by a straight line through the levels of a period, by least squares. */
function byLine(known: Known, sinceSlot: number): number {
  const points = known.levels.filter(({ slot }) => slot >= sinceSlot);
  if (points.length < 4) return Number.NaN;
  const [x, y] = [mean(points.map(({ slot }) => slot)), mean(points.map(({ kg }) => kg))];
  let [above, below] = [0, 0];
  for (const { slot, kg } of points) {
    above += (slot - x) * (kg - y);
    below += (slot - x) ** 2;
  }
  const kgPerSlot = above / below;
  if (!(kgPerSlot < 0)) return Number.NaN;
  const now = y + kgPerSlot * (known.slot - x);
  return Math.max(0, -now / kgPerSlot / SLOTS_PER_HOUR);
}

/** Simpler methods that others use, computed with the same ledger. */
export const BASELINES: readonly { readonly name: string; hoursToEmpty(known: Known): number }[] = [
  { name: 'level / mean of 7 days', hoursToEmpty: (known) => byDailyUse(known, mean(daysOf(known, 7))) },
  { name: 'last day', hoursToEmpty: (known) => byDailyUse(known, mean(daysOf(known, 1))) },
  {
    name: 'line since the refill, 7 days',
    hoursToEmpty: (known) => byLine(known, Math.max(known.lastRefillSlot, known.slot - 7 * DAY)),
  },
  {
    name: 'same weekday, 3 weeks, weighted',
    hoursToEmpty: (known) => {
      const weeks = [7, 14, 21].map((back) => known.dailyKg.at(-back) ?? null);
      const [one, two, three] = weeks;
      if (one === undefined || one === null) return Number.NaN;
      return byDailyUse(known, (3 * one + 2 * (two ?? one) + (three ?? two ?? one)) / 6);
    },
  },
  { name: 'line of 24 hours', hoursToEmpty: (known) => byLine(known, known.slot - DAY) },
];
