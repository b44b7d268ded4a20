import { tickDue } from '../fixtures.ts';
import { atMs, type WhoMayOf, type WritesOf } from '../write-round.ts';

export const whoMay: WhoMayOf<'field'> = { tick: 'nobody' };

export const writes: WritesOf<'field'> = {
  tick: (round) => [tickDue(round.app, 'field', atMs(round))],
};
