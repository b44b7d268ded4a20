import type { Reading } from '../physics/reading.ts';
import type { ReadingFault } from './reading-fault.ts';

const GROUP_LENGTH = 3;

/** Readings are collected in small groups and sent newest first. */
export function createOutOfOrder<R extends Reading>(): ReadingFault<R> {
  const group: R[] = [];
  return (reading) => {
    group.unshift(reading);
    return group.length === GROUP_LENGTH ? group.splice(0) : [];
  };
}
