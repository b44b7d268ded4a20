import { StoreOpenError } from '../errors.ts';

/** Has one row while an embedded store is being copied into the database, and does not exist otherwise. */
export const UNFINISHED_MOVE = 'unfinished_move';

type Ask = (text: string) => Promise<readonly (readonly unknown[])[]>;

export async function hasUnfinishedMove(ask: Ask): Promise<boolean> {
  const [[isFound] = []] = await ask(`SELECT to_regclass('${UNFINISHED_MOVE}') IS NOT NULL`);
  return isFound === true;
}

/** A service on half of the data would take devices for unknown and give numbers of events a second time. */
export async function refuseUnfinishedMove(ask: Ask): Promise<void> {
  if (await hasUnfinishedMove(ask)) {
    throw new StoreOpenError(
      'the database has an unfinished copy of an embedded store: repeat granary migrate to finish it, or name another database',
    );
  }
}
