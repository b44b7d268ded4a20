import type { Engine, EngineFigures } from '@granary/store/engine';
import type { OnUpgrade } from '@granary/store/migrations/migrations';
import { openPostgres } from '@granary/store/postgres/engine';
import { openSqlite } from '@granary/store/sqlite/engine';
import type { Attempt } from '@granary/store/tables/audit';
import type { CarryOut, Committed } from './effects.ts';
import type { IdempotencyKey } from './idempotency.ts';
import { CurrentValuesCache } from './telemetry/current-values-cache.ts';
import {
  type BoundSlices,
  bindAudited,
  bindOnce,
  bindSlices,
  type IdempotentSlices,
  type ReadSlices,
  USE_CASES,
  type WriteSlices,
} from './use-cases.ts';
import { WriteMeter } from './write-meter.ts';

export type { IdempotentSlices, WriteSlices } from './use-cases.ts';

/** The place of the data: a file in a folder, or a PostgreSQL database. */
export type StoreLocation =
  | { readonly engine: 'sqlite'; readonly folder: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** The writes that callers ask for; readings are data and have no attempt. */
export interface CallerWrites {
  /** Each write is entered in the audit log, in its own transaction. */
  audited(attempt: Attempt | null): WriteSlices;
  /** The same writes under an idempotency key: a repeated write with the same key is not done again. */
  once(key: IdempotencyKey | null, attempt: Attempt | null): IdempotentSlices;
}

interface AppAccess extends BoundSlices, Pick<CallerWrites, 'audited'> {
  once(key: IdempotencyKey | null, attempt?: Attempt | null): IdempotentSlices;
}

/** The writes since the start of the service. */
export interface WriteFigures extends EngineFigures {
  readonly writes: number;
  /** Refused writes count, too. */
  readonly failedWrites: number;
  /** The sum of the times that writes took, waiting included. */
  readonly writeMs: number;
}

/** The use cases over one database. */
export interface App extends AppAccess, Pick<Engine, 'health' | 'close'> {
  /** The same use cases for calls that must not wait for other work, such as a stop and its look-ups. */
  readonly urgent: AppAccess;
  writeFigures(): WriteFigures;
}

/** What a route may use: whoever writes for a caller needs an attempt. */
export interface AppReads extends ReadSlices, Pick<Engine, 'health'> {
  readonly urgent: ReadSlices;
}

/**
 * Opens the database and brings its tables up to date, or throws a `StoreOpenError`. `carryOut` gets the effects of every
 * write after its commit; `onUpgrade` is called before the tables of an older version are changed.
 */
export async function openApp(
  location: StoreLocation,
  carryOut: CarryOut = async () => undefined,
  onUpgrade?: OnUpgrade,
): Promise<App> {
  const engine =
    location.engine === 'sqlite'
      ? await openSqlite(location.folder, USE_CASES, onUpgrade)
      : await openPostgres(location.url, USE_CASES, { onUpgrade });
  const cache = new CurrentValuesCache();
  const meter = new WriteMeter();
  const access = ({ reader, write }: Engine['urgent']): AppAccess => {
    const writeAndCarryOut: Engine['write'] = async (call) => {
      const { result, effects } = (await meter.measure(write(call))) as Committed<unknown>;
      cache.committed(call, effects);
      if (effects.length > 0) await carryOut(effects);
      return result;
    };
    return {
      ...bindSlices(reader, writeAndCarryOut),
      audited: (attempt) => bindAudited(writeAndCarryOut, attempt),
      once: (key, attempt) => bindOnce(writeAndCarryOut, key, attempt),
    };
  };
  const { telemetry, ...slices } = access({ reader: engine.reader, write: (call) => engine.write(call) });
  return {
    ...slices,
    // Other nodes may write to a PostgreSQL database, so its values cannot be cached in this process.
    telemetry:
      location.engine === 'sqlite' ? { ...telemetry, current: cache.over(telemetry.current) } : telemetry,
    urgent: access(engine.urgent),
    writeFigures: () => ({ ...engine.figures(), ...meter.figures() }),
    health: () => engine.health(),
    close: () => engine.close(),
  };
}
