import type { Reading } from '../physics/reading.ts';
import type { ReadingFault } from './reading-fault.ts';

/** Every reading is sent twice, as after an acknowledgement that got lost. */
export function createDuplicates<R extends Reading>(): ReadingFault<R> {
  return (reading) => [reading, reading];
}
