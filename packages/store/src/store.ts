import type { Engine } from './engine.ts';
import { openPostgres } from './postgres/engine.ts';
import { type BoundSlices, bindSlices } from './slices.ts';
import { openSqlite } from './sqlite/engine.ts';

/** Where the data is kept: in a file in a folder, or in a PostgreSQL database. */
export type StoreLocation =
  | { readonly engine: 'sqlite'; readonly folder: string }
  | { readonly engine: 'postgres'; readonly url: string };

export interface Store extends BoundSlices, Pick<Engine, 'health' | 'close'> {}

/** Opens the store and brings its tables up to date, or throws a `StoreOpenError`. */
export async function openStore(location: StoreLocation): Promise<Store> {
  const engine =
    location.engine === 'sqlite' ? await openSqlite(location.folder) : await openPostgres(location.url);
  return {
    ...bindSlices(engine.reader, (call) => engine.write(call)),
    health: () => engine.health(),
    close: () => engine.close(),
  };
}
