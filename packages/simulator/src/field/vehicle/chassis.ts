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
  /** Without payload. */
  readonly massKg: number;
  readonly battery: BatteryUse;
}

export interface BatteryUse {
  /** The use per kilometre, in addition to the use over time. */
  readonly percentPerKm: number;
  readonly awakePercentPerHour: number;
  /** The use while the device performs an action or moves. */
  readonly activePercentPerHour: number;
  /** The charging rate at the base. */
  readonly chargePercentPerHour: number;
}

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
