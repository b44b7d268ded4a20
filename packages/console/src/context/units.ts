import { convertUnit, quantityOf } from '@granary/common/units';
import type { MassUnit } from '@granary/contract/operations';
import type { Units } from '@granary/contract/views';
import { signal } from '@preact/signals';

/** The units in which values are stored; with them a value in another unit is shown as the device measures it. */
export const METRIC: Units = { mass: 'metric', temperature: 'celsius', speed: 'm/s' };

/** The units of the viewer. */
export const units = signal<Units>(METRIC);

/** The weight of a US bushel of the product in kg, by the id of the silo; where it is not known, pounds are shown. */
export const bushels = signal<ReadonlyMap<string, number>>(new Map());

/** Matches the unit of a rate: mass by time. */
const RATE = /^(\w+)\/(s|min|h)$/;

/** The units of rates by the unit of mass, chosen so that people do not read hundredths of a tonne per minute. */
const RATE_UNITS = { kg: 'kg/min', t: 't/h', lb: 'lb/min', short_ton: 'short_ton/h', bushel: 'bushel/h' };

/** The conversion of a stored value into the shown one, and back. */
export interface Conversion {
  readonly unit: string;
  readonly toShown: (stored: number) => number;
  readonly toStored: (shown: number) => number;
}

/** The conversion from a stored unit to the one in which the person reads it. */
export function conversion(stored: string, chosen: Units, bushelKg: number | null): Conversion {
  const unit = wantedUnit(stored, chosen, bushelKg !== null);
  const convert = (value: number, from: string, to: string): number =>
    from === to ? value : converted(value, from, to, bushelKg ?? 0);
  return {
    unit,
    toShown: (value) => convert(value, stored, unit),
    toStored: (value) => convert(value, unit, stored),
  };
}

function wantedUnit(stored: string, { mass, temperature, speed }: Units, hasBushel: boolean): string {
  const quantity = quantityOf(stored);
  if (quantity === 'temperature') return temperature === METRIC.temperature ? stored : temperature;
  if (quantity === 'speed') return speed === METRIC.speed ? stored : speed;
  const known = mass === 'bushel' && !hasBushel ? 'lb' : mass;
  if (known === 'metric') return stored;
  if (quantity === 'mass') return known;
  return quantityOf(RATE.exec(stored)?.[1] ?? '') === 'mass' ? RATE_UNITS[known] : stored;
}

function converted(value: number, from: string, to: string, bushelKg: number): number {
  if (from === 'bushel') return converted(value * bushelKg, 'kg', to, bushelKg);
  if (to === 'bushel') return converted(value, from, 'kg', bushelKg) / bushelKg;
  const [, mass, time = ''] = RATE.exec(from) ?? [];
  const [, toMass, toTime = ''] = RATE.exec(to) ?? [];
  const direct = convertUnit(value, from, to);
  if (direct !== null || mass === undefined || toMass === undefined) return direct ?? value;
  const seconds = (unit: string): number => convertUnit(1, unit, 's') ?? Number.NaN;
  return (converted(value, mass, toMass, bushelKg) * seconds(toTime)) / seconds(time);
}

/** The conversion into the units of the viewer, for a value of a device; `deviceId` is `null` for one of no device or of several. */
export const shownAs = (stored: string, deviceId: string | null): Conversion =>
  conversion(stored, units.value, deviceId === null ? null : (bushels.value.get(deviceId) ?? null));

const FIELD_DECIMALS = 3;

/** A converted number with the digits that a field shows. */
export const fieldNumber = (shown: number): number => Number(shown.toFixed(FIELD_DECIMALS));

/** An amount as it is typed, in a unit that a request can have, and to the gram. */
export function requestedMass(
  amount: number,
  unit: EnteredUnit,
  bushelKg: number,
): { readonly amount: number; readonly unit: MassUnit } {
  if (unit === 'short_ton') return { amount: convertUnit(amount, unit, 'lb') ?? Number.NaN, unit: 'lb' };
  if (unit === 'bushel') return { amount: Math.round(amount * bushelKg * 1_000) / 1_000, unit: 'kg' };
  return { amount, unit };
}

/** The units in which amounts can be typed; bushels only where their weight is known. */
export type EnteredUnit = MassUnit | 'short_ton' | 'bushel';
