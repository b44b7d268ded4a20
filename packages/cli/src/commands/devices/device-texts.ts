import type { FleetDevice, FleetReading } from '@granary/contract/fleet/devices';
import type { Tone } from '../../terminal/tone.ts';

/** What is most asked for, in this order. */
const MAIN_SENSORS = ['level', 'battery_level', 'temperature'];

const UNIT_SIGNS: Readonly<Record<string, string>> = { percent: '%', celsius: '°C' };

export const unitSign = (unit: string): string => UNIT_SIGNS[unit] ?? unit;

/** At most two decimals, without zeros at the end. */
export const numberText = (value: number): string => String(Math.round(value * 100) / 100);

const TONES: Readonly<Record<string, Tone>> = { online: 'good', offline: 'bad' };

export const statusTone = (status: string): Tone | undefined => TONES[status] ?? 'warning';

/** Two decimals of a degree of latitude would be a kilometre, so positions are not rounded. */
export function readingText({
  value,
  unit,
  quality,
}: Pick<FleetReading, 'value' | 'unit' | 'quality'>): string {
  const number = unit === 'degree' ? String(value) : numberText(value);
  const text = `${number} ${unitSign(unit)}`;
  return quality === 'good' ? text : `${text} (${quality})`;
}

export function mainReading({ readings = {} }: FleetDevice): string {
  const name = MAIN_SENSORS.find((one) => readings[one] !== undefined);
  const reading = name === undefined ? undefined : readings[name];
  if (name === undefined || reading === undefined) return '-';
  return `${name.replace('_level', '')} ${readingText(reading)}`;
}
