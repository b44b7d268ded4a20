import { HOUR_MS } from '@granary/contract/time';

export const ROVER: Chassis = {
  name: 'FR-2 Rover',
  flightM: null,
  speedMS: 3,
  climbMS: 0,
  accelerationMS2: 2,
  brakingMS2: 2,
  emergencyMS2: 6,
  turnDegreesPerS: 120,
  massKg: 60,
  battery: {
    percentPerKm: 3,
    awakePercentPerHour: 0.5,
    activePercentPerHour: 5,
    chargePercentPerHour: 60,
  },
};
export const DRONE: Chassis = {
  name: 'FD-1 Drone',
  flightM: 15,
  speedMS: 10,
  climbMS: 4,
  accelerationMS2: 4,
  brakingMS2: 4,
  emergencyMS2: 12,
  turnDegreesPerS: 180,
  massKg: 4,
  battery: {
    percentPerKm: 4,
    awakePercentPerHour: 1,
    activePercentPerHour: 120,
    chargePercentPerHour: 90,
  },
};
const METRES_PER_KM = 1_000;

/** The true physical state of a field device. */
export interface RoverBody {
  /** The position in metres from its home, and the altitude above sea level. */
  readonly eastM: number;
  readonly northM: number;
  readonly altitudeM: number;
  readonly timeMs: number;
  /** The heading, clockwise from north. */
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

/** The motion limits and the energy use of a type of vehicle. */
export interface Chassis {
  readonly name: string;
  /** The minimum height above ground while it travels; `null` for a ground vehicle. */
  readonly flightM: number | null;
  readonly speedMS: number;
  readonly climbMS: number;
  readonly accelerationMS2: number;
  /** The deceleration before a target; `emergencyMS2` is that of an emergency stop. */
  readonly brakingMS2: number;
  readonly emergencyMS2: number;
  readonly turnDegreesPerS: number;
  /** The mass without payload. */
  readonly massKg: number;
  readonly battery: BatteryUse;
}

interface BatteryUse {
  /** The use per kilometre, in addition to the use over time. */
  readonly percentPerKm: number;
  readonly awakePercentPerHour: number;
  /** The use while the device performs an action or moves. */
  readonly activePercentPerHour: number;
  /** The charging rate at the base. */
  readonly chargePercentPerHour: number;
}

/** The movement and the elapsed time since the last step. */
export interface Effort {
  readonly movedM: number;
  readonly elapsedMs: number;
  readonly isActive: boolean;
  readonly isCharging: boolean;
}

/** The energy for movement grows in proportion to the total mass. */
export function spend({ battery, massKg }: Chassis, body: RoverBody, effort: Effort): RoverBody {
  const { movedM, elapsedMs, isActive, isCharging } = effort;
  const hours = elapsedMs / HOUR_MS;
  if (isCharging) return charged(body, battery.chargePercentPerHour * hours);
  const load = 1 + body.payloadKg / massKg;
  const perHour = isActive ? battery.activePercentPerHour : battery.awakePercentPerHour;
  const used = (movedM / METRES_PER_KM) * battery.percentPerKm * load + perHour * hours;
  return charged(body, -used);
}

const charged = (body: RoverBody, percent: number): RoverBody => ({
  ...body,
  batteryPercent: Math.min(100, Math.max(0, body.batteryPercent + percent)),
});

/** An empty battery allows no movement. */
export const isEmpty = ({ batteryPercent }: RoverBody): boolean => batteryPercent <= 0;
