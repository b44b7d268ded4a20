import type { Labels } from '@granary/contract/devices/labels';

export interface Facility {
  readonly name: string;
  readonly utcOffsetHours: number;
  readonly timeZone: string;
  /** The mean temperature of the year, its seasonal amplitude, and the amplitude of the weather. */
  readonly climate: { readonly meanC: number; readonly seasonC: number; readonly weatherC: number };
}

/** The properties of a device that the table of each profile has. */
export interface FarmUnit {
  readonly id: string;
  readonly name: string;
  readonly firmwareVersion: string;
  readonly facility: Facility;
  readonly zone: string;
  /** The labels of its registration, in addition to the label of all simulated devices. */
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
