import { MoveError } from '@granary/store/errors';
import { Move } from '@granary/store/move/move';
import { asDatabaseUrl } from './setting-values.ts';

export type { MoveError as MoveFailure } from '@granary/store/errors';
export type { Move, MovePlan, MoveStep } from '@granary/store/move/move';

export interface MovePlaces {
  readonly dataDir: string;
  readonly databaseUrl: string;
}

/** The move of the embedded store to PostgreSQL, after both sides have been checked; nothing is written yet. */
export async function openMove(
  { dataDir, databaseUrl }: MovePlaces,
  options: { readonly isDryRun: boolean },
): Promise<Move> {
  const url = asDatabaseUrl(databaseUrl);
  if (url instanceof Error) throw new MoveError(`the address of the database ${url.message}`);
  return await Move.open(dataDir, url, options);
}
