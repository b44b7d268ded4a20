import * as configuration from './configuration.ts';
import * as devices from './devices.ts';
import * as keys from './keys.ts';
import type { Sql } from './sql.ts';
import * as telemetry from './telemetry.ts';

/**
 * Everything the store can do, by slice. Arguments and results must survive a structured clone: writes may run in
 * another thread.
 */
export const SLICES = { devices, telemetry, configuration, keys };

export type SliceName = keyof typeof SLICES;

type Bound<F> = F extends (sql: Sql, ...args: infer Args) => infer Result ? (...args: Args) => Result : never;

type BoundAll<Functions> = { readonly [Name in keyof Functions]: Bound<Functions[Name]> };

/** The slices as callers see them: the same functions without the way to the database. */
export type BoundSlices = {
  readonly [Name in SliceName]: BoundAll<(typeof SLICES)[Name]['reads'] & (typeof SLICES)[Name]['writes']>;
};

/** A write by name, as it crosses to the thread that carries it out. */
export interface WriteCall {
  readonly slice: SliceName;
  readonly name: string;
  readonly args: readonly unknown[];
}

type SliceFunction = (sql: Sql, ...args: readonly unknown[]) => Promise<unknown>;
type SliceFunctions = Readonly<Record<string, SliceFunction>>;

/** The types of the arguments are kept by `BoundSlices`; behind it calls are all alike. */
const functionsOf = (functions: object): SliceFunctions => functions as SliceFunctions;

export function callWrite(sql: Sql, { slice, name, args }: WriteCall): Promise<unknown> {
  const write = functionsOf(SLICES[slice].writes)[name];
  if (write === undefined) throw new Error(`there is no write ${slice}.${name}`);
  return write(sql, ...args);
}

export function bindSlices(reader: Sql, write: (call: WriteCall) => Promise<unknown>): BoundSlices {
  const bound: Partial<Record<string, unknown>> = {};
  for (const [slice, { reads, writes }] of Object.entries(SLICES)) {
    const functions: Record<string, (...args: unknown[]) => Promise<unknown>> = {};
    for (const [name, read] of Object.entries(functionsOf(reads))) {
      functions[name] = (...args) => read(reader, ...args);
    }
    for (const name of Object.keys(writes)) {
      functions[name] = (...args) => write({ slice: slice as SliceName, name, args });
    }
    bound[slice] = functions;
  }
  return bound as unknown as BoundSlices;
}
