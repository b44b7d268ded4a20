import { roundTo6 } from '../units.ts';
import type { ExportedSensor } from './exported-sensors.ts';

/** A stored value in the unit of the export; without a share it has exactly the digits that were stored. */
export function exportedValue(stored: number, { scale, wholeKg }: ExportedSensor): number {
  const value = stored / scale;
  return wholeKg === null ? value : roundTo6((value / wholeKg) * 100);
}
