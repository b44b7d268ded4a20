import { atMs, type WhoMayOf, type WritesOf } from '../write-round.ts';

// Plants belong to no place.
export const whoMay: WhoMayOf<'plants'> = { create: 'everybody' };

export const writes: WritesOf<'plants'> = {
  create: (round) => [
    round.app.plants.create({ id: `${round.round}`, name: 'Fern', tag: null, nowMs: atMs(round) }),
  ],
};
