import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed } from '../effects.ts';
import { keptFor } from '../slice.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import { eventBounds, eventsAfter, expireEvents, hasUnnumberedEvents, numberEvents } from './event-rows.ts';

/** Runs the numbering of events. Calls that arrive during a run share the next run. */
export class EventNumbering {
  readonly #number: () => Promise<unknown>;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(number: () => Promise<unknown>) {
    this.#number = number;
  }

  /**
   * Resolves after a run that began after the call. A run that fails is not an error of the write that logged the events, which
   * is committed: the next run of any node numbers them.
   */
  run(): Promise<void> {
    if (this.#running === null) return this.#start();
    this.#next ??= this.#running.then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<void> {
    this.#next = null;
    const running = this.#number()
      .then(ignore, ignore)
      .finally(() => {
        if (this.#running === running) this.#running = null;
      });
    this.#running = running;
    return running;
  }
}

const ignore = (): void => undefined;

export const reads = {
  after: (sql: Sql, page: { readonly sequence: number; readonly limit: number }) => eventsAfter(sql, page),
  bounds: (sql: Sql) => eventBounds(sql),
  /** Returns true also while the write that logged the events has not numbered them yet. */
  hasUnnumbered: (sql: Sql) => hasUnnumberedEvents(sql),
};

export const expiry = keptFor('eventRetentionDays');

export const writes = {
  /** Gives numbers to the events that are logged; readers get events in the order of their numbers. */
  async number(tx: Transaction): Promise<Committed<void>> {
    const numbered = await numberEvents(tx.sql);
    return numbered === 0 ? committed(undefined) : committed(undefined, { kind: 'events_logged' });
  },

  expire: longWrite(async (tx, expiry: Expiry) => committed(await expireEvents(tx.sql, expiry))),
};
