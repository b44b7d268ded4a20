import type { Grain } from '@granary/contract/foresight/silo-use';
import { clamp } from '../statistics.ts';
import { GRAIN_DATA } from './grains.ts';

/** The equation was fitted to measurements in about these ranges; outside of them the nearest value is used. */
const HUMIDITY_PERCENT = { min: 5, max: 95 } as const;
const TEMPERATURE_C = { min: -20, max: 50 } as const;
const MOISTURE_PERCENT = { min: 1, max: 40 } as const;
const K_SCALE = 1e-5;

export interface Air {
  readonly temperatureC: number;
  readonly humidityPercent: number;
}

/** The moisture, in % of the wet mass, that grain reaches in air of this state (Modified Henderson equation). */
export function equilibriumMoisturePercent(grain: Grain, { temperatureC, humidityPercent }: Air): number {
  const { k, n, c } = GRAIN_DATA[grain].henderson;
  const humidity = clamp(humidityPercent, HUMIDITY_PERCENT.min, HUMIDITY_PERCENT.max) / 100;
  return ofWetMass((-Math.log(1 - humidity) / (k * K_SCALE * (clampedC(temperatureC) + c))) ** (1 / n));
}

/** The relative humidity of the air between the grains. Mould does not grow below about 65 %. */
export function equilibriumHumidityPercent(
  grain: Grain,
  temperatureC: number,
  moisturePercent: number,
): number {
  const { k, n, c } = GRAIN_DATA[grain].henderson;
  const dry = ofDryMass(moisturePercent);
  const humidity = 1 - Math.exp(-k * K_SCALE * (clampedC(temperatureC) + c) * dry ** n);
  return clamp(100 * humidity, HUMIDITY_PERCENT.min, HUMIDITY_PERCENT.max);
}

/** A fan warms the air that it moves; the water in the air stays the same, so its relative humidity falls. */
export function warmedAir({ temperatureC, humidityPercent }: Air, byC: number): Air {
  const vapour = vapourPressureHpa({ temperatureC, humidityPercent });
  return airOf(clampedC(temperatureC) + clamp(byC, 0, TEMPERATURE_C.max), vapour);
}

/** The air of this temperature and partial pressure of water. */
export const airOf = (temperatureC: number, vapourHpa: number): Air => ({
  temperatureC,
  humidityPercent: clamp((100 * vapourHpa) / saturationHpa(temperatureC), 0, 100),
});

export const vapourPressureHpa = ({ temperatureC, humidityPercent }: Air): number =>
  (saturationHpa(temperatureC) * clamp(humidityPercent, 0, 100)) / 100;

/** The Magnus formula over water, with the constants of the WMO. */
const saturationHpa = (temperatureC: number): number => {
  const t = clamp(temperatureC, TEMPERATURE_C.min - 40, TEMPERATURE_C.max + 40);
  return 6.112 * Math.exp((17.62 * t) / (243.12 + t));
};

const clampedC = (temperatureC: number): number => clamp(temperatureC, TEMPERATURE_C.min, TEMPERATURE_C.max);

const ofWetMass = (dryPercent: number): number => (100 * dryPercent) / (100 + dryPercent);

export function ofDryMass(wetPercent: number): number {
  const wet = clamp(wetPercent, MOISTURE_PERCENT.min, MOISTURE_PERCENT.max);
  return (100 * wet) / (100 - wet);
}
