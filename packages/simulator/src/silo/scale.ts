import { type Exposed, humidityAt, temperatureCAt } from '../physics/climate.ts';
import { jitter, type Reading, round } from '../physics/numbers.ts';
import { bodyAt, type SiloBody } from './silo-body.ts';
import type { Stocked } from './weight.ts';

const TEMPERATURE_NOISE_C = 0.15;
const HUMIDITY_NOISE = 0.4;
const CLIMATE_RESOLUTION = 0.1;

/** One telemetry reading of a silo. */
export interface SiloReading extends Reading {
  readonly weight: number;
  readonly temperature: number;
  readonly humidity: number;
  /** The temperatures along a cable, by sensor id. */
  readonly sensors?: Readonly<Record<string, number>>;
}

export interface Model {
  readonly name: string;
  readonly resolutionKg: number;
  readonly noiseKg: number;
}

/** The properties of a silo that its sensors depend on. */
export interface Weighed extends Stocked, Exposed {
  readonly facility: Exposed['facility'];
  readonly model: Model;
  /** A temperature cable hangs in the silo. */
  readonly hasCable?: true;
}

/** Measures the body with the noise and the resolution of the scale model. */
export function measure(silo: Weighed, { timeMs, weightKg }: SiloBody): SiloReading {
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

export const readingAt = (silo: Weighed, timeMs: number): SiloReading => measure(silo, bodyAt(silo, timeMs));

const clamp = (value: number, max: number): number => Math.min(max, Math.max(0, value));
