import type { Silo } from '../farm/farm.ts';
import { humidityAt, temperatureCAt } from '../physics/climate.ts';
import { jitter } from '../physics/random.ts';
import type { Reading } from '../physics/reading.ts';
import { round } from '../physics/resolution.ts';
import { bodyAt, type SiloBody } from './silo-body.ts';

/** One telemetry reading of a silo. */
export interface SiloReading extends Reading {
  readonly weight: number;
  readonly temperature: number;
  readonly humidity: number;
}

const TEMPERATURE_NOISE_C = 0.15;
const HUMIDITY_NOISE = 0.4;
const CLIMATE_RESOLUTION = 0.1;

/** Measures the body with the noise and the resolution of the scale model. */
export function measure(silo: Silo, { timeMs, weightKg }: SiloBody): SiloReading {
  const noise = (sensor: string) => jitter(`${silo.id} ${sensor}`, timeMs);
  const { resolutionKg, noiseKg } = silo.model;
  return {
    ts: timeMs,
    weight: clamp(round(weightKg + noise('weight') * noiseKg, resolutionKg), silo.capacityKg),
    temperature: round(
      temperatureCAt(silo, timeMs) + noise('temperature') * TEMPERATURE_NOISE_C,
      CLIMATE_RESOLUTION,
    ),
    humidity: clamp(
      round(humidityAt(silo, timeMs) + noise('moisture') * HUMIDITY_NOISE, CLIMATE_RESOLUTION),
      100,
    ),
  };
}

export const readingAt = (silo: Silo, timeMs: number): SiloReading => measure(silo, bodyAt(silo, timeMs));

const clamp = (value: number, max: number): number => Math.min(max, Math.max(0, value));
