import type { FleetDevice } from '@granary/contract/fleet/devices';
import type { FleetAlert } from '@granary/contract/fleet/records';
import { formatNumber, unitSymbol } from '../format/numbers.ts';

type About = Pick<FleetAlert, 'type' | 'current_value' | 'threshold' | 'sensor_id'>;

/** The measured value against its threshold, such as `90.5 / 90 %`; `null` for an alert that is not about a number. */
export function valueAgainstThreshold(
  { type, current_value, threshold, sensor_id }: About,
  readings: FleetDevice['readings'],
  language: string,
): string | null {
  if (current_value === null || threshold === null) return null;
  const unit = sensor_id === undefined ? UNITS[type] : readings?.[sensor_id]?.unit;
  const numbers = [current_value, threshold].map((value) => formatNumber(value, decimalsOf(value), language));
  return `${numbers.join(' / ')}${unit === undefined ? '' : ` ${unitSymbol(unit)}`}`;
}

const UNITS: Readonly<Partial<Record<FleetAlert['type'], string>>> = {
  low_level: 'percent',
  high_level: 'percent',
  critical_level: 'percent',
  low_battery: 'percent',
};

const decimalsOf = (value: number): number => (Number.isInteger(value) ? 0 : 1);
