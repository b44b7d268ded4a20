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

interface StoreAccess extends BoundSlices {
  /** The same writes, of which one is done once however often it is asked for under the same name. */
  guarded(guard: Guard | null): GuardedSlices;
}

export interface Store extends StoreAccess, Pick<Engine, 'health' | 'close'> {
  /** The same for what must not wait behind other work, such as a stop and its look-ups. */
  readonly urgent: StoreAccess;
}

/** Opens the store and brings its tables up to date, or throws a `StoreOpenError`. */
export async function openStore(location: StoreLocation): Promise<Store> {
  const engine =
    location.engine === 'sqlite' ? await openSqlite(location.folder) : await openPostgres(location.url);
  const memory = new CurrentMemory();
  const access = ({ reader, write }: Engine['urgent']): StoreAccess => {
    const remembered: Engine['write'] = async (call) => {
      const result = await write(call);
      memory.committed(call);
      return result;
    };
    return {
      ...bindSlices(reader, remembered),
      guarded: (guard) => bindGuarded(remembered, guard),
    };
  };
  const { telemetry, ...slices } = access({ reader: engine.reader, write: (call) => engine.write(call) });
  return {
    ...slices,
    // Other nodes may write to a PostgreSQL database, of which nothing can be remembered here.
    telemetry:
      location.engine === 'sqlite' ? { ...telemetry, current: memory.over(telemetry.current) } : telemetry,
    urgent: access(engine.urgent),
    health: () => engine.health(),
    close: () => engine.close(),
  };
}
