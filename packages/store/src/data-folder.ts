import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { codeOf, fileFault, StoreOpenError } from './errors.ts';
import { isBusy, reasonOf } from './sqlite/errors.ts';

const LOCK_FILE = 'lock';
const LOCK_WAIT_MS = 2_000;

export interface DataFolderLock {
  release(): void;
}

/** Creates the folder if necessary, and restricts it to its owner. */
export function makeDataFolder(folder: string): void {
  try {
    makeFolder(resolve(folder));
    keepToOwner(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = fileFault(error) ?? codeOf(error) ?? 'unknown reason';
    throw new StoreOpenError(`cannot use the data folder ${folder}: ${reason}`, { cause: error });
  }
}

/**
 * Creates the parents one by one, because the recursive form of Node never ends if the system answers that an existing parent
 * is missing (/proc).
 */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && statSync(folder).isDirectory()) return;
    const parent = dirname(folder);
    if (codeOf(error) !== 'ENOENT' || existsSync(parent)) throw error;
    makeFolder(parent);
    mkdirSync(folder, { mode: 0o700 });
  }
}

/**
 * Locks the folder for this process. The lock is held on an open file, which the operating system releases when the process
 * ends in any way, so it can never be stale.
 */
export function lockDataFolder(folder: string): DataFolderLock {
  makeDataFolder(folder);
  let lock: DatabaseSync | undefined;
  try {
    // The timeout is needed because a process that is ending releases the lock in a moment.
    lock = new DatabaseSync(privateFile(join(folder, LOCK_FILE)), { timeout: LOCK_WAIT_MS });
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    if (isBusy(error)) {
      throw new StoreOpenError(`the data folder ${folder} is in use by another process`, { cause: error });
    }
    throw new StoreOpenError(`cannot use the data folder ${folder}: ${reasonOf(error)}`, { cause: error });
  }
  const held = lock;
  return { release: () => held.close() };
}

/**
 * Creates a file that only its owner can read, or restricts an existing one. SQLite gives the files beside a database the
 * mode of the database.
 */
export function privateFile(file: string): string {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    keepToOwner(file);
  }
  return file;
}

/** Removes the rights of group and others; a file of another user is left unchanged. */
function keepToOwner(path: string): void {
  const { mode } = statSync(path);
  if ((mode & 0o077) === 0) return;
  try {
    chmodSync(path, mode & 0o700);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error;
  }
}
