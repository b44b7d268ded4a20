import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed } from '../effects.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import { eventBounds, eventsAfter, expireEvents, hasUnnumberedEvents, numberEvents } from './event-rows.ts';

export const reads = {
  after: (sql: Sql, page: { readonly sequence: number; readonly limit: number }) => eventsAfter(sql, page),
  bounds: (sql: Sql) => eventBounds(sql),
  /** True also while the write that logged the events is about to have them numbered. */
  hasUnnumbered: (sql: Sql) => hasUnnumberedEvents(sql),
};

export const writes = {
  /** Gives numbers to the events that are logged; readers get events in the order of their numbers. */
  async number(tx: Transaction): Promise<Committed<void>> {
    const numbered = await numberEvents(tx.sql);
    return numbered === 0 ? committed(undefined) : committed(undefined, { kind: 'events_logged' });
  },

  expire: longWrite(async (tx, expiry: Expiry) => committed(await expireEvents(tx.sql, expiry))),
};
