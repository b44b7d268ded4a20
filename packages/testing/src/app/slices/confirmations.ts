import { SECOND_MS } from '@granary/contract/time';
import { atMs, checkedPins, type WhoMayOf, type WritesOf } from '../write-round.ts';

export const whoMay: WhoMayOf<'confirmations'> = { create: 'rights' };

export const writes: WritesOf<'confirmations'> = {
  create: (round) =>
    checkedPins(round).map((checked, index) =>
      round.app.confirmations.create(
        {
          hash: `confirmation ${round.round} ${round.node} ${index}`,
          keyId: 'per_shared',
          digest: 'd',
          confirmedBy: { key_id: 'per_lasting', name: 'Ada' },
          expiresAtMs: atMs(round) + SECOND_MS,
        },
        { deviceId: 'silo', facility: 'North' },
        checked,
        atMs(round),
      ),
    ),
};
