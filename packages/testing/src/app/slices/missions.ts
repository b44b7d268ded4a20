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
const missionId = (deviceNo: number, { round, node }: WriteRound): string =>
  `ms_${deviceNo}_${round}_${node}`;

export const whoMay: WhoMayOf<'missions'> = {
  expire: 'nobody',
  create: 'rights',
  control: 'rights',
  declareEnded: 'rights',
  notSent: 'nobody',
  acknowledged: 'nobody',
  progressed: 'nobody',
};

export const writes: WritesOf<'missions'> = {
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
};
