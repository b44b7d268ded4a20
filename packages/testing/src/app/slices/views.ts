import { atMs, type WhoMayOf, type WritesOf } from '../write-round.ts';

export const whoMay: WhoMayOf<'views'> = {
  create: 'rights',
  change: 'rights',
  remove: 'rights',
  changePreferences: 'rights',
};

export const writes: WritesOf<'views'> = {
  create: (round) => [
    round.app.views.create({
      viewId: `vw_${round.node}_${round.round}`,
      keyId: `key_of_${round.node}_${round.round}`,
      name: 'low',
      address: '#/overview',
      isShared: true,
      updatedAtMs: atMs(round),
    }),
  ],
  change: (round) => [round.app.views.change(`vw_0_${round.round - 1}`, { name: 'lower' }, atMs(round))],
  remove: (round) => [round.app.views.remove(`vw_0_${round.round - 2}`)],
  changePreferences: (round) => [
    round.app.views.changePreferences(
      `key_of_${round.node}_${round.round}`,
      { units: { mass: 'lb', temperature: 'fahrenheit', speed: 'mph' } },
      atMs(round),
    ),
  ],
};
