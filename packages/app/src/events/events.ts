import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { eventBounds, eventsAfter, expireEvents } from '@granary/store/tables/events';
import { type Committed, committed } from '../effects.ts';

export const reads = {
  after: (sql: Sql, page: { readonly sequence: number; readonly limit: number }) => eventsAfter(sql, page),
  bounds: (sql: Sql) => eventBounds(sql),
};

export const writes = {
  async expire(sql: Sql, expiry: Expiry): Promise<Committed<number>> {
    return committed(await expireEvents(sql, expiry));
  },
};
