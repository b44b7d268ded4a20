import type { UseCaseCall, UseCases } from '@granary/store/engine';
import type { Sql } from '@granary/store/sql';
import { enterChange } from './audit/audit.ts';
import type { Attempt } from './audit/audit-rows.ts';
import type { Committed } from './effects.ts';
import { type IdempotencyKey, type IdempotentResult, runOnce } from './idempotency.ts';
import type { RowMemory } from './row-memory.ts';
import type { KeptDays, Slice } from './slice.ts';
import { SLICES, type SliceName } from './slices.ts';
import { isLongWrite, type Transaction } from './transaction.ts';

type Bound<F> = F extends (sql: Sql, ...args: infer Args) => infer Result ? (...args: Args) => Result : never;

type BoundReads<Functions> = { readonly [Name in keyof Functions]: Bound<Functions[Name]> };

type BoundWrite<F> = F extends (tx: Transaction, ...args: infer Args) => Promise<Committed<infer Result>>
  ? (...args: Args) => Promise<Result>
  : never;

type BoundWrites<Functions> = { readonly [Name in keyof Functions]: BoundWrite<Functions[Name]> };

/** The reads without the database handle. */
export type ReadSlices = { readonly [Name in SliceName]: BoundReads<(typeof SLICES)[Name]['reads']> };

/** The writes without the database handle and without their effects. */
export type WriteSlices = { readonly [Name in SliceName]: BoundWrites<(typeof SLICES)[Name]['writes']> };

export type BoundSlices = { readonly [Name in SliceName]: ReadSlices[Name] & WriteSlices[Name] };

/** The result of a write for its caller. */
export interface CallerResult<Result> extends IdempotentResult<Result> {
  /** True if every message of this write to a device was sent; false for a repetition, which sends nothing. */
  readonly isAllSent: boolean;
}

/** The result of a write whose effects were carried out. */
export interface Written {
  readonly result: unknown;
  readonly isAllSent: boolean;
}

type BoundOnce<F> = F extends (tx: Transaction, ...args: infer Args) => Promise<Committed<infer Result>>
  ? (...args: Args) => Promise<CallerResult<Result>>
  : never;

type BoundOnceAll<Functions> = { readonly [Name in keyof Functions]: BoundOnce<Functions[Name]> };

/** The writes under an idempotency key. */
export type IdempotentSlices = {
  readonly [Name in SliceName]: BoundOnceAll<(typeof SLICES)[Name]['writes']>;
};

interface WriteCall extends UseCaseCall {
  readonly slice: SliceName;
  readonly idempotency: IdempotencyKey | null;
  /** The attempt; `null` if no caller asked for the write. */
  readonly attempt: Attempt | null;
}

type Reads = Readonly<Record<string, (sql: Sql, ...args: readonly unknown[]) => Promise<unknown>>>;
type Writes<Result> = Readonly<
  Record<string, (tx: Transaction, ...args: readonly unknown[]) => Promise<Result>>
>;

/** `BoundSlices` keeps the types of the arguments; inside these functions every call has the same type. */
const readsOf = (functions: object) => functions as Reads;
const preparationsOf = (functions: object) => functions as Writes<unknown>;
const writesOf = (functions: object) => functions as Writes<Committed<unknown>>;

export async function callUseCase(
  sql: Sql,
  call: UseCaseCall,
  memory: RowMemory | null = null,
): Promise<Committed<unknown>> {
  const { slice, name, args, idempotency: key, attempt } = call as WriteCall;
  const { writes, preparations = {} }: Slice = SLICES[slice];
  const write = writesOf(writes)[name];
  if (write === undefined) throw new Error(`there is no write ${slice}.${name}`);
  const tx: Transaction = { sql, memory, actor: attempt?.actor ?? null, caller: attempt?.caller ?? null };
  await preparationsOf(preparations)[name]?.(tx, ...args);
  const change = () => write(tx, ...args);
  // A repeated request changes nothing, so it is not entered in the audit log.
  const work = attempt === null ? change : () => enterChange(sql, attempt, change);
  return await (key === null ? work() : runOnce(sql, key, work));
}

function isLong({ slice, name }: UseCaseCall): boolean {
  const { writes }: Slice = SLICES[slice as SliceName];
  const write = writesOf(writes)[name];
  return write !== undefined && isLongWrite(write);
}

/** The use cases for the storage engines: the functions, and the thread in which SQLite runs the writes. */
export const USE_CASES: UseCases = {
  threadUrl: new URL('./writer-thread.ts', import.meta.url),
  callUseCase,
  isLong,
};

/** The caller of writes that the service itself makes, because of a device or the clock. */
const NOBODY = { idempotency: null, attempt: null };

type Write = (call: UseCaseCall) => Promise<unknown>;
type BoundFunctions = Record<string, (...args: unknown[]) => Promise<unknown>>;

/** The functions of every slice; what `bind` makes of a slice has the type that `Slices` names. */
function eachSlice<Slices>(bind: (slice: string, functions: Slice) => BoundFunctions): Slices {
  return Object.fromEntries(
    Object.entries(SLICES).map(([slice, functions]) => [slice, bind(slice, functions)]),
  ) as Slices;
}

export function bindSlices(reader: Sql, write: Write): BoundSlices {
  return eachSlice((slice, { reads, writes }) => ({
    ...bindReads(reads, reader),
    ...bindWrites(slice, writes, write, NOBODY),
  }));
}

function bindReads(reads: object, reader: Sql): BoundFunctions {
  const functions: BoundFunctions = {};
  for (const [name, read] of Object.entries(readsOf(reads))) {
    functions[name] = (...args) => read(reader, ...args);
  }
  return functions;
}

/** Binds the reads of a slice when they are used, because one request uses few of them. */
const READS_WHEN_USED: object = Object.create(
  null,
  Object.fromEntries(
    Object.entries(SLICES).map(([slice, { reads }]) => [
      slice,
      {
        get(this: { readonly reader: Sql }) {
          return bindReads(reads, this.reader);
        },
      },
    ]),
  ),
);

/** The reads for one request. */
export const readsWhenUsed = (reader: Sql): ReadSlices =>
  Object.create(READS_WHEN_USED, { reader: { value: reader } });

/** Binds the writes for a caller; each is entered in the audit log. */
export function bindAudited(write: Write, attempt: Attempt | null): WriteSlices {
  return eachSlice((slice, { writes }) => bindWrites(slice, writes, write, { idempotency: null, attempt }));
}

/** Without a key the result has the same shape, and nothing is stored for a repetition. */
export function bindOnce(
  write: (call: UseCaseCall) => Promise<Written>,
  key: IdempotencyKey | null,
  attempt: Attempt | null = null,
): IdempotentSlices {
  const writeOnce = async (call: UseCaseCall): Promise<CallerResult<unknown>> => {
    const { result, isAllSent } = await write(call);
    if (key === null) return { result, encryptedSecret: null, replayed: false, isAllSent };
    const once = result as IdempotentResult<unknown>;
    return { ...once, isAllSent: isAllSent && !once.replayed };
  };
  return eachSlice((slice, { writes }) =>
    bindWrites(slice, writes, writeOnce, { idempotency: key, attempt }),
  );
}

export interface ExpiryStep {
  readonly kept: KeptDays;
  readonly nowMs: number;
  /** Of each slice at most about so many rows are removed, so that other writes are not delayed for long. */
  readonly rowsMax: number;
}

/** Removes a part of what is too old in any slice, and returns how many rows; 0 when nothing is left. */
export async function expireSlices(
  slices: BoundSlices,
  { kept, nowMs, rowsMax }: ExpiryStep,
): Promise<number> {
  let removed = 0;
  for (const [name, { expiry }] of Object.entries<Slice>(SLICES)) {
    if (expiry === undefined) continue;
    const { expire } = slices[name as SliceName] as BoundFunctions;
    removed += Number(await expire?.({ ...expiry(kept, nowMs), rowsMax }));
  }
  return removed;
}

function bindWrites(
  slice: string,
  writes: object,
  write: Write,
  request: Pick<WriteCall, 'idempotency' | 'attempt'>,
): BoundFunctions {
  const functions: BoundFunctions = {};
  for (const name of Object.keys(writes)) {
    functions[name] = (...args) => write({ slice, name, args, ...request });
  }
  return functions;
}
