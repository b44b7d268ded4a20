import type { DeviceKind } from '@granary/contract/telemetry/channels';
import type { Reading } from '../physics/reading.ts';
import type { SiloReading } from '../silo/scale.ts';
import { createDrift } from './drift.ts';
import { createDuplicates } from './duplicates.ts';
import { createLate } from './late.ts';
import { createOutOfOrder } from './out-of-order.ts';
import type { ReadingFault } from './reading-fault.ts';
import { createStuck } from './stuck.ts';

const FAULTS_OF_ALL = {
  'link-loss': 'the connection breaks for a minute every other minute, without a goodbye',
  duplicates: 'every reading is sent twice',
  late: 'every reading is sent after six newer ones were made: a minute late while at rest',
  'out-of-order': 'readings are sent in groups of three, newest first',
  stuck: 'the values never change again',
  'ignore-commands': 'every command is received and nothing is done about it',
  'late-ack': 'nothing is said of what was begun until 15 seconds after it began',
  'link-loss-while-running': 'the connection breaks two seconds into whatever was begun, until it has ended',
} as const;

/** What can go wrong with a simulated device of either kind, as people write it. */
export const FAULTS = {
  silo: {
    ...FAULTS_OF_ALL,
    drift: 'the weight creeps up by 60 kg an hour',
    stall: 'nothing moves beyond the half of an operation, which goes on all the same',
    'lying-amount': 'a fifth more is reported as moved than was',
  },
  field: {
    ...FAULTS_OF_ALL,
    'skip-waypoint': 'every second waypoint of a mission is passed over',
    'die-half-way': 'the power fails half-way through a mission, for half a minute',
  },
} as const satisfies Record<DeviceKind, Record<string, string>>;

export type FaultNameOf<Kind extends DeviceKind> = string & keyof (typeof FAULTS)[Kind];
export type FaultName = { [Kind in DeviceKind]: FaultNameOf<Kind> }[DeviceKind];

/** Several faults work one after the other: first on the values, then on how they are sent. */
export function createReadingFault<R extends Reading>(names: ReadonlySet<FaultName>): ReadingFault<R> {
  const chain: ReadingFault<R>[] = [];
  if (names.has('stuck')) chain.push(createStuck());
  if (names.has('duplicates')) chain.push(createDuplicates());
  if (names.has('late')) chain.push(createLate());
  if (names.has('out-of-order')) chain.push(createOutOfOrder());
  return (reading) => chain.reduce<readonly R[]>((readings, fault) => readings.flatMap(fault), [reading]);
}

/** A scale can drift besides; that is a fault of the values, so it comes first. */
export function createSiloReadingFault(names: ReadonlySet<FaultName>): ReadingFault<SiloReading> {
  const common = createReadingFault<SiloReading>(names);
  if (!names.has('drift')) return common;
  const drift = createDrift();
  return (reading) => drift(reading).flatMap(common);
}

export const isFaultOf = (kind: DeviceKind, name: string): name is FaultName =>
  Object.hasOwn(FAULTS[kind], name);
