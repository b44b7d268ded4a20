import { siteDevice } from '@granary/core/site/site-device';
import { newDevice } from '../fixtures.ts';
import { atMs, type WhoMayOf, type WriteRound, type WritesOf } from '../write-round.ts';

/** The devices that a node registers; each node has others. */
function registration(round: WriteRound) {
  const { configuration: _, ...device } = siteDevice({ ...newDevice(), removedAtMs: null });
  const rows = [1, 2].map((row) => ({
    row,
    device: { ...device, device_id: `row-${round.round}-${round.node}-${row}`, labels: { row: String(row) } },
    secretHash: 'hash',
  }));
  return { rows, nowMs: atMs(round) };
}

export const whoMay: WhoMayOf<'bulk'> = { change: 'rights', register: 'rights' };

export const writes: WritesOf<'bulk'> = {
  change: (round) => [
    round.app.bulk.change({
      devices: { facility: 'North' },
      set: { labels: { round: String(round.round) } },
      isDryRun: false,
      nowMs: atMs(round),
    }),
  ],
  register: (round) => [round.app.bulk.register(registration(round))],
};
