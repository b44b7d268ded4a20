import type { Reading } from '../physics/reading.ts';
import type { ReadingFault } from './reading-fault.ts';

/** The sensors are stuck: every reading repeats the values of the first one with a new time. */
export function createStuck<R extends Reading>(): ReadingFault<R> {
  let frozen: R | undefined;
  return (reading) => {
    frozen ??= reading;
    return [{ ...frozen, ts: reading.ts }];
  };
}
