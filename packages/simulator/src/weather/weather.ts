import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import type { Facility } from '../farm/facilities.ts';
import { humidityAt, localHour, temperatureCAt, wave } from '../physics/climate.ts';
import { wander } from '../physics/random.ts';
import type { Reading } from '../physics/reading.ts';
import { round } from '../physics/resolution.ts';

/** The properties of a weather station that its readings depend on. */
export interface Placed {
  readonly id: string;
  readonly facility: Facility;
}

export interface WeatherReading extends Reading {
  readonly temperature: number;
  readonly humidity: number;
  readonly wind_speed: number;
  readonly atmospheric_pressure: number;
  readonly rainfall: number;
  readonly light_intensity: number;
}

/** It rains about an eighth of the time, some eighty millimetres in a month. */
const RAIN_BEGINS_AT = 0.4;
const RAIN_FACTOR_MM_PER_HOUR = 5;

/** Depends on place and time only; the rain is what fell since the reading before. */
export function weatherAt(station: Placed, timeMs: number, sinceMs: number): WeatherReading {
  const { facility } = station;
  const exposed = { id: station.id, facility, dayNightC: 6, meanHumidity: 72 };
  const weather = (what: string, days: number) =>
    wander(`${facility.name} ${what}`, timeMs / (days * DAY_MS));
  const hours = Math.max(0, timeMs - sinceMs) / HOUR_MS;
  const daylight = Math.max(0, wave(localHour(exposed, timeMs) - 12, 24));
  return {
    ts: timeMs,
    temperature: round(temperatureCAt(exposed, timeMs), 0.1),
    humidity: round(humidityAt(exposed, timeMs), 0.1),
    wind_speed: round(Math.max(0, 3 + 3 * weather('wind', 0.1)), 0.1),
    atmospheric_pressure: round(1_013 + 14 * weather('pressure', 2), 0.1),
    rainfall: round(
      Math.max(0, weather('rain', 0.3) - RAIN_BEGINS_AT) * RAIN_FACTOR_MM_PER_HOUR * hours,
      0.001,
    ),
    light_intensity: round(90_000 * daylight * (1 - 0.7 * Math.max(0, weather('clouds', 0.2))), 1),
  };
}
