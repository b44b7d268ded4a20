import { COORDINATE_RESOLUTION, jitter, type Reading, round } from '../../physics/numbers.ts';
import type { RoverBody } from './chassis.ts';
import { environmentAt, type Located } from './environment.ts';
import { apartM, pointOf } from './ground.ts';

/** One telemetry reading of a field device. */
export interface FieldReading extends Reading {
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude: number;
  readonly battery_level: number;
  readonly signal_strength: number;
  readonly temperature: number;
  readonly humidity: number;
  readonly soil_moisture: number;
  readonly light_intensity: number;
  readonly wind_speed: number;
  readonly atmospheric_pressure: number;
}

/** The signal beside the base, its loss for every tenfold distance, and its minimum. */
const SIGNAL_NEAR_DBM = -48;
const SIGNAL_LOSS_DB = 22;
const SIGNAL_NEAR_M = 10;
const SIGNAL_MIN_DBM = -120;

export const signalDbm = (distanceM: number): number =>
  Math.max(SIGNAL_MIN_DBM, SIGNAL_NEAR_DBM - SIGNAL_LOSS_DB * Math.log10(1 + distanceM / SIGNAL_NEAR_M));

/** Measures the body and its environment with the noise and the resolution of real sensors. */
export function measure(unit: Located, body: RoverBody): FieldReading {
  const { timeMs } = body;
  const noise = (sensor: string, size: number) => size * jitter(`${unit.id} ${sensor}`, timeMs);
  const around = environmentAt(unit, body, timeMs);
  const { lat, lng } = pointOf(unit.ground, body);
  const fromBaseM = apartM(body, { eastM: 0, northM: 0 });
  return {
    ts: timeMs,
    latitude: round(lat, COORDINATE_RESOLUTION),
    longitude: round(lng, COORDINATE_RESOLUTION),
    altitude: round(body.altitudeM, 0.01),
    battery_level: round(body.batteryPercent, 0.01),
    signal_strength: round(signalDbm(fromBaseM) + noise('signal', 1.5), 0.5),
    temperature: round(around.temperatureC + noise('temperature', 0.2), 0.1),
    humidity: percent(around.humidityPercent + noise('moisture', 0.5)),
    soil_moisture: percent(around.soilMoisturePercent + noise('soil', 0.3)),
    light_intensity: round(around.lightLux * (1 + noise('light', 0.02)), 0.1),
    wind_speed: round(Math.max(0, around.windMS + noise('wind', 0.4)), 0.1),
    atmospheric_pressure: round(around.pressureHPa + noise('pressure', 0.1), 0.1),
  };
}

const percent = (value: number): number => round(Math.min(100, Math.max(0, value)), 0.1);
