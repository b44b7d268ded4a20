import { restartBroker } from './broker-faults.ts';
import {
  dump,
  fillDisk,
  freezeDatabase,
  stopDatabaseFast,
  stopDatabaseImmediate,
} from './database-faults.ts';
import type { Fault } from './fault.ts';
import { cutNetwork, dieInTransaction, dueTogether, killNode, skewClock } from './node-faults.ts';

/** Each fault of a run, in its order. */
export const FAULTS: readonly Fault[] = [
  killNode,
  freezeDatabase,
  stopDatabaseFast,
  stopDatabaseImmediate,
  restartBroker,
  cutNetwork,
  dueTogether,
  skewClock,
  dump,
  fillDisk,
  dieInTransaction,
];
