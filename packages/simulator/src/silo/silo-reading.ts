import type { Reading } from '../physics/reading.ts';

/** One telemetry reading of a silo. */
export interface SiloReading extends Reading {
  readonly weight: number;
  readonly temperature: number;
  readonly humidity: number;
  /** The temperatures along a cable, by sensor id. */
  readonly sensors?: Readonly<Record<string, number>>;
}
