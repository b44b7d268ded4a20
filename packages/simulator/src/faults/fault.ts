import type { SiloReading } from '../scale.ts';
import { createDrift } from './drift.ts';
import { createDuplicates } from './duplicates.ts';
import { createLate } from './late.ts';
import { createOutOfOrder } from './out-of-order.ts';
import type { ReadingFault } from './reading-fault.ts';
import { createStuck } from './stuck.ts';

/** What can go wrong with a simulated silo, as people write it. */
export const FAULTS = {
  'link-loss': 'the connection breaks for a minute every other minute, without a goodbye',
  duplicates: 'every reading is sent twice',
  late: 'every reading is sent about a minute after it was made',
  'out-of-order': 'readings are sent in groups of three, newest first',
  drift: 'the weight creeps up by 60 kg an hour',
  stuck: 'the values never change again',
} as const;

export type FaultName = keyof typeof FAULTS;

const READING_FAULTS: Record<Exclude<FaultName, 'link-loss'>, () => ReadingFault> = {
  stuck: createStuck,
  drift: createDrift,
  duplicates: createDuplicates,
  late: createLate,
  'out-of-order': createOutOfOrder,
};

/** Several faults work one after the other: first on the values, then on how they are sent. */
export function createReadingFault(names: ReadonlySet<FaultName>): ReadingFault {
  const chain = Object.entries(READING_FAULTS)
    .filter(([name]) => isFaultName(name) && names.has(name))
    .map(([, create]) => create());
  return (reading) =>
    chain.reduce<readonly SiloReading[]>((readings, fault) => readings.flatMap(fault), [reading]);
}

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name);
}
