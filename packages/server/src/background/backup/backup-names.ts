import { randomBytes } from 'node:crypto';
import { toIso } from '@granary/contract/time';

const BACKUP = /^granary-\d{8}T\d{6}Z\.db$/;
const TIME_IN_NAME = /^granary-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;
const PARTIAL = /^granary-\d{8}T\d{6}Z-[0-9a-f]{8}\.partial/;

/** A time as part of a file name, such as `20261115T192000Z`; the names of several sort by time. */
export const timeInName = (timeMs: number): string => toIso(timeMs).replaceAll(/[-:]|\.\d+/g, '');

export const backupName = (nowMs: number): string => `granary-${timeInName(nowMs)}.db`;

/** The name of a backup while it is being written; two processes never use the same one. */
export const partialName = (nowMs: number): string =>
  `granary-${timeInName(nowMs)}-${randomBytes(4).toString('hex')}.partial`;

/** The time in the name of a backup. */
export const timeOfBackup = (name: string): number =>
  Date.parse(name.replace(TIME_IN_NAME, '$1-$2-$3T$4:$5:$6Z'));

export const isBackupName = (name: string): boolean => BACKUP.test(name);

/** Also the files that SQLite has beside an unfinished backup. */
export const isPartialName = (name: string): boolean => PARTIAL.test(name);
