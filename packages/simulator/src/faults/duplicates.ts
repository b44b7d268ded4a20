import type { Reading } from '../physics/reading.ts';
import type { ReadingFault } from './reading-fault.ts';

/** Every reading is sent twice, as after a lost acknowledgement. */
export function createDuplicates<R extends Reading>(): ReadingFault<R> {
  return (reading) => [reading, reading];
}
