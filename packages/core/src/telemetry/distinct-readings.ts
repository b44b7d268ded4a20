import type { Reading } from './readings.ts';

/** One reading per device, time and group, ordered by time; of two values of the same sensor the first to arrive is kept. */
export function distinctReadings(readings: readonly Reading[]): Reading[] {
  const distinct: Reading[] = [];
  let previous: Reading | undefined;
  for (const reading of readings.toSorted(byTimeDeviceAndGroup)) {
    if (previous !== undefined && byTimeDeviceAndGroup(previous, reading) === 0) {
      previous = merged(previous, reading);
      distinct[distinct.length - 1] = previous;
    } else {
      previous = reading;
      distinct.push(reading);
    }
  }
  return distinct;
}

const byTimeDeviceAndGroup = (one: Reading, other: Reading): number =>
  one.tsMs - other.tsMs || one.deviceNo - other.deviceNo || one.group - other.group;

function merged(first: Reading, later: Reading): Reading {
  const missing = missingPart(first, later);
  if (missing === undefined) return first;
  return {
    ...first,
    a: first.a ?? missing.a,
    b: first.b ?? missing.b,
    c: first.c ?? missing.c,
    badMask: first.badMask | missing.badMask,
  };
}

type Values = Pick<Reading, 'a' | 'b' | 'c'>;

/** The part of a repeated reading that the stored one, good and bad values together, did not have. */
export function missingPart(stored: Values, sent: Reading): Reading | undefined {
  const a = stored.a === null ? sent.a : null;
  const b = stored.b === null ? sent.b : null;
  const c = stored.c === null ? sent.c : null;
  if (a === null && b === null && c === null) return undefined;
  const mask = (a === null ? 0 : 1) | (b === null ? 0 : 2) | (c === null ? 0 : 4);
  return { ...sent, a, b, c, badMask: sent.badMask & mask };
}
