/** What a kind of field device can do. */
export interface Chassis {
  readonly name: string;
  /** How high it flies at least while it travels; `null` for one that stays on the ground. */
  readonly flightM: number | null;
  readonly speedMS: number;
  readonly climbMS: number;
  readonly accelerationMS2: number;
  /** How hard it brakes for what lies ahead, and how hard in an emergency. */
  readonly brakingMS2: number;
  readonly emergencyMS2: number;
  readonly turnDegreesPerS: number;
  /** Without payload. */
  readonly massKg: number;
  readonly battery: BatteryUse;
}

export interface BatteryUse {
  /** For every kilometre on top of the time it takes. */
  readonly percentPerKm: number;
  readonly awakePercentPerHour: number;
  /** While it works or moves. */
  readonly activePercentPerHour: number;
  /** At the base. */
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
