import { DAY_MS } from '@granary/contract/time';
import { tickDue } from '../fixtures.ts';
import {
  atMs,
  attemptOf,
  LIMIT,
  LOOKED,
  ofEach,
  type WhoMayOf,
  type WriteRound,
  type WritesOf,
} from '../write-round.ts';

/** The ids are the same within a round, so that replies of devices refer to its jobs. */
const operationId = (deviceNo: number, { round }: WriteRound): string => `op_${deviceNo}_${round}`;
/** Declares the end of an operation that was started at the silo. For other operations the result depends on the order of the writes. */
async function declareUnaskedEnded(round: WriteRound, deviceNo: number): Promise<unknown> {
  const { operations } = round.app;
  const nowMs = atMs(round);
  const id = `op_unasked_${deviceNo}_${round.round}_${round.node}`;
  const progress = { operation_id: id, state: 'running', amount_kg: 1, ts: nowMs } as const;
  await operations.progressed({ deviceNo, progress, nowMs });
  await operations.stop({ deviceNo, operationId: id, nowMs });
  const declaration = { deviceNo, operationId: id, declaration: LOOKED, nowMs: nowMs + DAY_MS };
  return await operations.declareEnded(declaration);
}

export const whoMay: WhoMayOf<'operations'> = {
  expire: 'nobody',
  start: 'rights',
  notSent: 'nobody',
  stop: 'stop',
  declareEnded: 'rights',
  acknowledged: 'nobody',
  progressed: 'nobody',
  tick: 'nobody',
};

export const writes: WritesOf<'operations'> = {
  expire: (round) => [round.app.operations.expire({ beforeMs: atMs(round), rowsMax: LIMIT })],
  start: (round) =>
    ofEach(round.silos, (deviceNo) => {
      const nowMs = atMs(round);
      const idempotencyKey = {
        keyId: 'key',
        key: `${round.round}`,
        fingerprint: '',
        nowMs,
        encryptedSecret: null,
      };
      const id = operationId(deviceNo, round);
      const request = { amount: 1 };
      const start = { deviceNo, operationId: id, type: 'feed', request, isReachable: true, nowMs } as const;
      return round.app.once(idempotencyKey, attemptOf(id, round)).operations.start(start);
    }),
  notSent: (round) =>
    ofEach(round.silos, (deviceNo) =>
      round.app.operations.notSent({
        deviceNo,
        operationId: operationId(deviceNo, round),
        nowMs: atMs(round),
        why: 'not_connected',
      }),
    ),
  stop: (round) =>
    ofEach(round.silos, (deviceNo) =>
      round.app.urgent.audited(attemptOf(`stop-${deviceNo}`, round)).operations.stop({
        deviceNo,
        operationId: operationId(deviceNo, round),
        nowMs: atMs(round),
      }),
    ),
  acknowledged: (round) =>
    ofEach(round.silos, (deviceNo) => {
      const ack = { operation_id: operationId(deviceNo, round), accepted: true };
      return round.app.operations.acknowledged({ deviceNo, ack, nowMs: atMs(round) });
    }),
  progressed: (round) =>
    ofEach(round.silos, (deviceNo) => {
      const nowMs = atMs(round);
      const id = operationId(deviceNo, round);
      const progress = { operation_id: id, state: 'completed', amount_kg: 1, ts: nowMs } as const;
      return round.app.operations.progressed({ deviceNo, progress, nowMs });
    }),
  // This is done at one silo only, because no operation can be started while another one is under way.
  declareEnded: (round) => ofEach(round.silos.slice(-1), (deviceNo) => declareUnaskedEnded(round, deviceNo)),
  tick: (round) => [tickDue(round.app, 'operations', atMs(round))],
};
