import type { Actor } from '@granary/contract/audit';
import type { Scope } from '@granary/contract/keys';
import type { Sql } from '@granary/store/sql';
import type { Committed } from './effects.ts';
import type { RowMemory } from './row-memory.ts';

/** By what a caller is found again when its write is done. */
export interface CallerReference {
  /** Of the key that was sent, or that the session belongs to. */
  readonly keyId: string;
  /** `null` where the key itself was sent. */
  readonly sessionHash: string | null;
  /** What the request needs; `null` where everybody may ask for it. */
  readonly scope: Scope | null;
  readonly atMs: number;
}

/** What every write is given. */
export interface Transaction {
  readonly sql: Sql;
  /** Who asked for the write; `null` where a device or the clock causes it. */
  readonly actor: Actor | null;
  /** Whose rights are compared; `null` where a device or the clock causes the write, and for a stop, which is refused for no such reason. */
  readonly caller: CallerReference | null;
  /** `null` where other connections write to the same database, too. */
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
 * For parts of a write whose statements are given at once, so that they are sent together. All parts are waited for, also if one fails:
 * no statement may come after the write has ended.
 */
export async function together<const Parts extends readonly unknown[]>(
  parts: Parts,
): Promise<{ -readonly [Part in keyof Parts]: Awaited<Parts[Part]> }> {
  await Promise.allSettled(parts);
  return await Promise.all(parts);
}
