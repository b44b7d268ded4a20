import type { FleetDevice } from '@granary/contract/fleet/devices';
import type { Tone } from '../../terminal/tone.ts';

/** What is most asked for, in this order. */
const MAIN_SENSORS = ['level', 'battery_level', 'temperature'];

const UNIT_SIGNS: Readonly<Record<string, string>> = { percent: '%', celsius: '°C' };

export const unitSign = (unit: string): string => UNIT_SIGNS[unit] ?? unit;

const TONES: Readonly<Record<string, Tone>> = { online: 'good', offline: 'bad' };

export const statusTone = (status: string): Tone | undefined => TONES[status] ?? 'warning';

/** The name of the sensor is left out for the level, which is what a silo is asked for. */
export function mainReading({ readings = {} }: FleetDevice): string {
  const name = MAIN_SENSORS.find((one) => readings[one] !== undefined);
  const reading = name === undefined ? undefined : readings[name];
  if (name === undefined || reading === undefined) return '-';
  const { value, unit, quality } = reading;
  const text = `${name.replace('_level', '')} ${Math.round(value * 10) / 10} ${unitSign(unit)}`;
  return quality === 'good' ? text : `${text} (${quality})`;
}
