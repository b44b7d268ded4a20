import { SECOND_MS } from '@granary/contract/time';
import { atMs, attemptOf, LIMIT, type WhoMayOf, type WritesOf } from '../write-round.ts';

export const whoMay: WhoMayOf<'audit'> = { refused: 'nobody', expire: 'nobody' };

export const writes: WritesOf<'audit'> = {
  refused: (round) => {
    const refusals = [...round.silos, ...round.rovers].map((deviceNo) => ({
      attempt: attemptOf(`refused-${deviceNo}`, round),
      code: 'device_offline' as const,
      count: 1,
    }));
    return [round.app.audit.refused(refusals), round.app.audit.refused(refusals.toReversed())];
  },
  expire: (round) => [round.app.audit.expire({ beforeMs: atMs(round) - 5 * SECOND_MS, rowsMax: LIMIT })],
};
