import type { SiloReading } from '../scale.ts';

/** Stands between scale and link: takes the reading just made and answers what is sent in its place, in that order. */
export type ReadingFault = (reading: SiloReading) => readonly SiloReading[];
