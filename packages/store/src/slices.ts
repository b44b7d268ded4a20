import * as alerts from './alerts.ts';
import * as commands from './commands.ts';
import * as configuration from './configuration.ts';
import * as devices from './devices.ts';
import * as events from './events.ts';
import * as field from './field.ts';
import * as idempotency from './idempotency.ts';
import { type Guard, type Guarded, runGuarded } from './idempotency.ts';
import * as keys from './keys.ts';
import * as missions from './missions.ts';
import * as operations from './operations.ts';
import * as plants from './plants.ts';
import type { Sql } from './sql.ts';
import * as telemetry from './telemetry.ts';

/**
 * Everything the store can do, by slice. Arguments and results must survive a structured clone: writes may run in
 * another thread.
 */
export const SLICES = {
  devices,
  telemetry,
  configuration,
  keys,
  operations,
  alerts,
  events,
  idempotency,
  commands,
  missions,
  field,
  plants,
};

export type SliceName = keyof typeof SLICES;

type Bound<F> = F extends (sql: Sql, ...args: infer Args) => infer Result ? (...args: Args) => Result : never;

type BoundAll<Functions> = { readonly [Name in keyof Functions]: Bound<Functions[Name]> };

/** The slices as callers see them: the same functions without the way to the database. */
export type BoundSlices = {
  readonly [Name in SliceName]: BoundAll<(typeof SLICES)[Name]['reads'] & (typeof SLICES)[Name]['writes']>;
};

type GuardedBound<F> = F extends (sql: Sql, ...args: infer Args) => Promise<infer Result>
  ? (...args: Args) => Promise<Guarded<Result>>
  : never;

type GuardedAll<Functions> = { readonly [Name in keyof Functions]: GuardedBound<Functions[Name]> };

/** The writes as they are under a guard. */
export type GuardedSlices = {
  readonly [Name in SliceName]: GuardedAll<(typeof SLICES)[Name]['writes']>;
};

/** A write by name, as it crosses to the thread that carries it out. */
export interface WriteCall {
  readonly slice: SliceName;
  readonly name: string;
  readonly args: readonly unknown[];
  readonly guard: Guard | null;
}

type SliceFunction = (sql: Sql, ...args: readonly unknown[]) => Promise<unknown>;
type SliceFunctions = Readonly<Record<string, SliceFunction>>;

/** The types of the arguments are kept by `BoundSlices`; behind it calls are all alike. */
const functionsOf = (functions: object): SliceFunctions => functions as SliceFunctions;

/** A slice may have to prepare a write. That comes first in the transaction, even before its guard. */
interface Slice {
  readonly reads: object;
  readonly writes: object;
  readonly preparations?: object;
}

export async function callWrite(sql: Sql, { slice, name, args, guard }: WriteCall): Promise<unknown> {
  const { writes, preparations = {} }: Slice = SLICES[slice];
  const write = functionsOf(writes)[name];
  if (write === undefined) throw new Error(`there is no write ${slice}.${name}`);
  await functionsOf(preparations)[name]?.(sql, ...args);
  return await (guard === null ? write(sql, ...args) : runGuarded(sql, guard, () => write(sql, ...args)));
}

type Write = (call: WriteCall) => Promise<unknown>;
type BoundFunctions = Record<string, (...args: unknown[]) => Promise<unknown>>;

export function bindSlices(reader: Sql, write: Write): BoundSlices {
  const bound: Partial<Record<string, unknown>> = {};
  for (const [slice, { reads, writes }] of Object.entries(SLICES)) {
    const functions: BoundFunctions = {};
    for (const [name, read] of Object.entries(functionsOf(reads))) {
      functions[name] = (...args) => read(reader, ...args);
    }
    bound[slice] = { ...functions, ...bindWrites(slice as SliceName, writes, write, null) };
  }
  return bound as unknown as BoundSlices;
}

/** Without a guard the answer has the same shape, and nothing is remembered. */
export function bindGuarded(write: Write, guard: Guard | null): GuardedSlices {
  const bound: Partial<Record<string, unknown>> = {};
  const asGuarded: Write =
    guard === null ? async (call) => ({ result: await write(call), sealed: null, replayed: false }) : write;
  for (const [slice, { writes }] of Object.entries(SLICES)) {
    bound[slice] = bindWrites(slice as SliceName, writes, asGuarded, guard);
  }
  return bound as unknown as GuardedSlices;
}

function bindWrites(slice: SliceName, writes: object, write: Write, guard: Guard | null): BoundFunctions {
  const functions: BoundFunctions = {};
  for (const name of Object.keys(writes)) functions[name] = (...args) => write({ slice, name, args, guard });
  return functions;
}
