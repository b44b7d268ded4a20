/** The simulated farm. To add a silo, add a row; the rest follows from it. */

export interface Facility {
  readonly name: string;
  readonly utcOffsetHours: number;
  /** The mean temperature of the year, its seasonal amplitude, and the amplitude of the weather. */
  readonly climate: { readonly meanC: number; readonly seasonC: number; readonly weatherC: number };
}

export interface Silo {
  readonly id: string;
  readonly name: string;
  readonly model: Model;
  readonly firmwareVersion: string;
  readonly facility: Facility;
  readonly zone: string;
  readonly capacityKg: number;
  readonly use: Use;
  readonly delivery: Delivery;
  /** Half the temperature difference between night and afternoon inside the silo; larger for thin steel than for concrete. */
  readonly dayNightC: number;
  readonly meanHumidity: number;
}

/** Material leaves evenly during these hours of the local day, each `[from, to)`. */
export interface Use {
  readonly hours: readonly (readonly [number, number])[];
  readonly dailyKg: number;
  /** The share of the daily use on Saturdays and Sundays. */
  readonly weekendShare: number;
}

/**
 * A truck comes every `everyDays` days and fills the silo. A silo that is not used at weekends is filled every whole number
 * of weeks, so that its level before each delivery is about the same.
 */
export interface Delivery {
  readonly everyDays: number;
  readonly hour: number;
  readonly minutes: number;
  /** As a share of the capacity. */
  readonly fillTo: number;
}

export interface Model {
  readonly name: string;
  readonly resolutionKg: number;
  readonly noiseKg: number;
}

export const HILLSIDE: Facility = {
  name: 'Hillside Farm',
  utcOffsetHours: 1,
  climate: { meanC: 11, seasonC: 9, weatherC: 6 },
};

export const RIVERSIDE: Facility = {
  name: 'Riverside Mill',
  utcOffsetHours: 1,
  climate: { meanC: 13, seasonC: 8, weatherC: 4 },
};

const LIGHT: Model = { name: 'GS-12 Light', resolutionKg: 1, noiseKg: 2 };
const STANDARD: Model = { name: 'GS-40', resolutionKg: 2, noiseKg: 5 };
const HEAVY: Model = { name: 'GS-120 Heavy', resolutionKg: 10, noiseKg: 20 };

export const SILOS: readonly Silo[] = [
  {
    id: 'silo-01',
    name: 'Dairy concentrate',
    model: LIGHT,
    firmwareVersion: '2.4.1',
    facility: HILLSIDE,
    zone: 'Dairy barn',
    capacityKg: 12_000,
    use: {
      hours: [
        [5, 7],
        [16, 18],
      ],
      dailyKg: 1_350,
      weekendShare: 1,
    },
    delivery: { everyDays: 7, hour: 9.5, minutes: 45, fillTo: 0.95 },
    dayNightC: 4,
    meanHumidity: 56,
  },
  {
    id: 'silo-02',
    name: 'Calf starter',
    model: LIGHT,
    firmwareVersion: '2.4.1',
    facility: HILLSIDE,
    zone: 'Dairy barn',
    capacityKg: 6_000,
    use: {
      hours: [
        [6, 7],
        [12, 13],
        [18, 19],
      ],
      dailyKg: 310,
      weekendShare: 1,
    },
    delivery: { everyDays: 14, hour: 10, minutes: 30, fillTo: 0.9 },
    dayNightC: 4,
    meanHumidity: 55,
  },
  {
    id: 'silo-03',
    name: 'Sow feed',
    model: STANDARD,
    firmwareVersion: '3.0.2',
    facility: HILLSIDE,
    zone: 'Pig house',
    capacityKg: 20_000,
    use: {
      hours: [
        [7, 8],
        [15, 16],
      ],
      dailyKg: 1_650,
      weekendShare: 1,
    },
    delivery: { everyDays: 10, hour: 13, minutes: 60, fillTo: 0.96 },
    dayNightC: 3,
    meanHumidity: 58,
  },
  {
    id: 'silo-04',
    name: 'Layer feed',
    model: STANDARD,
    firmwareVersion: '3.0.2',
    facility: HILLSIDE,
    zone: 'Hen house',
    capacityKg: 16_000,
    use: { hours: [[4, 20]], dailyKg: 2_400, weekendShare: 1 },
    delivery: { everyDays: 5, hour: 11, minutes: 50, fillTo: 0.92 },
    dayNightC: 3.5,
    meanHumidity: 54,
  },
  {
    id: 'silo-05',
    name: 'Pellet heating',
    model: STANDARD,
    firmwareVersion: '2.9.0',
    facility: HILLSIDE,
    zone: 'Boiler room',
    capacityKg: 30_000,
    use: { hours: [[0, 24]], dailyKg: 900, weekendShare: 1 },
    delivery: { everyDays: 24, hour: 8, minutes: 90, fillTo: 0.9 },
    dayNightC: 2,
    meanHumidity: 42,
  },
  {
    id: 'silo-06',
    name: 'Milling wheat',
    model: HEAVY,
    firmwareVersion: '1.12.0',
    facility: RIVERSIDE,
    zone: 'Intake',
    capacityKg: 120_000,
    use: { hours: [[6, 22]], dailyKg: 18_500, weekendShare: 0.1 },
    delivery: { everyDays: 7, hour: 5, minutes: 180, fillTo: 0.9 },
    dayNightC: 1.5,
    meanHumidity: 60,
  },
  {
    id: 'silo-07',
    name: 'Rye',
    model: HEAVY,
    firmwareVersion: '1.12.0',
    facility: RIVERSIDE,
    zone: 'Intake',
    capacityKg: 80_000,
    use: { hours: [[6, 14]], dailyKg: 5_800, weekendShare: 0 },
    delivery: { everyDays: 14, hour: 15, minutes: 150, fillTo: 0.94 },
    dayNightC: 1.5,
    meanHumidity: 61,
  },
  {
    id: 'silo-08',
    name: 'Bran',
    model: STANDARD,
    firmwareVersion: '3.0.2',
    facility: RIVERSIDE,
    zone: 'By-products',
    capacityKg: 25_000,
    use: {
      hours: [
        [8, 12],
        [13, 17],
      ],
      dailyKg: 3_900,
      weekendShare: 0,
    },
    delivery: { everyDays: 7, hour: 18, minutes: 120, fillTo: 0.88 },
    dayNightC: 2.5,
    meanHumidity: 52,
  },
  {
    id: 'silo-09',
    name: 'Flour type 550',
    model: STANDARD,
    firmwareVersion: '3.1.0',
    facility: RIVERSIDE,
    zone: 'Loading',
    capacityKg: 40_000,
    use: {
      hours: [
        [7, 9],
        [11, 13],
        [15, 16],
      ],
      dailyKg: 11_000,
      weekendShare: 1,
    },
    delivery: { everyDays: 3, hour: 20, minutes: 240, fillTo: 0.93 },
    dayNightC: 2,
    meanHumidity: 48,
  },
];
