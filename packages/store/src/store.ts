import type { Engine } from './engine.ts';
import type { Guard } from './idempotency.ts';
import { openPostgres } from './postgres/engine.ts';
import { type BoundSlices, bindGuarded, bindSlices, type GuardedSlices } from './slices.ts';
import { CurrentMemory } from './sqlite/current-memory.ts';
import { openSqlite } from './sqlite/engine.ts';

export type { GuardedSlices } from './slices.ts';

/** Where the data is kept: in a file in a folder, or in a PostgreSQL database. */
export type StoreLocation =
  | { readonly engine: 'sqlite'; readonly folder: string }
  | { readonly engine: 'postgres'; readonly url: string };

export interface Store extends BoundSlices, Pick<Engine, 'health' | 'close'> {
  /** The same writes, of which one is done once however often it is asked for under the same name. */
  guarded(guard: Guard | null): GuardedSlices;
}

/** Opens the store and brings its tables up to date, or throws a `StoreOpenError`. */
export async function openStore(location: StoreLocation): Promise<Store> {
  const engine =
    location.engine === 'sqlite' ? await openSqlite(location.folder) : await openPostgres(location.url);
  const memory = new CurrentMemory();
  const write: Engine['write'] = async (call) => {
    const result = await engine.write(call);
    memory.committed(call);
    return result;
  };
  const slices = bindSlices(engine.reader, write);
  const { telemetry } = slices;
  return {
    ...slices,
    // Other nodes may write to a PostgreSQL database, of which nothing can be remembered here.
    telemetry:
      location.engine === 'sqlite' ? { ...telemetry, current: memory.over(telemetry.current) } : telemetry,
    guarded: (guard) => bindGuarded(write, guard),
    health: () => engine.health(),
    close: () => engine.close(),
  };
}
