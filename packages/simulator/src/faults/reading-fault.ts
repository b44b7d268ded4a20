import type { Reading } from '../physics/reading.ts';

/** Stands between sensors and link: takes the reading just made and answers what is sent in its place, in that order. */
export type ReadingFault<R extends Reading> = (reading: R) => readonly R[];
