import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { Device, type DeviceModel, type DeviceOptions } from '../device/device.ts';
import { type Facility, HILLSIDE, RIVERSIDE } from '../farm/farm.ts';
import { createReadingFault } from '../faults/fault.ts';
import { humidityAt, localHour, temperatureCAt, wave } from '../physics/climate.ts';
import { wander } from '../physics/random.ts';
import type { Reading } from '../physics/reading.ts';
import { round } from '../physics/resolution.ts';

export interface Station {
  readonly id: string;
  readonly name: string;
  readonly firmwareVersion: string;
  readonly facility: Facility;
  readonly zone: string;
}

export const STATIONS: readonly Station[] = [
  { id: 'weather-01', name: 'Yard weather', firmwareVersion: '1.1.0', facility: HILLSIDE, zone: 'Yard' },
  { id: 'weather-02', name: 'Quay weather', firmwareVersion: '1.1.0', facility: RIVERSIDE, zone: 'Quay' },
];

export interface WeatherReading extends Reading {
  readonly temperature: number;
  readonly humidity: number;
  readonly wind_speed: number;
  readonly atmospheric_pressure: number;
  readonly rainfall: number;
  readonly light_intensity: number;
}

const RAIN_MM_PER_HOUR_MAX = 6;

/** Depends on place and time only; the rain is what fell since the reading before. */
export function weatherAt(station: Station, timeMs: number, sinceMs: number): WeatherReading {
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
    rainfall: round(Math.max(0, weather('rain', 0.3)) * RAIN_MM_PER_HOUR_MAX * hours, 0.001),
    light_intensity: round(90_000 * daylight * (1 - 0.7 * Math.max(0, weather('clouds', 0.2))), 1),
  };
}

class WeatherModel implements DeviceModel<WeatherReading> {
  readonly hasPower = true;
  readonly runMs = null;
  readonly #station: Station;
  #nowMs: number;
  #measuredMs: number;

  constructor(station: Station, nowMs: number) {
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

/** Measures the weather, and takes no commands. */
export class WeatherStation extends Device<WeatherReading, WeatherModel> {
  constructor({
    station,
    ...device
  }: Omit<DeviceOptions<WeatherReading>, 'createReadingFault'> & { readonly station: Station }) {
    super({ ...device, createReadingFault }, ({ nowMs }) => new WeatherModel(station, nowMs));
  }
}
