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

export type CommonFault = keyof typeof COMMON_FAULTS;
export type JobFault = keyof typeof JOB_FAULTS;

/** The faults that are switched on. */
export interface ActiveFaults<Name extends string> {
  readonly has: (name: Name) => boolean;
}
