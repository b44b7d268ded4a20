import type { Labels } from '@granary/contract/devices/labels';

export interface Facility {
  readonly name: string;
  readonly utcOffsetHours: number;
  readonly timeZone: string;
  /** The mean temperature of the year, its seasonal amplitude, and the amplitude of the weather. */
  readonly climate: { readonly meanC: number; readonly seasonC: number; readonly weatherC: number };
}

/** What the table of each profile says about every device of the farm. */
export interface FarmUnit {
  readonly id: string;
  readonly name: string;
  readonly firmwareVersion: string;
  readonly facility: Facility;
  readonly zone: string;
  /** Those that it is registered with beside the label of all simulated devices. */
  readonly labels?: Labels;
}

export const HILLSIDE: Facility = {
  name: 'Hillside Farm',
  utcOffsetHours: 1,
  timeZone: 'Europe/Berlin',
  climate: { meanC: 11, seasonC: 9, weatherC: 6 },
};

export const RIVERSIDE: Facility = {
  name: 'Riverside Mill',
  utcOffsetHours: 1,
  timeZone: 'Europe/Berlin',
  climate: { meanC: 13, seasonC: 8, weatherC: 4 },
};
