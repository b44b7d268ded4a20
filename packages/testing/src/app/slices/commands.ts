import { DAY_MS } from '@granary/contract/time';
import {
  atMs,
  LIMIT,
  LOOKED,
  ofEach,
  type WhoMayOf,
  type WriteRound,
  type WritesOf,
} from '../write-round.ts';

/** The ids are the same within a round, so that replies of devices refer to its jobs. */
const commandId = (deviceNo: number, { round }: WriteRound): string => `cmd_${deviceNo}_${round}`;

export const whoMay: WhoMayOf<'commands'> = {
  expire: 'nobody',
  issue: 'rights',
  notSent: 'nobody',
  declareEnded: 'rights',
  acknowledged: 'nobody',
  progressed: 'nobody',
};

export const writes: WritesOf<'commands'> = {
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
};
