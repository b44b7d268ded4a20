import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../errors.ts';

/** Codes with which some systems and file systems refuse to flush a folder. */
const CANNOT_FLUSH: ReadonlySet<string | undefined> = new Set(['EINVAL', 'EISDIR', 'EPERM', 'EACCES']);

/** Gives a file its final name, also on disk. */
export function placeFile(from: string, to: string): void {
  renameSync(from, to);
  try {
    const descriptor = openSync(dirname(to), 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!CANNOT_FLUSH.has(codeOf(error))) throw error;
  }
}
