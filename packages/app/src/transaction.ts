import type { Actor } from '@granary/contract/audit';
import type { Sql } from '@granary/store/sql';
import type { RowMemory } from './row-memory.ts';

/** What every write is given. */
export interface Transaction {
  readonly sql: Sql;
  /** Who asked for the write; `null` where a device or the clock causes it. */
  readonly actor: Actor | null;
  /** `null` where other connections write to the same database, too. */
  readonly memory: RowMemory | null;
}
