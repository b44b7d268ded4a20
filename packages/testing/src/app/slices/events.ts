import { SECOND_MS } from '@granary/contract/time';
import { atMs, LIMIT, type WhoMayOf, type WritesOf } from '../write-round.ts';

export const whoMay: WhoMayOf<'events'> = { number: 'nobody', expire: 'nobody' };

export const writes: WritesOf<'events'> = {
  number: ({ app }) => [app.numberEvents()],
  expire: (round) => [round.app.events.expire({ beforeMs: atMs(round) - 5 * SECOND_MS, rowsMax: LIMIT })],
};
