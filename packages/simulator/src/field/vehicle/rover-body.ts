/** The true physical state of a field device. */
export interface RoverBody {
  /** In metres from its home, and above sea level. */
  readonly eastM: number;
  readonly northM: number;
  readonly altitudeM: number;
  readonly timeMs: number;
  /** Clockwise from north. */
  readonly headingDegrees: number;
  readonly speedMS: number;
  readonly batteryPercent: number;
  readonly payloadKg: number;
}

export const bodyAtHome = (
  { originAltitudeM }: { readonly originAltitudeM: number },
  timeMs: number,
): RoverBody => ({
  eastM: 0,
  northM: 0,
  altitudeM: originAltitudeM,
  timeMs,
  headingDegrees: 0,
  speedMS: 0,
  batteryPercent: 100,
  payloadKg: 0,
});
