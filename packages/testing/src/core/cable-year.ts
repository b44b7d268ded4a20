import {
  CABLE_DAYS,
  type CableInput,
  type CablePoint,
  type DayTemperature,
} from '@granary/core/foresight/grain/hot-spots';

/** A year of a store with one cable, day by day: harvest, sales, fans, seasons, sun and fog. */

const POINT_COUNT = 12;
const SPACING_M = 1;
const YEAR_DAYS = 365;
/** The number of days in which grain follows the air at the wall, the air above it and the floor below it. */
const WALL_DAYS = 120;
const SURFACE_DAYS = 12;
const FLOOR_DAYS = 40;
/** The share of the difference between two points that is levelled out per day; grain conducts badly. */
const CONDUCTION_SHARE = 0.01;
/** The points that a cooling front passes in a day of aeration. */
const FRONT_POINTS_PER_DAY = 2;
const FAN_HEAT_C = 1;
const AERATION_DAYS = 7;
const HARVEST_DAYS = { from: 195, to: 270 } as const;

export interface CableYearOptions {
  readonly seed: number;
  /** Whether the runs of fans are part of the input. */
  readonly tellsFans: boolean;
  readonly resolutionC: number;
  /** A point whose temperature rises by this every day from a day on; its neighbours get a fifth of that. */
  readonly hotSpot?: { readonly point: number; readonly fromDay: number; readonly perDayC: number };
}

export interface CableYear {
  readonly points: readonly CablePoint[];
  readonly outside: readonly DayTemperature[];
  readonly levels: readonly number[];
  /** The days of fills, sales and reported runs of fans. */
  readonly disturbances: readonly number[];
  /** The days of all runs of fans. */
  readonly fanDays: ReadonlySet<number>;
}

/** The random number generator of Park and Miller. */
export function randomOf(seed: number): () => number {
  let state = (Math.imul(seed, 48_271) >>> 1) % 2_147_483_646;
  return () => {
    state = ((state + 1) * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

export const normalOf = (random: () => number) => (): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** The input that is known at the end of a day. */
export function cableInput(year: CableYear, day: number, known: readonly string[] = []): CableInput {
  const lately = (days: readonly DayTemperature[]) => days.slice(Math.max(0, day - CABLE_DAYS + 1), day + 1);
  return {
    day,
    points: year.points.map((point) => ({ ...point, days: lately(point.days) })),
    levelM: year.levels[day] ?? null,
    outside: lately(year.outside),
    disturbedOn: year.disturbances.findLast((one) => one <= day) ?? null,
    known,
  };
}

export function cableYear({ seed, tellsFans, resolutionC, hotSpot }: CableYearOptions): CableYear {
  const random = randomOf(seed);
  const normal = normalOf(random);
  const grain = Array.from({ length: POINT_COUNT }, () => 12 + normal());
  const days: DayTemperature[][] = grain.map(() => []);
  const outside: DayTemperature[] = [];
  const levels: number[] = [];
  const disturbances: number[] = [];
  const fanDays = new Set<number>();
  const topM = POINT_COUNT * SPACING_M;
  let levelM = topM * (0.4 + 0.3 * random());
  let weather = 0;
  let fansUntil = -1;
  let front = 0;
  let heat = 0;
  for (let day = 0; day < YEAR_DAYS; day += 1) {
    weather = 0.8 * weather + 2.5 * normal();
    const isFog = random() < 0.25;
    const outsideC = 10 + 10 * Math.sin((2 * Math.PI * (day - 110)) / YEAR_DAYS) + weather;
    const swing = isFog ? 1.5 + random() : 6 + 8 * random();
    outside.push({ day, meanC: outsideC, minC: outsideC - swing / 2, maxC: outsideC + swing / 2 });
    const headC = outsideC + (isFog ? 0 : 4);

    const isHarvest = day >= HARVEST_DAYS.from && day <= HARVEST_DAYS.to;
    if (isHarvest && random() < 0.08 && levelM < 0.9 * topM) {
      const filledM = Math.min(0.97 * topM - levelM, topM * (0.1 + 0.3 * random()));
      const filledC = 18 + 10 * random();
      for (let point = 0; point < POINT_COUNT; point += 1) {
        const heightM = (point + 0.5) * SPACING_M;
        if (heightM > levelM && heightM <= levelM + filledM) grain[point] = filledC + normal();
      }
      levelM += filledM;
      disturbances.push(day);
    } else if (!isHarvest && random() < 0.02 && levelM > 0.2 * topM) {
      const soldM = topM * (0.05 + 0.1 * random());
      const before = [...grain];
      for (let point = 0; point < POINT_COUNT; point += 1) {
        grain[point] = before[Math.min(POINT_COUNT - 1, point + Math.round(soldM / SPACING_M))] ?? 0;
      }
      levelM -= soldM;
      disturbances.push(day);
    }

    const warm = Math.max(...grain.filter((_, point) => (point + 0.5) * SPACING_M < levelM));
    if (fansUntil < day && warm > outsideC + 8 && outsideC > -3 && random() < 0.15) {
      fansUntil = day + AERATION_DAYS;
      front = 0;
    }
    if (day <= fansUntil) {
      fanDays.add(day);
      if (tellsFans) disturbances.push(day);
      front += FRONT_POINTS_PER_DAY;
      for (let point = 0; point < Math.min(front, POINT_COUNT); point += 1) {
        grain[point] = (grain[point] ?? 0) * 0.3 + 0.7 * (outsideC + FAN_HEAT_C);
      }
    }

    const before = [...grain];
    const surface = Math.ceil(levelM / SPACING_M - 0.5) - 1;
    for (const [point, temperature] of before.entries()) {
      const below = before[point - 1] ?? temperature;
      const above = before[point + 1] ?? temperature;
      let change =
        CONDUCTION_SHARE * (below + above - 2 * temperature) + (outsideC - temperature) / WALL_DAYS;
      if (point === surface) change += (headC - temperature) / SURFACE_DAYS;
      if (point === 0) change += (outsideC + 3 - temperature) / FLOOR_DAYS;
      grain[point] = temperature + change;
    }
    if (hotSpot !== undefined && day >= hotSpot.fromDay) heat += hotSpot.perDayC;

    levels.push(levelM * (1 + 0.03 * normal()));
    for (const [point, temperature] of grain.entries()) {
      const heightM = (point + 0.5) * SPACING_M;
      const isFree = heightM > levelM;
      const away = Math.abs(point - (hotSpot?.point ?? Number.NaN));
      const heatedC = away === 0 ? heat : 0;
      const meanC = (isFree ? headC : temperature + heatedC + (away === 1 ? heat / 5 : 0)) + 0.05 * normal();
      const depthM = levelM - heightM;
      const wide = isFree ? 1.3 * swing : swing * 0.2 * Math.exp(-depthM / 0.3) + 0.2 + 0.1 * random();
      const shown = (value: number): number => Math.round(value / resolutionC) * resolutionC;
      // The mean is finer than the resolution, because it is made of many readings.
      days[point]?.push({
        day,
        meanC: Math.round(meanC / (resolutionC / 4)) * (resolutionC / 4),
        minC: shown(meanC - wide / 2),
        maxC: shown(meanC + wide / 2),
      });
    }
  }
  const points = days.map((ofPoint, index) => ({
    id: `point-${index + 1}`,
    cable: 1,
    point: index + 1,
    heightM: (index + 0.5) * SPACING_M,
    days: ofPoint,
  }));
  return { points, outside, levels, disturbances, fanDays };
}
