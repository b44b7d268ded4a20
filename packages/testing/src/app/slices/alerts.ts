import { DAY_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { NOW_MS } from '../fixtures.ts';
import { atMs, LIMIT, type WhoMayOf, type WritesOf } from '../write-round.ts';

export const whoMay: WhoMayOf<'alerts'> = {
  expire: 'nobody',
  beginObservation: 'nobody',
  continueObservation: 'nobody',
  evaluate: 'nobody',
  evaluateDue: 'nobody',
  acknowledge: 'rights',
  acknowledgeMany: 'part',
  shelve: 'rights',
  unshelve: 'rights',
};

export const writes: WritesOf<'alerts'> = {
  expire: (round) => [round.app.alerts.expire({ beforeMs: atMs(round), rowsMax: LIMIT })],
  beginObservation: (round) => [round.app.alerts.beginObservation(NOW_MS - DAY_MS)],
  continueObservation: ({ app }) => [
    app.alerts.continueObservation({ nowMs: NOW_MS - DAY_MS, gapMs: SECOND_MS, isReceiving: true }),
  ],
  evaluate: (round) =>
    [[...round.silos, ...round.rovers], [...round.rovers, ...round.silos].toReversed()].map((deviceNos) =>
      round.app.alerts.evaluate({ deviceNos, nowMs: atMs(round) }),
    ),
  evaluateDue: (round) => [round.app.alerts.evaluateDue({ nowMs: atMs(round), limit: LIMIT })],
  acknowledge: (round) =>
    round.alerts.map((address) =>
      round.app.alerts.acknowledge({ ...address, nowMs: atMs(round), by: { acknowledged_by: 'Ada' } }),
    ),
  acknowledgeMany: (round) =>
    [round.alerts, round.alerts.toReversed()].map((alerts) =>
      round.app.alerts.acknowledgeMany({
        alertIds: alerts.map(({ alertId }) => alertId),
        by: { acknowledged_by: 'Ada' },
        nowMs: atMs(round),
      }),
    ),
  shelve: (round) =>
    round.alerts.map((address) => {
      const shelving = { until: toIso(atMs(round) + DAY_MS), reason: 'known' };
      return round.app.alerts.shelve({ ...address, nowMs: atMs(round), shelving });
    }),
  unshelve: (round) =>
    round.alerts.map((address) => round.app.alerts.unshelve({ ...address, nowMs: atMs(round) })),
};
