import type { Reading } from '../physics/reading.ts';

/** Applied between sensors and link: takes the latest reading and returns the readings to send in its place, in order. */
export type ReadingFault<R extends Reading> = (reading: R) => readonly R[];
