import type { Reading } from './readings.ts';

/** Readings as consecutive numbers, which cost far less to pass between threads than objects. */
export type PackedReadings = Float64Array<ArrayBuffer>;

/** The numbers of one reading. A missing value is `NaN`, because every stored number is whole. */
export const FIELDS = 7;
/** The indexes of the time and of the first value in a reading. */
export const TIME_AT = 1;
export const VALUES_AT = 3;
const packed = (value: number | null): number => value ?? Number.NaN;
const unpacked = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;

export function packReadings(readings: readonly Reading[]): PackedReadings {
  const numbers = new Float64Array(readings.length * FIELDS);
  for (const [index, reading] of readings.entries()) packReading(reading, numbers, index * FIELDS);
  return numbers;
}

export function packReading(
  { deviceNo, tsMs, group, a, b, c, badMask }: Reading,
  numbers: PackedReadings,
  at: number,
): void {
  numbers[at] = deviceNo;
  numbers[at + TIME_AT] = tsMs;
  numbers[at + 2] = group;
  numbers[at + VALUES_AT] = packed(a);
  numbers[at + VALUES_AT + 1] = packed(b);
  numbers[at + VALUES_AT + 2] = packed(c);
  numbers[at + 6] = badMask;
}

export const countOf = (numbers: PackedReadings): number => numbers.length / FIELDS;

export function unpackReadings(numbers: PackedReadings): Reading[] {
  const readings: Reading[] = [];
  for (let at = 0; at < numbers.length; at += FIELDS) {
    readings.push({
      deviceNo: numbers[at] ?? 0,
      tsMs: numbers[at + 1] ?? 0,
      group: numbers[at + 2] ?? 0,
      a: unpacked(numbers[at + 3]),
      b: unpacked(numbers[at + 4]),
      c: unpacked(numbers[at + 5]),
      badMask: numbers[at + 6] ?? 0,
    });
  }
  return readings;
}
