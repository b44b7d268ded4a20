import { codeOf, MoveError, StoreOpenError } from '../errors.ts';
import { reasonOf } from '../postgres/errors.ts';

const GOES_ON = 'Then repeat the command: it goes on where it stopped.';

const CURES: Readonly<Record<string, string>> = {
  '3D000': 'Create the database first: createdb --owner=<role> <name>.',
  '28P01': 'Look at the user name and the password of the address.',
  '28000': 'Look at the user name of the address, and at pg_hba.conf of the server.',
  '42501': 'The role of the address must own the database, or have the right to create tables in it.',
  '53100': `The disk of the database is full: free some space there. ${GOES_ON}`,
  '53200': `The database has no memory left. ${GOES_ON}`,
  '53300': `The database has no free connection. ${GOES_ON}`,
  '25006': 'It is a read-only standby: name the primary server.',
};

/** Lost connections, shutdowns, and errors of the network, for which the client library sets no code or one of the system. */
const UNREACHABLE = /^(08...|57P0.|E[A-Z]+)$/;
const UNREACHABLE_MESSAGE = /^(timeout expired|Connection terminated|Client has encountered)/;

/** Makes an error of the server one line with its cure; an error in our own statements stays as it is. */
export function explainTarget(error: unknown, address: string): unknown {
  if (error instanceof MoveError || !(error instanceof Error)) return error;
  if (error instanceof StoreOpenError) return new MoveError(error.message, { cause: error });
  const code = codeOf(error);
  const isUnreachable = code === undefined ? UNREACHABLE_MESSAGE.test(error.message) : UNREACHABLE.test(code);
  const cure = isUnreachable
    ? `Look whether the server runs and can be reached from here. ${GOES_ON}`
    : CURES[code ?? ''];
  if (cure === undefined) return error;
  return new MoveError(`cannot use the database at ${address}: ${reasonOf(error)}`, {
    cause: error,
    cure,
    kind: isUnreachable ? 'unreachable' : 'failed',
  });
}
