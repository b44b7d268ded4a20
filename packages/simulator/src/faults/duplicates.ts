import type { ReadingFault } from './reading-fault.ts';

/** Every reading is sent twice, as after an acknowledgement that got lost. */
export function createDuplicates(): ReadingFault {
  return (reading) => [reading, reading];
}
