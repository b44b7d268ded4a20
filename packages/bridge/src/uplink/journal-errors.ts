/** Returns the low byte of a code of SQLite, which is the kind of error. */
const codeOf = (error: unknown): number =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;

/** The codes SQLITE_BUSY and SQLITE_LOCKED mean that the file is in use. */
export const isInUse = (error: unknown): boolean => [5, 6].includes(codeOf(error));

/** The codes SQLITE_CORRUPT and SQLITE_NOTADB mean that the file is damaged. */
export const isDamaged = (error: unknown): boolean => [11, 26].includes(codeOf(error));
