import type { Actor } from '@granary/contract/audit';
import type { Scope } from '@granary/contract/keys';
import type { Sql } from '@granary/store/sql';
import type { Committed } from './effects.ts';
import type { RowMemory } from './row-memory.ts';

/** The data by which a caller is found again in the transaction of its write. */
export interface CallerReference {
  /** The id of the key that was sent, or that the session belongs to. */
  readonly keyId: string;
  /** The session; `null` if the key itself was sent. */
  readonly sessionHash: string | null;
  /** The scope that the request needs; `null` if every caller may make it. */
  readonly scope: Scope | null;
  readonly atMs: number;
}

/** The context that every write gets. */
export interface Transaction {
  readonly sql: Sql;
  /** The actor who asked for the write; `null` if a device or the clock causes it. */
  readonly actor: Actor | null;
  /**
   * The caller whose rights are compared. It is `null` if a device or the clock causes the write, and for a stop, which is
   * never refused because of rights that changed meanwhile.
   */
  readonly caller: CallerReference | null;
  /** `null` if other connections also write to the database. */
  readonly memory: RowMemory | null;
}

type Write<Args extends readonly unknown[], Result> = (
  tx: Transaction,
  ...args: Args
) => Promise<Committed<Result>>;

const longWrites = new WeakSet<object>();

/** Declares a write that may insert or remove many rows, so that it has more time than others. */
export function longWrite<Args extends readonly unknown[], Result>(
  write: Write<Args, Result>,
): Write<Args, Result> {
  longWrites.add(write);
  return write;
}

export const isLongWrite = (write: object): boolean => longWrites.has(write);

/**
 * Waits for parts of a write whose statements are given at once, so that they are sent together. All parts are awaited, even if
 * one fails: no statement may come after the end of the write.
 */
export async function together<const Parts extends readonly unknown[]>(
  parts: Parts,
): Promise<{ -readonly [Part in keyof Parts]: Awaited<Parts[Part]> }> {
  await Promise.allSettled(parts);
  return await Promise.all(parts);
}
