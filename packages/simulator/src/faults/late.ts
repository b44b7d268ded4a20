import type { Reading } from '../physics/reading.ts';
import type { ReadingFault } from './reading-fault.ts';

const HELD_BACK_COUNT = 6;

/** Readings arrive in order, but each only after several newer ones were measured: a minute late at the usual interval. */
export function createLate<R extends Reading>(): ReadingFault<R> {
  const held: R[] = [];
  return (reading) => {
    held.push(reading);
    return held.length > HELD_BACK_COUNT ? held.splice(0, 1) : [];
  };
}
