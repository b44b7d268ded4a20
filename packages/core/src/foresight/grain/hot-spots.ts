import { clamp, median, medianSlope } from '../statistics.ts';

/** The slope of a point is computed over a week, and over fewer days after the grain was moved or aerated. */
const SLOPE_DAYS = 7;
const SLOPE_DAYS_MIN = 4;
/** The number of consecutive days on which the slope must be too steep. */
const STEEP_DAYS = 2;
const STEEP_C_PER_DAY = 0.3;
/** The temperature of the point itself must rise this fast; a point that only cools more slowly than the others is not warming. */
const RISING_C_PER_DAY = 0.2;
/**
 * A point must have warmed by this much more than its neighbours. The difference itself says little: layers that were filled
 * on different days, or cooled in part, differ by more than ten degrees and stay so, because grain conducts heat badly.
 */
const GAINED_C = 1.2;
const GAIN_DAYS = 10;
const GAIN_BASE_DAYS = 3;
/** A known hot spot stays a hot spot while it is warmer than its neighbours by at least this much. */
const STILL_ABOVE_NEIGHBOURS_C = 1;
const CRITICAL = { aboveNeighboursC: 5, temperatureC: 35, slopeCPerDay: 1 } as const;
const NEIGHBOUR_POINTS = 2;
/** Grain at the surface and at the floor follows the air, so there only a point that is warmer than the air heats itself. */
const WARMER_THAN_AIR_C = 1;
/** The air under a roof is warmer than the air outside by up to this much. */
const ROOF_C = 4;
/** After grain was filled, moved or aerated, its temperature needs this long to settle. */
const SETTLING_DAYS = 2;
/** Only moved air changes grain this much: one point that falls in a day, or two points that rise, one of them within a day. */
const FRONT_FALL_C = 1;
const FRONT_RISE_C = 2;
const FRONT_DAYS = 3;

/** A point in the grain has less than this share of the daily amplitude of the air; on days with a small amplitude nothing can be told. */
const COVERED_AMPLITUDE_SHARE = 0.3;
const AMPLITUDE_C_MIN = 3;
/** The level is computed from the weight, so a point this near to it may be above or below it. */
const LEVEL_TOLERANCE_M = 0.5;

/** Air that is this much colder than the grain makes moisture move to the top of the grain. */
const MIGRATION_OUTSIDE_COLDER_C = 10;
const MIGRATION_TOP_WARMER_C = 1;

/** The number of days before `CableInput.day` that are examined. */
export const CABLE_DAYS = 14;

/** A temperature of one local day; `day` counts days. */
export interface DayTemperature {
  readonly day: number;
  readonly meanC: number;
  readonly minC: number;
  readonly maxC: number;
}

export interface CablePoint {
  readonly id: string;
  readonly cable: number;
  /** Points are counted from the bottom. */
  readonly point: number;
  readonly heightM: number | null;
  /** The days ordered by time; a day without values is missing. */
  readonly days: readonly DayTemperature[];
}

export interface CableInput {
  /** The last complete day. */
  readonly day: number;
  readonly points: readonly CablePoint[];
  /** The height up to which the points are in grain, computed from the weight. */
  readonly levelM: number | null;
  /** The air outside, where the site has a weather station. */
  readonly outside: readonly DayTemperature[];
  /** The last day on which grain was filled, moved or aerated; `null` if unknown. The settling time is not part of it. */
  readonly disturbedOn: number | null;
  /** The ids of the points that are hot spots already. */
  readonly known: readonly string[];
}

type PointState = 'covered' | 'uncovered' | 'unknown';

interface PointResult {
  readonly id: string;
  readonly cable: number;
  readonly point: number;
  readonly heightM: number | null;
  readonly state: PointState;
  readonly temperatureC: number | null;
  readonly slopeCPerDay: number | null;
  readonly aboveNeighboursC: number | null;
  /** How much more the point warmed than its neighbours, in ten days or since the grain has settled. */
  readonly gainedC: number | null;
  readonly severity: 'warning' | 'critical' | null;
}

export interface CableResult {
  /** `settling` means that the slopes are not usable yet, because grain was filled, moved or aerated. */
  readonly status: 'watched' | 'settling' | 'no_data';
  readonly points: readonly PointResult[];
  readonly isMoistureMigrating: boolean;
}

/** The height of the surface. A cable hangs from the roof, so its points divide the height of the silo. */
export function levelM(fillShare: number, heightsM: readonly number[]): number | null {
  const sorted = [...new Set(heightsM)].sort((a, b) => a - b);
  const [lowest] = sorted;
  const highest = sorted.at(-1);
  if (lowest === undefined || highest === undefined || sorted.length < 2) return null;
  const halfStepM = (highest - lowest) / (sorted.length - 1) / 2;
  return clamp(fillShare, 0, 1) * (highest + halfStepM);
}

/** Finds hot spots. A cable measures about half a metre around it, so there may be hot spots that it does not find. */
export function hotSpots(input: CableInput): CableResult {
  const { day } = input;
  const settledOn = input.disturbedOn === null ? day - CABLE_DAYS : input.disturbedOn + SETTLING_DAYS;
  const states = new Map(input.points.map((point) => [point.id, stateOf(point, settledOn, input)]));
  const covered = input.points.filter(({ id }) => states.get(id) === 'covered');
  const since = Math.max(settledOn, frontOn(covered, input) + SETTLING_DAYS);
  const steep = steepness(covered, day, since);
  const points = input.points.map((one): PointResult => {
    const { id, cable, point, heightM } = one;
    const state = states.get(id) ?? 'unknown';
    const isCovered = state === 'covered';
    const neighbours = covered.filter((other) => isNeighbour(one, other));
    const measured = {
      temperatureC: meanOn(one, day),
      slopeCPerDay: isCovered ? slope(one, day, since) : null,
      aboveNeighboursC: isCovered ? aboveOn(one, neighbours, day) : null,
      gainedC: isCovered ? gain(one, neighbours, day, since) : null,
    };
    const isSteep = (steep.get(id) ?? 0) >= STEEP_C_PER_DAY && !isWarmedByAir(one, covered, states, input);
    const severity = severityOf(measured, isSteep, input.known.includes(id));
    return { id, cable, point, heightM, state, ...measured, severity };
  });
  const hasData = points.some(({ temperatureC }) => temperatureC !== null);
  const watched = day - since < SLOPE_DAYS_MIN + STEEP_DAYS - 2 ? 'settling' : 'watched';
  return {
    status: hasData ? watched : 'no_data',
    points,
    isMoistureMigrating: isMoistureMigrating(covered, input),
  };
}

/** Grain reduces the daily amplitude; if the amplitude of the air is small, as in fog, the level decides. */
function stateOf(
  { days, heightM }: CablePoint,
  settledOn: number,
  { points, outside, day, levelM }: CableInput,
): PointState {
  const from = Math.min(day, Math.max(day - SLOPE_DAYS + 1, settledOn));
  const own = amplitude(days, from, day);
  if (own === null) return 'unknown';
  const above = levelM !== null && heightM !== null ? heightM - levelM : null;
  if (above !== null && above > LEVEL_TOLERANCE_M) return 'uncovered';
  const others = [...points.map((point) => point.days), outside];
  const widest = Math.max(...others.map((other) => amplitude(other, from, day) ?? 0));
  if (widest >= AMPLITUDE_C_MIN) return own < COVERED_AMPLITUDE_SHARE * widest ? 'covered' : 'uncovered';
  return above !== null && above < -LEVEL_TOLERANCE_M ? 'covered' : 'unknown';
}

function amplitude(days: readonly DayTemperature[], from: number, to: number): number | null {
  const looked = within(days, from, to);
  return looked.length === 0 ? null : Math.max(...looked.map(({ minC, maxC }) => maxC - minC));
}

const within = (days: readonly DayTemperature[], from: number, to: number): readonly DayTemperature[] =>
  days.filter(({ day }) => day >= from && day <= to);

const meanOn = ({ days }: CablePoint, wanted: number): number | null =>
  days.find(({ day }) => day === wanted)?.meanC ?? null;

const isNeighbour = (one: CablePoint, other: CablePoint): boolean =>
  other.cable === one.cable && other.id !== one.id && Math.abs(other.point - one.point) <= NEIGHBOUR_POINTS;

function isFirstOrLast(one: CablePoint, covered: readonly CablePoint[]): boolean {
  const ofCable = covered.filter(({ cable }) => cable === one.cable).map(({ point }) => point);
  return one.point === Math.min(...ofCable) || one.point === Math.max(...ofCable);
}

/**
 * The last day on which a front of cooled or warmed air passed, although no fan was reported. The first and the last covered
 * point are left out: they follow the weather, as do points that a falling level has nearly uncovered.
 */
function frontOn(all: readonly CablePoint[], { day }: CableInput): number {
  const inner = all.filter((one) => !isFirstOrLast(one, all));
  const covered = inner.length > 0 ? inner : all;
  for (let on = day; on > day - CABLE_DAYS; on -= 1) {
    const changes = covered.map(
      (point) => (meanOn(point, on) ?? Number.NaN) - (meanOn(point, on - 1) ?? Number.NaN),
    );
    if (changes.some((change) => change < -FRONT_FALL_C)) return on;
    const risen = covered.filter((point) => {
      const before = meanOn(point, on - FRONT_DAYS);
      return before !== null && (meanOn(point, on) ?? before) - before > FRONT_RISE_C;
    });
    if (risen.length > 1 && changes.some((change) => change > FRONT_RISE_C)) return on;
  }
  return Number.NEGATIVE_INFINITY;
}

function slope({ days }: CablePoint, day: number, since: number): number | null {
  const looked = within(days, Math.max(day - SLOPE_DAYS + 1, since), day);
  return looked.length < SLOPE_DAYS_MIN
    ? null
    : medianSlope(looked.map((one) => ({ x: one.day, y: one.meanC })));
}

/** How much faster each point rose than the others of its cable; of the last days the one with the smallest difference counts. */
function steepness(covered: readonly CablePoint[], day: number, since: number): ReadonlyMap<string, number> {
  const least = new Map<string, number>();
  for (let on = day - STEEP_DAYS + 1; on <= day; on += 1) {
    const slopes = covered.map((point) => ({ point, own: slope(point, on, since) }));
    for (const { point, own } of slopes) {
      const others = slopes.filter((other) => other.point.cable === point.cable && other.point !== point);
      const usual = median(others.flatMap((other) => other.own ?? []));
      const more = own === null || usual === null ? Number.NEGATIVE_INFINITY : own - usual;
      least.set(point.id, Math.min(least.get(point.id) ?? more, more));
    }
  }
  return least;
}

function aboveOn(point: CablePoint, neighbours: readonly CablePoint[], day: number): number | null {
  const own = meanOn(point, day);
  const beside = median(neighbours.flatMap((other) => meanOn(other, day) ?? []));
  return own === null || beside === null ? null : own - beside;
}

function gain(
  point: CablePoint,
  neighbours: readonly CablePoint[],
  day: number,
  since: number,
): number | null {
  const from = Math.max(day - GAIN_DAYS, since);
  const earlier = Array.from({ length: GAIN_BASE_DAYS }, (_, index) =>
    aboveOn(point, neighbours, from + index),
  );
  const before = median(earlier.flatMap((one) => one ?? []));
  const now = aboveOn(point, neighbours, day);
  return before === null || now === null ? null : now - before;
}

/** Concerns only the first and the last covered point of a cable. If no air is measured, the air is assumed to be warm. */
function isWarmedByAir(
  point: CablePoint,
  covered: readonly CablePoint[],
  states: ReadonlyMap<string, PointState>,
  { points, outside, day }: CableInput,
): boolean {
  if (!isFirstOrLast(point, covered)) return false;
  const free = points.filter(({ id, cable }) => cable === point.cable && states.get(id) === 'uncovered');
  const lately = (days: readonly DayTemperature[]) => within(days, day - SLOPE_DAYS + 1, day);
  const air = free.flatMap(({ days }) => lately(days).map(({ meanC }) => meanC));
  if (air.length === 0) air.push(...lately(outside).map(({ meanC }) => meanC + ROOF_C));
  return air.length === 0 || (meanOn(point, day) ?? 0) < Math.max(...air) + WARMER_THAN_AIR_C;
}

function severityOf(
  {
    temperatureC,
    aboveNeighboursC,
    slopeCPerDay,
    gainedC,
  }: Omit<PointResult, 'id' | 'cable' | 'point' | 'heightM' | 'state' | 'severity'>,
  isSteep: boolean,
  isKnown: boolean,
): PointResult['severity'] {
  if (temperatureC === null || aboveNeighboursC === null) return null;
  const isWarming = isSteep && (slopeCPerDay ?? 0) >= RISING_C_PER_DAY && (gainedC ?? 0) >= GAINED_C;
  const isHot = aboveNeighboursC >= CRITICAL.aboveNeighboursC && temperatureC >= CRITICAL.temperatureC;
  if (!isWarming && !isHot && !(isKnown && aboveNeighboursC >= STILL_ABOVE_NEIGHBOURS_C)) return null;
  const isFast = isWarming && (slopeCPerDay ?? 0) >= CRITICAL.slopeCPerDay;
  const isCritical =
    isFast ||
    temperatureC >= CRITICAL.temperatureC ||
    (isWarming && aboveNeighboursC >= CRITICAL.aboveNeighboursC);
  return isCritical ? 'critical' : 'warning';
}

/** Warm air rises from the middle of the grain and leaves its water at the cold top. */
function isMoistureMigrating(covered: readonly CablePoint[], { day, outside }: CableInput): boolean {
  const outsideC = median(within(outside, day - SLOPE_DAYS + 1, day).map(({ meanC }) => meanC));
  const warm = covered.flatMap((one) => {
    const meanC = meanOn(one, day);
    return meanC === null ? [] : [{ point: one.point, meanC }];
  });
  const top = Math.max(...warm.map(({ point }) => point));
  const bottom = Math.min(...warm.map(({ point }) => point));
  const third = (point: number) => clamp(Math.floor((3 * (point - bottom)) / (top - bottom + 1)), 0, 2);
  const meanOf = (wanted: number) =>
    median(warm.filter(({ point }) => third(point) === wanted).map(({ meanC }) => meanC));
  const topC = meanOf(2);
  const middleC = meanOf(1);
  if (outsideC === null || topC === null || middleC === null) return false;
  return topC - middleC >= MIGRATION_TOP_WARMER_C && middleC - outsideC >= MIGRATION_OUTSIDE_COLDER_C;
}
