import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import type { Facility } from './facilities.ts';
import { wander } from './numbers.ts';

const YEAR_DAYS = 365.25;
const WARMEST_DAY = 200;
const WARMEST_HOUR = 15;
const HUMIDITY_WANDER = 7;
/** Relative humidity falls when the air gets warmer. */
const HUMIDITY_PER_DEGREE = -1.1;
const HUMIDITY_MIN = 15;
const HUMIDITY_MAX = 97;

/** The properties of a site that modify the weather. */
export interface Exposed {
  readonly id: string;
  readonly facility: Facility;
  /** Half the temperature difference between night and afternoon; larger in thin steel than in concrete. */
  readonly dayNightC: number;
  readonly meanHumidity: number;
}

/** Season and weather are the same for all devices of a facility; the difference between day and night depends on the device. */
export function temperatureCAt(exposed: Exposed, timeMs: number): number {
  const { facility } = exposed;
  const weather = facility.climate.weatherC * wander(`${facility.name} weather`, timeMs / (2 * DAY_MS));
  return seasonalC(facility, timeMs) + weather + dayNightC(exposed, timeMs);
}

/** The temperature without weather, and without the difference between day and night. */
export function seasonalC({ climate: { meanC, seasonC } }: Facility, timeMs: number): number {
  const dayOfYear = (timeMs / DAY_MS) % YEAR_DAYS;
  return meanC + seasonC * wave(dayOfYear - WARMEST_DAY, YEAR_DAYS);
}

export function humidityAt(exposed: Exposed, timeMs: number): number {
  const wandering = HUMIDITY_WANDER * wander(`${exposed.id} humidity`, timeMs / DAY_MS);
  const humidity = exposed.meanHumidity + HUMIDITY_PER_DEGREE * dayNightC(exposed, timeMs) + wandering;
  return Math.min(HUMIDITY_MAX, Math.max(HUMIDITY_MIN, humidity));
}

function dayNightC(exposed: Exposed, timeMs: number): number {
  return exposed.dayNightC * wave(localHour(exposed, timeMs) - WARMEST_HOUR, 24);
}

export const localHour = ({ facility }: Exposed, timeMs: number): number =>
  timeMs / HOUR_MS + facility.utcOffsetHours;

export const wave = (x: number, period: number): number => Math.cos((2 * Math.PI * x) / period);
