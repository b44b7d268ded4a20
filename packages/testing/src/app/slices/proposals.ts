import { HOUR_MS } from '@granary/contract/time';
import { atMs, attemptOf, LIMIT, ofEach, type WhoMayOf, type WritesOf } from '../write-round.ts';

const proposalIdOf = (deviceNo: number, round: number, node: number): string =>
  `pr_${deviceNo}_${round}_${node}`;

export const whoMay: WhoMayOf<'proposals'> = {
  create: 'rights',
  confirm: 'rights',
  refuse: 'rights',
  expire: 'nobody',
};

// `SLICES` names this slice before the operations, because nothing can be proposed after a start in the same round.
export const writes: WritesOf<'proposals'> = {
  expire: (round) => [round.app.proposals.expire({ beforeMs: atMs(round), rowsMax: LIMIT })],
  create: (round) =>
    ofEach(round.silos, (deviceNo) => {
      const proposalId = proposalIdOf(deviceNo, round.round, round.node);
      const wanted = { proposalId, deviceNo, type: 'feed', request: { amount: 1 }, reason: null } as const;
      return round.app
        .audited(attemptOf(proposalId, round))
        .proposals.create({ ...wanted, isReachable: true, shiftMs: 8 * HOUR_MS, nowMs: atMs(round) });
    }),
  // Both nodes decide about the same proposals. A started operation ends at once, because it would occupy the silo in later rounds.
  confirm: (round) =>
    ofEach(round.silos, async (deviceNo) => {
      const id = `op_of_${deviceNo}_${round.round}_${round.node}`;
      const nowMs = atMs(round);
      await round.app.proposals.confirm({
        deviceNo,
        proposalId: proposalIdOf(deviceNo, round.round - 1, 0),
        operationId: id,
        isReachable: true,
        nowMs,
      });
      const progress = { operation_id: id, state: 'completed', amount_kg: 1, ts: nowMs } as const;
      await round.app.operations.progressed({ deviceNo, progress, nowMs });
    }),
  refuse: (round) =>
    ofEach(round.silos, (deviceNo) => {
      const proposalId = proposalIdOf(deviceNo, round.round - 1, 1);
      return round.app.proposals.refuse({ deviceNo, proposalId, reason: null, nowMs: atMs(round) });
    }),
};
