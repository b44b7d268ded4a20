const DECIMALS = 7;
/** About a centimetre. */
export const COORDINATE_RESOLUTION = 1e-7;

/** One telemetry reading. */
export interface Reading {
  readonly ts: number;
}

/** Rounds to the resolution of a sensor, so that digits such as 0.30000000000000004 are not sent and stored. */
export const round = (value: number, resolution: number): number =>
  Number((Math.round(value / resolution) * resolution).toFixed(DECIMALS));
