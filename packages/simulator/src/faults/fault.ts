import type { DeviceGroup } from '@granary/contract/devices/groups';
import type { Reading } from '../physics/reading.ts';
import type { SiloReading } from '../silo/scale.ts';
import { createDrift } from './drift.ts';
import { createDuplicates } from './duplicates.ts';
import { createLate } from './late.ts';
import { createOutOfOrder } from './out-of-order.ts';
import type { ReadingFault } from './reading-fault.ts';
import { createStuck } from './stuck.ts';

const FAULTS_OF_ALL = {
  'link-loss': 'the connection is lost for one minute of every two, without DISCONNECT',
  duplicates: 'every reading is sent twice',
  late: 'every reading is sent after six newer ones were made: a minute late while at rest',
  'out-of-order': 'readings are sent in groups of three, newest first',
  stuck: 'the values never change again',
  'ignore-commands': 'every command is received and none is carried out',
  'late-ack': 'no report about a job until 15 seconds after it began',
  'link-loss-while-running': 'the connection is lost two seconds after a job began, until the job has ended',
} as const;

/** The names of the faults that both kinds of devices can have. */
export const FAULTS = {
  silo: {
    ...FAULTS_OF_ALL,
    drift: 'the measured weight rises by 60 kg an hour',
    stall: 'no material moves beyond half of the amount, and the operation is still reported as running',
    'lying-amount': 'the reported amount is a fifth larger than the moved one',
  },
  field: {
    ...FAULTS_OF_ALL,
    'skip-waypoint': 'every second waypoint of a mission is skipped',
    'die-half-way': 'the power fails half-way through a mission, for half a minute',
  },
} as const satisfies Record<DeviceGroup, Record<string, string>>;

export type FaultNameOf<Kind extends DeviceGroup> = string & keyof (typeof FAULTS)[Kind];
export type FaultName = { [Kind in DeviceGroup]: FaultNameOf<Kind> }[DeviceGroup];

/** Several faults apply in order: first those of the values, then those of the sending. */
export function createReadingFault<R extends Reading>(names: ReadonlySet<FaultName>): ReadingFault<R> {
  const chain: ReadingFault<R>[] = [];
  if (names.has('stuck')) chain.push(createStuck());
  if (names.has('duplicates')) chain.push(createDuplicates());
  if (names.has('late')) chain.push(createLate());
  if (names.has('out-of-order')) chain.push(createOutOfOrder());
  return (reading) => chain.reduce<readonly R[]>((readings, fault) => readings.flatMap(fault), [reading]);
}

/** A scale can also drift; that is a fault of the values, so it applies first. */
export function createSiloReadingFault(names: ReadonlySet<FaultName>): ReadingFault<SiloReading> {
  const common = createReadingFault<SiloReading>(names);
  if (!names.has('drift')) return common;
  const drift = createDrift();
  return (reading) => drift(reading).flatMap(common);
}

export const isFaultOf = (group: DeviceGroup, name: string): name is FaultName =>
  Object.hasOwn(FAULTS[group], name);
