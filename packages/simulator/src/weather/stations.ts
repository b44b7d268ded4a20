import { type FarmUnit, HILLSIDE, RIVERSIDE } from '../farm/facilities.ts';

/** The farm's weather stations; to add one, add a row. */
export const STATIONS: readonly FarmUnit[] = [
  { id: 'weather-01', name: 'Yard weather', firmwareVersion: '1.1.0', facility: HILLSIDE, zone: 'Yard' },
  { id: 'weather-02', name: 'Quay weather', firmwareVersion: '1.1.0', facility: RIVERSIDE, zone: 'Quay' },
];
