import { HOUR_MS } from '@granary/contract/time';
import type { Reading } from '../physics/reading.ts';
import type { ActiveFaults, CommonFault } from './faults.ts';

/** Applied between sensors and link: takes the latest reading and returns the readings to send in its place, in order. */
export type ReadingFault<R extends Reading> = (reading: R) => readonly R[];

/** Several faults apply in order: those of the profile, which change values, then the common ones. */
export function createReadingFault<R extends Reading>(
  faults: ActiveFaults<CommonFault>,
  ofProfile: readonly ReadingFault<R>[] = [],
): ReadingFault<R> {
  const chain: ReadingFault<R>[] = [...ofProfile];
  if (faults.has('stuck')) chain.push(createStuck());
  if (faults.has('duplicates')) chain.push((reading) => [reading, reading]);
  if (faults.has('late')) chain.push(createLate());
  if (faults.has('out-of-order')) chain.push(createOutOfOrder());
  return (reading) => chain.reduce<readonly R[]>((readings, fault) => readings.flatMap(fault), [reading]);
}

/** A measured value is increasingly wrong; `shifted` is told the hours since the fault began. */
export function createDrift<R extends Reading>(shifted: (reading: R, hours: number) => R): ReadingFault<R> {
  let sinceMs: number | undefined;
  return (reading) => {
    sinceMs ??= reading.ts;
    return [shifted(reading, (reading.ts - sinceMs) / HOUR_MS)];
  };
}

/** The sensors are stuck: every reading repeats the values of the first one with a new time. */
function createStuck<R extends Reading>(): ReadingFault<R> {
  let frozen: R | undefined;
  return (reading) => {
    frozen ??= reading;
    return [{ ...frozen, ts: reading.ts }];
  };
}

const HELD_BACK_COUNT = 6;

/** Readings arrive in order, but each only after several newer ones were measured: a minute late at the usual interval. */
function createLate<R extends Reading>(): ReadingFault<R> {
  const held: R[] = [];
  return (reading) => {
    held.push(reading);
    return held.length > HELD_BACK_COUNT ? held.splice(0, 1) : [];
  };
}

const GROUP_LENGTH = 3;

/** Readings are collected in small groups and sent newest first. */
function createOutOfOrder<R extends Reading>(): ReadingFault<R> {
  const group: R[] = [];
  return (reading) => {
    group.unshift(reading);
    return group.length === GROUP_LENGTH ? group.splice(0) : [];
  };
}
