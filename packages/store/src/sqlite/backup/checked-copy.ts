import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { privateFile } from '../../data-folder.ts';
import { WAIT_MS_MAX } from '../../engine.ts';
import { BackupError, fileFault } from '../../errors.ts';
import { reasonOf } from '../errors.ts';
import { type Contents, faultIn, readContents } from './contents.ts';

/** One mebibyte is copied at a time, with a pause after it, so that the commits of a running service get the disk in between. */
const PAGES_PER_STEP = 256;
const PAUSE_MS = 2;

export interface CopyOptions {
  /** Is called after each step with the copied share, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Copies a database that others may be writing to, checks the copy and writes it to disk. The target must not exist; it is
 * removed again if anything fails. The pauses block the thread, so a service calls this function in a separate thread.
 */
export async function makeCheckedCopy(
  source: string,
  target: string,
  options: CopyOptions = {},
): Promise<Contents> {
  if (!existsSync(source)) throw new BackupError(`there is no database ${source}`);
  try {
    const contents = await copy(source, privateFile(target), options);
    check(target, contents);
    flush(target);
    return contents;
  } catch (error) {
    removeDatabase(target);
    if (error instanceof BackupError) throw error;
    throw new BackupError(`cannot copy ${source} to ${target}: ${fileFault(error) ?? reasonOf(error)}`, {
      cause: error,
    });
  }
}

async function copy(source: string, target: string, { onProgress, signal }: CopyOptions): Promise<Contents> {
  const database = new DatabaseSync(source, { readOnly: true, timeout: WAIT_MS_MAX });
  try {
    // Without an open transaction SQLite starts the copy again with every commit of the service.
    database.exec('BEGIN');
    const contents = readContents(database, source);
    await backup(database, target, {
      rate: PAGES_PER_STEP,
      progress({ totalPages, remainingPages }) {
        refuseAborted(signal);
        onProgress?.((totalPages - remainingPages) / totalPages);
        pause();
      },
    });
    refuseAborted(signal);
    return contents;
  } finally {
    database.close();
  }
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new BackupError('interrupted; nothing was changed');
}

function check(target: string, expected: Contents): void {
  const database = new DatabaseSync(target);
  try {
    // The copy has the WAL mode of its source; without it the backup is one file that can be read from a read-only disk.
    database.exec('PRAGMA journal_mode = DELETE');
    const fault = faultIn(database);
    if (fault !== null) throw new BackupError(`the copy ${target} is damaged: ${fault}`);
    if (!isDeepStrictEqual(readContents(database, target), expected)) {
      throw new BackupError(`the copy ${target} differs from its source`);
    }
  } finally {
    database.close();
  }
}

export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}

function flush(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const nobodyWakes = new Int32Array(new SharedArrayBuffer(4));
const pause = (): void => void Atomics.wait(nobodyWakes, 0, 0, PAUSE_MS);
