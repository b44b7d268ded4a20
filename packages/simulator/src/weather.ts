import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import type { DeviceModel } from './device/device.ts';
import {
  type ActiveFaults,
  COMMON_FAULTS,
  createDrift,
  createReadingFault,
  type ReadingFault,
} from './faults.ts';
import { humidityAt, localHour, temperatureCAt, wave } from './physics/climate.ts';
import { type Facility, type FarmUnit, HILLSIDE, RIVERSIDE } from './physics/facilities.ts';
import { type Reading, round, wander } from './physics/numbers.ts';

/** The farm's weather stations; to add one, add a row. */
export const STATIONS: readonly FarmUnit[] = [
  { id: 'weather-01', name: 'Yard weather', firmwareVersion: '1.1.0', facility: HILLSIDE, zone: 'Yard' },
  { id: 'weather-02', name: 'Quay weather', firmwareVersion: '1.1.0', facility: RIVERSIDE, zone: 'Quay' },
];
/** It rains about an eighth of the time, some eighty millimetres in a month. */
const RAIN_BEGINS_AT = 0.4;
const RAIN_FACTOR_MM_PER_HOUR = 5;
export const WEATHER_FAULTS = {
  ...COMMON_FAULTS,
  drift: 'the measured temperature rises by 2 °C an hour',
  dropout: 'wind and rain are missing from every reading',
} as const;
const DRIFT_C_PER_HOUR = 2;

/** Measures the weather, and takes no commands. */
export class WeatherModel implements DeviceModel<WeatherReading> {
  readonly hasPower = true;
  readonly runMs = null;
  readonly #station: Placed;
  #nowMs: number;
  #measuredMs: number;

  constructor(station: Placed, nowMs: number) {
    this.#station = station;
    this.#nowMs = nowMs;
    this.#measuredMs = nowMs;
  }

  isBusy = (): boolean => false;
  endsInMs = (): null => null;
  obey = (): boolean => false;
  report = (): void => undefined;
  keep = async (): Promise<void> => undefined;

  advanceTo(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  measure(): WeatherReading {
    const sinceMs = this.#measuredMs;
    this.#measuredMs = this.#nowMs;
    return weatherAt(this.#station, this.#nowMs, sinceMs);
  }
}

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

/** Returns the weather, which depends on place and time only; the rain is the amount since the previous reading. */
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

export type WeatherFault = keyof typeof WEATHER_FAULTS;

/** A reading in the form in which it is sent: a faulty station leaves values out. */
export type SentWeather = Omit<WeatherReading, 'wind_speed' | 'rainfall'> &
  Partial<Pick<WeatherReading, 'wind_speed' | 'rainfall'>>;

export function createWeatherFault(faults: ActiveFaults<WeatherFault>): ReadingFault<SentWeather> {
  const ofProfile: ReadingFault<SentWeather>[] = [];
  if (faults.has('drift')) ofProfile.push(createDrift(warmer));
  if (faults.has('dropout')) ofProfile.push((reading) => [withoutWindAndRain(reading)]);
  return createReadingFault(faults, ofProfile);
}

const warmer = (reading: SentWeather, hours: number): SentWeather => ({
  ...reading,
  temperature: round(reading.temperature + DRIFT_C_PER_HOUR * hours, 0.1),
});

function withoutWindAndRain({ wind_speed, rainfall, ...others }: SentWeather): SentWeather {
  return others;
}
