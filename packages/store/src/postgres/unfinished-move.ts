import { StoreOpenError } from '../errors.ts';

/** The table exists, with one row, while an embedded store is being copied into the database. */
export const UNFINISHED_MOVE = 'unfinished_move';

type Ask = (text: string) => Promise<readonly (readonly unknown[])[]>;

export async function hasUnfinishedMove(ask: Ask): Promise<boolean> {
  const [[isFound] = []] = await ask(`SELECT to_regclass('${UNFINISHED_MOVE}') IS NOT NULL`);
  return isFound === true;
}

/**
 * Refuses to start on an unfinished copy: a service with half of the data would not know devices and would use numbers of
 * events a second time.
 */
export async function refuseUnfinishedMove(ask: Ask): Promise<void> {
  if (await hasUnfinishedMove(ask)) {
    throw new StoreOpenError(
      'the database has an unfinished copy of an embedded store: repeat granary migrate to finish it, or name another database',
    );
  }
}
