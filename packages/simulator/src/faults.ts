import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import type { Reading } from './physics/numbers.ts';

/** The faults that every device can have. */
export const COMMON_FAULTS = {
  'link-loss': 'the connection is lost for one minute of every two, without DISCONNECT',
  duplicates: 'every reading is sent twice',
  late: 'every reading is sent after six newer ones were made: a minute late while at rest',
  'out-of-order': 'readings are sent in groups of three, newest first',
  stuck: 'the values never change again',
} as const;
/** The further faults of a device that carries out jobs. */
export const JOB_FAULTS = {
  'ignore-commands': 'every command is received and none is carried out',
  'late-ack': 'no report about a job until 15 seconds after it began',
  'link-loss-while-running': 'the connection is lost two seconds after a job began, until the job has ended',
} as const;
/** How long a device with the fault `late-ack` sends no report about a job it has begun. */
export const SILENCE_MS = 15 * SECOND_MS;
const UP_MS = MINUTE_MS;
const DOWN_MS = MINUTE_MS;
/** Long enough for the service to receive the report that the job has begun. */
const LINK_LOST_AFTER_MS = 2 * SECOND_MS;
const HELD_BACK_COUNT = 6;
const GROUP_LENGTH = 3;

export type CommonFault = keyof typeof COMMON_FAULTS;
export type JobFault = keyof typeof JOB_FAULTS;

/** The faults that are switched on. */
export interface ActiveFaults<Name extends string> {
  readonly has: (name: Name) => boolean;
}

/** Returns whether the link is down: it works for one minute and is down for the next, beginning with the start. */
export function linkIsLost(sinceStartMs: number): boolean {
  return sinceStartMs % (UP_MS + DOWN_MS) >= UP_MS;
}

/** `runMs` is `null` while the device is idle. */
export const linkIsLostBy = (runMs: number | null): boolean => runMs !== null && runMs >= LINK_LOST_AFTER_MS;

/** A fault between sensors and link: takes the latest reading and returns the readings to send in its place, in order. */
export type ReadingFault<R extends Reading> = (reading: R) => readonly R[];

/** Several faults apply in order: those of the profile, which change values, then the common ones. */
export function createReadingFault<R extends Reading>(
  faults: ActiveFaults<CommonFault>,
  ofProfile: readonly ReadingFault<R>[] = [],
): ReadingFault<R> {
  const chain: ReadingFault<R>[] = [...ofProfile];
  if (faults.has('stuck')) chain.push(createStuck());
  if (faults.has('duplicates')) chain.push((reading) => [reading, reading]);
  if (faults.has('late')) chain.push(createLate());
  if (faults.has('out-of-order')) chain.push(createOutOfOrder());
  return (reading) => chain.reduce<readonly R[]>((readings, fault) => readings.flatMap(fault), [reading]);
}

/** Returns a fault with which a measured value is increasingly wrong; `shifted` gets the hours since the fault began. */
export function createDrift<R extends Reading>(shifted: (reading: R, hours: number) => R): ReadingFault<R> {
  let sinceMs: number | undefined;
  return (reading) => {
    sinceMs ??= reading.ts;
    return [shifted(reading, (reading.ts - sinceMs) / HOUR_MS)];
  };
}

/** The sensors are stuck: every reading repeats the values of the first one with a new time. */
function createStuck<R extends Reading>(): ReadingFault<R> {
  let frozen: R | undefined;
  return (reading) => {
    frozen ??= reading;
    return [{ ...frozen, ts: reading.ts }];
  };
}

/** Readings arrive in order, but each only after several newer ones were measured: a minute late at the usual interval. */
function createLate<R extends Reading>(): ReadingFault<R> {
  const held: R[] = [];
  return (reading) => {
    held.push(reading);
    return held.length > HELD_BACK_COUNT ? held.splice(0, 1) : [];
  };
}

/** Readings are collected in small groups and sent newest first. */
function createOutOfOrder<R extends Reading>(): ReadingFault<R> {
  const group: R[] = [];
  return (reading) => {
    group.unshift(reading);
    return group.length === GROUP_LENGTH ? group.splice(0) : [];
  };
}
