import type { UseCaseCall, UseCases } from '@granary/store/engine';
import type { Sql } from '@granary/store/sql';
import * as alarmHelp from './alarm-help.ts';
import * as alerts from './alerts/alerts.ts';
import * as audit from './audit/audit.ts';
import { enterChange } from './audit/audit.ts';
import type { Attempt } from './audit/audit-rows.ts';
import * as bridges from './bridges/bridges.ts';
import * as bulk from './bulk/bulk.ts';
import * as commands from './commands/commands.ts';
import * as field from './commands/field-jobs.ts';
import * as configuration from './configuration/configuration.ts';
import * as confirmations from './confirmations.ts';
import * as devices from './devices/devices.ts';
import type { Committed } from './effects.ts';
import * as events from './events/events.ts';
import * as exports from './exports/exports.ts';
import * as fleet from './fleet/fleet.ts';
import * as foresight from './foresight/foresight.ts';
import * as idempotency from './idempotency.ts';
import { type IdempotencyKey, type IdempotentResult, runOnce } from './idempotency.ts';
import * as keys from './keys/keys.ts';
import * as missions from './missions/missions.ts';
import * as notifications from './notifications/notifications.ts';
import * as operations from './operations/operations.ts';
import * as proposals from './operations/proposals.ts';
import * as people from './people/people.ts';
import * as plants from './plants.ts';
import * as reports from './reports/reports.ts';
import type { RowMemory } from './row-memory.ts';
import * as guesses from './session/guesses.ts';
import * as session from './session/session.ts';
import * as shifts from './shifts/shifts.ts';
import * as signOn from './sign-on/sign-on.ts';
import * as site from './site/site.ts';
import * as telemetry from './telemetry/telemetry.ts';
import * as terminals from './terminals.ts';
import { isLongWrite, type Transaction } from './transaction.ts';
import * as views from './views.ts';
import * as webhooks from './webhooks/webhooks.ts';

/**
 * Every use case, by slice. A write is one transaction and returns its result and its effects. Arguments and results must be
 * structured clones, because writes may run in another thread.
 */
export const SLICES = {
  devices,
  telemetry,
  configuration,
  keys,
  session,
  guesses,
  people,
  signOn,
  terminals,
  confirmations,
  operations,
  proposals,
  alerts,
  events,
  idempotency,
  commands,
  missions,
  field,
  fleet,
  foresight,
  shifts,
  reports,
  views,
  bridges,
  bulk,
  alarmHelp,
  exports,
  notifications,
  audit,
  plants,
  webhooks,
  site,
};

export type SliceName = keyof typeof SLICES;

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

/** The preparation of a write is the first step of its transaction. */
interface Slice {
  readonly reads: object;
  readonly writes: object;
  readonly preparations?: object;
}

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
  return eachSlice((slice, { reads, writes }) => {
    const functions: BoundFunctions = {};
    for (const [name, read] of Object.entries(readsOf(reads))) {
      functions[name] = (...args) => read(reader, ...args);
    }
    return { ...functions, ...bindWrites(slice, writes, write, NOBODY) };
  });
}

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
