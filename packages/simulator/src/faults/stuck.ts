import type { SiloReading } from '../scale.ts';
import type { ReadingFault } from './reading-fault.ts';

/** The sensors freeze: every reading repeats the first one's values under a new time. */
export function createStuck(): ReadingFault {
  let frozen: SiloReading | undefined;
  return (reading) => {
    frozen ??= reading;
    return [{ ...frozen, ts: reading.ts }];
  };
}
