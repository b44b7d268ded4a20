import { SECOND_MS } from '@granary/contract/time';
import { atMs, LIMIT, type WhoMayOf, type WritesOf } from '../write-round.ts';

export const whoMay: WhoMayOf<'idempotency'> = { expire: 'nobody' };

export const writes: WritesOf<'idempotency'> = {
  expire: (round) => [
    round.app.idempotency.expire({ beforeMs: atMs(round) - 5 * SECOND_MS, rowsMax: LIMIT }),
  ],
};
