import { atMs, ofEach, type WhoMayOf, type WritesOf } from '../write-round.ts';

export const whoMay: WhoMayOf<'configuration'> = { change: 'rights' };

export const writes: WritesOf<'configuration'> = {
  change: (round) => [
    ...ofEach(round.silos, (deviceNo) => {
      const thresholds = { low_level: 20 + (round.round % 5) };
      return round.app.configuration.change(deviceNo, { thresholds }, atMs(round));
    }),
    ...ofEach(round.rovers, (deviceNo) => {
      const thresholds = { low_battery: 25 + (round.round % 5) };
      return round.app.configuration.change(deviceNo, { thresholds }, atMs(round));
    }),
  ],
};
