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
  'ignore-commands': 'every command is received and nothing is done about it',
  'late-ack': 'nothing is said of an operation until 15 seconds after it began',
  stall: 'nothing moves beyond the half of an operation, which goes on all the same',
  'link-loss-while-running': 'the connection breaks two seconds into an operation, until it has ended',
  'lying-amount': 'a fifth more is reported as moved than was',
} as const;

export type FaultName = keyof typeof FAULTS;

const READING_FAULTS: Partial<Record<FaultName, () => ReadingFault>> = {
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
