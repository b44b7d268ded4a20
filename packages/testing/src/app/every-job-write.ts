import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { tickDue } from './fixtures.ts';
import { atMs, attemptOf, type EveryWrite, LIMIT, ofEach, type WriteRound } from './write-round.ts';

/** The ids are the same within a round, so that replies of devices refer to its jobs. */
const operationId = (deviceNo: number, { round }: WriteRound): string => `op_${deviceNo}_${round}`;
const commandId = (deviceNo: number, { round }: WriteRound): string => `cmd_${deviceNo}_${round}`;
const missionId = (deviceNo: number, { round, node }: WriteRound): string =>
  `ms_${deviceNo}_${round}_${node}`;
const proposalIdOf = (deviceNo: number, round: number, node: number): string =>
  `pr_${deviceNo}_${round}_${node}`;
const LOOKED = { reason: 'it stands still', looked_by: 'Ada' };

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

/** The writes about operations, commands and missions. */
export const EVERY_JOB_WRITE: Pick<
  EveryWrite,
  'operations' | 'proposals' | 'commands' | 'missions' | 'field'
> = {
  // These writes come before the starts, after which nothing can be proposed in the same round.
  proposals: {
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
  },
  operations: {
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
    declareEnded: (round) =>
      ofEach(round.silos.slice(-1), (deviceNo) => declareUnaskedEnded(round, deviceNo)),
    tick: (round) => [tickDue(round.app, 'operations', atMs(round))],
  },
  commands: {
    expire: (round) => [round.app.commands.expire({ beforeMs: atMs(round), rowsMax: LIMIT })],
    issue: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const request = { command: round.round % 3 ? 'hold' : 'emergency_stop' } as const;
        const id = commandId(deviceNo, round);
        const issue = { deviceNo, commandId: id, request, isReachable: true };
        return round.app.commands.issue({ ...issue, nowMs: atMs(round) });
      }),
    notSent: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const unsent = {
          deviceNo,
          commandId: commandId(deviceNo, round),
          delivery: 'not_connected',
        } as const;
        return round.app.commands.notSent({ ...unsent, nowMs: atMs(round) });
      }),
    declareEnded: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const id = commandId(deviceNo, round);
        const declaration = { deviceNo, commandId: id, declaration: LOOKED, isReachable: false };
        return round.app.commands.declareEnded({ ...declaration, nowMs: atMs(round) + DAY_MS });
      }),
    acknowledged: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const ack = { command_id: commandId(deviceNo, round), accepted: true };
        return round.app.commands.acknowledged({ deviceNo, ack, nowMs: atMs(round) });
      }),
    progressed: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const nowMs = atMs(round);
        const progress = { command_id: commandId(deviceNo, round), state: 'succeeded', ts: nowMs } as const;
        return round.app.commands.progressed({ deviceNo, progress, nowMs });
      }),
  },
  missions: {
    expire: (round) => [round.app.missions.expire({ beforeMs: atMs(round), rowsMax: LIMIT })],
    create: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const waypoints = [{ lat: 52, lng: 13, action: 'none' as const }];
        const mission = { mission_name: 'm', waypoints };
        const id = missionId(deviceNo, round);
        const creation = { deviceNo, missionId: id, mission, isReachable: true };
        return round.app.missions.create({ ...creation, nowMs: atMs(round) });
      }),
    control: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const id = missionId(deviceNo, round);
        return round.app.missions.control({
          deviceNo,
          missionId: id,
          control: 'cancel',
          isReachable: true,
          nowMs: atMs(round),
        });
      }),
    notSent: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const unsent = { deviceNo, missionId: missionId(deviceNo, round), send: 'start' } as const;
        return round.app.missions.notSent({ ...unsent, nowMs: atMs(round) });
      }),
    declareEnded: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const id = missionId(deviceNo, round);
        const declaration = { deviceNo, missionId: id, declaration: LOOKED, isReachable: false };
        return round.app.missions.declareEnded({ ...declaration, nowMs: atMs(round) + DAY_MS });
      }),
    acknowledged: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const ack = { mission_id: missionId(deviceNo, round), accepted: true };
        return round.app.missions.acknowledged({ deviceNo, ack, nowMs: atMs(round) });
      }),
    progressed: (round) =>
      ofEach(round.rovers, (deviceNo) => {
        const nowMs = atMs(round);
        const progress = { mission_id: missionId(deviceNo, round), state: 'running', ts: nowMs } as const;
        return round.app.missions.progressed({ deviceNo, progress, nowMs });
      }),
  },
  field: {
    tick: (round) => [tickDue(round.app, 'field', atMs(round))],
  },
};
