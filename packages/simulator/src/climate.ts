import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import type { Silo } from './farm.ts';
import { wander } from './random.ts';

const YEAR_DAYS = 365.25;
const WARMEST_DAY = 200;
const WARMEST_HOUR = 15;
const HUMIDITY_WANDER = 7;
/** Warm air holds more water, so the same water is less of what it could hold. */
const HUMIDITY_PER_DEGREE = -1.1;
const HUMIDITY_MIN = 15;
const HUMIDITY_MAX = 97;

/** Season and weather are the site's, so its silos are warm and cold together; the night's cold is each silo's own. */
export function temperatureCAt(silo: Silo, timeMs: number): number {
  const { meanC, seasonC, weatherC } = silo.facility.climate;
  const dayOfYear = (timeMs / DAY_MS) % YEAR_DAYS;
  const season = seasonC * wave(dayOfYear - WARMEST_DAY, YEAR_DAYS);
  const weather = weatherC * wander(`${silo.facility.name} weather`, timeMs / (2 * DAY_MS));
  return meanC + season + weather + dayNightC(silo, timeMs);
}

export function humidityAt(silo: Silo, timeMs: number): number {
  const wandering = HUMIDITY_WANDER * wander(`${silo.id} humidity`, timeMs / DAY_MS);
  const humidity = silo.meanHumidity + HUMIDITY_PER_DEGREE * dayNightC(silo, timeMs) + wandering;
  return Math.min(HUMIDITY_MAX, Math.max(HUMIDITY_MIN, humidity));
}

function dayNightC(silo: Silo, timeMs: number): number {
  const localHour = timeMs / HOUR_MS + silo.facility.utcOffsetHours;
  return silo.dayNightC * wave(localHour - WARMEST_HOUR, 24);
}

const wave = (x: number, period: number): number => Math.cos((2 * Math.PI * x) / period);
