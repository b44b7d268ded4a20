import { type RequestTime, whileRequestLasts } from '@granary/common/request-time';
import type { Engine, EngineFigures, UseCaseCall } from '@granary/store/engine';
import type { OnUpgrade } from '@granary/store/migrations/migrations';
import { openSqlite } from '@granary/store/sqlite/engine';
import type { Attempt } from './audit/audit-rows.ts';
import {
  accessChanged,
  type CarryOut,
  type Committed,
  changedAccessIds,
  type Effect,
  type ValuesStored,
} from './effects.ts';
import { EventNumbering } from './events/events.ts';
import type { IdempotencyKey } from './idempotency.ts';
import { NodeTable } from './nodes.ts';
import type { StoreLocation } from './open-reads.ts';
import { CurrentValuesCache } from './telemetry/current-values-cache.ts';
import { type ThreadWritePorts, ThreadWriteReports, WriteMeter } from './thread-writes.ts';
import {
  type BoundSlices,
  bindAudited,
  bindOnce,
  bindSlices,
  type ExpiryStep,
  expireSlices,
  type IdempotentSlices,
  type ReadSlices,
  readsWhenUsed,
  USE_CASES,
  type WriteSlices,
  type Written,
} from './use-cases.ts';

export type { StoreLocation } from './open-reads.ts';
export type { CallerResult, IdempotentSlices, ReadSlices, WriteSlices } from './use-cases.ts';

/** The longest time for which an outdated value is shown if another node changed it and ended before it could announce the change. */
const VALUES_CACHED_MS = 1_000;

const NUMBER_EVENTS: UseCaseCall = {
  slice: 'events',
  name: 'number',
  args: [],
  idempotency: null,
  attempt: null,
};

const logsEvents = (effects: readonly Effect[]): boolean =>
  effects.some(({ kind }) => kind === 'events_logged');

/** Cached values are removed by the app itself, so this effect is not passed on. */
const isCarriedOut = (effect: Effect | ValuesStored): effect is Effect => effect.kind !== 'values_stored';

/** The writes that callers ask for; readings are data and have no attempt. */
export interface CallerWrites {
  /** Each write is entered in the audit log, in its own transaction. */
  audited(attempt: Attempt | null): WriteSlices;
  /** The same writes under an idempotency key: a repeated write with the same key is not done again. */
  once(key: IdempotencyKey | null, attempt: Attempt | null): IdempotentSlices;
}

interface AppOptions {
  /** Is called before the tables of an older version are changed. */
  readonly onUpgrade?: OnUpgrade | undefined;
  /** Is called when the effects of a write of another thread could not be carried out. */
  readonly effectsFailed?: (error: unknown) => void;
}

interface AppAccess extends BoundSlices, Pick<CallerWrites, 'audited'> {
  /** Makes a write that the service itself asks for. */
  write(call: UseCaseCall): Promise<unknown>;
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

/** The reads and writes for one request, which share its time. */
export interface RequestAccess extends CallerWrites {
  readonly reads: ReadSlices;
}

/** The use cases over one database. */
export interface App extends AppAccess, Pick<Engine, 'health' | 'finishSoon' | 'close'> {
  /** `null` where no other process can use the database. */
  readonly nodes: NodeTable | null;
  /** The same use cases for calls that must not wait for other work, such as a stop and its look-ups. */
  readonly urgent: AppAccess;
  /** `null` for a request whose work has no limit. */
  within(time: RequestTime | null): RequestAccess;
  writeFigures(): WriteFigures;
  /** Lets another thread make such writes without passing through this one; `null` where only this thread can write. */
  readonly openThreadWrites: (() => ThreadWritePorts) | null;
  /** Removes a part of what is too old in any slice, and returns how many rows; 0 when nothing is left. */
  expire(step: ExpiryStep): Promise<number>;
  /** Numbers the events that were logged, also those of a node that ended before it could. */
  numberEvents(): Promise<void>;
}

/** Loads the module of PostgreSQL only if it is used. */
async function openPostgres(
  { url, connections, limits }: Extract<StoreLocation, { readonly engine: 'postgres' }>,
  onUpgrade: OnUpgrade | undefined,
): Promise<Engine> {
  const postgres = await import('@granary/store/postgres/engine');
  return await postgres.openPostgres(url, USE_CASES, { onUpgrade, connections, limits });
}

interface AccessParts {
  readonly commit: (
    write: Promise<unknown>,
    call: UseCaseCall,
  ) => Promise<{ readonly result: unknown; readonly effects: readonly Effect[] }>;
  readonly carryOut: CarryOut;
  /** `null` where events get their numbers with the write that logs them. */
  readonly numbering: EventNumbering | null;
}

/** The writes over one way to the database; each carries out its effects after its commit. */
function writesOver(
  write: Engine['write'],
  { commit, carryOut, numbering }: AccessParts,
  isUrgent: boolean,
  time: RequestTime | null,
) {
  const writeAndCarryOut = async (call: UseCaseCall): Promise<Written> => {
    const begunAtMs = performance.now();
    const { result, effects } = await commit(write(call, time), call);
    if (time !== null) time.hasChanged = true;
    const unnumbered = logsEvents(effects) ? numbering : null;
    const now = unnumbered === null ? effects : effects.filter(({ kind }) => kind !== 'events_logged');
    // Messages to devices do not wait for numbers, and a stop does not wait for them at all.
    const numbered = unnumbered?.run();
    // The write is committed, so its effects are carried out also if the request cannot wait for them.
    const sent = now.length === 0 || (await whileRequestLasts(time, carryOut(now, begunAtMs)));
    if (!isUrgent && numbered !== undefined) await whileRequestLasts(time, numbered);
    return { result, isAllSent: sent === true };
  };
  const resultOf = async (call: UseCaseCall): Promise<unknown> => (await writeAndCarryOut(call)).result;
  return {
    resultOf,
    audited: (attempt: Attempt | null) => bindAudited(resultOf, attempt),
    once: (key: IdempotencyKey | null, attempt?: Attempt | null) => bindOnce(writeAndCarryOut, key, attempt),
  };
}

/** The use cases over one way to the database, for work that belongs to no request. */
function accessOver({ reader, write }: Engine['urgent'], parts: AccessParts, isUrgent: boolean): AppAccess {
  const { resultOf, ...writes } = writesOver(write, parts, isUrgent, null);
  return { ...bindSlices(reader, resultOf), ...writes, write: resultOf };
}

/**
 * Opens the database and brings its tables up to date, or throws a `StoreOpenError`. `carryOut` gets the effects of every
 * write after its commit.
 */
export async function openApp(
  location: StoreLocation,
  carryOut: CarryOut = async () => true,
  { onUpgrade, effectsFailed = () => undefined }: AppOptions = {},
): Promise<App> {
  const engine =
    location.engine === 'sqlite'
      ? await openSqlite(location.folder, USE_CASES, onUpgrade)
      : await openPostgres(location, onUpgrade);
  const { announcements } = engine;
  const cache =
    announcements === null
      ? new CurrentValuesCache()
      : new CurrentValuesCache({ ageMsMax: VALUES_CACHED_MS, isUsable: () => announcements.isReceiving });
  announcements?.start({
    received: (announcement) => {
      cache.forget(announcement);
      const { hasEvents, accessIds } = announcement;
      const effects: Effect[] = [
        ...(hasEvents ? [{ kind: 'events_logged' as const }] : []),
        ...(accessIds.length > 0 ? [accessChanged(...accessIds)] : []),
      ];
      void carryOut(effects, performance.now());
    },
    resumed: () => {
      cache.forgetAll();
      void carryOut([{ kind: 'announcements_missed' }], performance.now());
    },
  });
  const meter = new WriteMeter();
  const commit = async (write: Promise<unknown>, call: UseCaseCall) => {
    const { result, effects: all } = (await meter.measure(write)) as Committed<unknown>;
    const changed = cache.committed(all);
    const effects = all.filter(isCarriedOut);
    // Other nodes can only read events that have numbers.
    const hasEvents = call === NUMBER_EVENTS && logsEvents(effects);
    announcements?.post({ ...changed, hasEvents, accessIds: changedAccessIds(all) });
    return { result, effects };
  };
  const numbering = new EventNumbering(async () => {
    const begunAtMs = performance.now();
    // The write is short, and the callers that logged events wait for it.
    const { effects } = await commit(engine.urgent.write(NUMBER_EVENTS), NUMBER_EVENTS);
    if (effects.length > 0) await carryOut(effects, begunAtMs);
  });
  const parts = { commit, carryOut, numbering: announcements === null ? null : numbering };
  const { openWriterPort } = engine;
  const threadReports = new ThreadWriteReports((all, begunAtMs) => {
    cache.committed(all);
    const effects = all.filter(isCarriedOut);
    if (effects.length > 0) carryOut(effects, begunAtMs).catch(effectsFailed);
  });
  const withCache = <Telemetry extends ReadSlices['telemetry']>(telemetry: Telemetry): Telemetry => {
    const current = cache.over(telemetry.current);
    return {
      ...telemetry,
      current: (deviceId: string) => {
        threadReports.takeArrived();
        return current(deviceId);
      },
    };
  };
  const ordinary: Engine['urgent'] = { reader: engine.reader, write: engine.write.bind(engine) };
  const bound = accessOver(ordinary, parts, false);
  const { telemetry, ...others } = bound;
  const slices = { ...others, telemetry: withCache(telemetry) };
  const withoutLimit = { reads: slices, audited: slices.audited, once: slices.once };
  return {
    ...slices,
    openThreadWrites: openWriterPort && (() => threadReports.open(openWriterPort())),
    within(time) {
      if (time === null) return withoutLimit;
      const reads = readsWhenUsed(engine.readerWithin(time));
      const { audited, once } = writesOver(ordinary.write, parts, false, time);
      const cached = { telemetry: { get: () => withCache(reads.telemetry) } };
      return { reads: Object.create(reads, cached), audited, once };
    },
    urgent: accessOver(engine.urgent, parts, true),
    nodes: engine.separateConnection && new NodeTable(engine.separateConnection),
    expire: (step) => expireSlices(bound, step),
    numberEvents: () => numbering.run(),
    writeFigures: () => ({ ...engine.figures(), ...meter.figures() }),
    health: () => engine.health(),
    finishSoon: () => engine.finishSoon(),
    async close() {
      await engine.close();
      threadReports.close();
    },
  };
}
