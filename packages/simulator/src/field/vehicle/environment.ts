import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { type Exposed, humidityAt, localHour, temperatureCAt, wave } from '../../physics/climate.ts';
import type { Facility } from '../../physics/facilities.ts';
import { wander } from '../../physics/numbers.ts';
import { type Ground, type Place, surfaceM } from './ground.ts';

/** The properties of a device that its surroundings depend on. */
export interface Located {
  readonly id: string;
  readonly facility: Facility;
  readonly ground: Ground;
  /** The soil moisture around its home, in percent. */
  readonly soilMoisture: number;
}

/** The conditions at a place and time. */
export interface Environment {
  readonly temperatureC: number;
  readonly humidityPercent: number;
  readonly soilMoisturePercent: number;
  readonly lightLux: number;
  readonly windMS: number;
  readonly pressureHPa: number;
}

/** On open land day and night differ more than in a silo, and the air is moister. */
const DAY_NIGHT_C = 6;
const MEAN_HUMIDITY = 72;

const COOLING_C_PER_M = 0.0065;
const NOON_LUX = 90_000;
const MOON_LUX = 0.2;
/** The share of the light that the thickest clouds absorb. */
const CLOUD_SHARE = 0.7;
const SEA_LEVEL_HPA = 1_013;
const HPA_PER_M = 0.12;
const WINDIEST_HOUR = 14;

const exposed = ({ id, facility }: Located): Exposed => ({
  id,
  facility,
  dayNightC: DAY_NIGHT_C,
  meanHumidity: MEAN_HUMIDITY,
});

/** Returns the environment, which depends on place and time only, like the weather at the silos. */
export function environmentAt(unit: Located, place: Place, timeMs: number): Environment {
  const { facility, ground } = unit;
  const abroad = exposed(unit);
  const heightM = place.altitudeM - surfaceM(ground, place);
  const hour = localHour(abroad, timeMs);
  const weather = (what: string, days: number) =>
    wander(`${facility.name} ${what}`, timeMs / (days * DAY_MS));
  return {
    temperatureC:
      temperatureCAt(abroad, timeMs) - COOLING_C_PER_M * (place.altitudeM - ground.originAltitudeM),
    humidityPercent: humidityAt(abroad, timeMs),
    soilMoisturePercent: soilMoistureAt(unit, place) + 5 * weather('rain', 3),
    lightLux: MOON_LUX + NOON_LUX * daylight(hour) * (1 - CLOUD_SHARE * Math.max(0, weather('clouds', 0.2))),
    windMS: Math.max(
      0,
      (3 + 1.5 * wave(hour - WINDIEST_HOUR, 24) + 3 * weather('wind', 0.1)) * (1 + heightM / 50),
    ),
    pressureHPa: SEA_LEVEL_HPA + 14 * weather('pressure', 2) - HPA_PER_M * place.altitudeM,
  };
}

/** The moisture varies within a few dozen metres: hollows are wet and ridges dry. */
const soilMoistureAt = ({ soilMoisture }: Located, { eastM, northM }: Place): number =>
  soilMoisture + 6 * Math.sin(eastM / 35) + 4 * Math.cos(northM / 28);

/** Daylight from 6:00 to 18:00, with the maximum at noon. */
const daylight = (hour: number): number => Math.max(0, wave(hour - 12, DAY_MS / HOUR_MS));
