import { Refusal } from '@granary/contract/errors';
import type { FieldCommand, MissionAck, MissionProgress } from '@granary/contract/field-link';
import type { Mission, MissionRequestKind, MissionStatus } from '@granary/contract/missions';
import { refuseMovement } from '@granary/core/command-refusals';
import { planMission } from '@granary/core/mission-plan';
import { missionMessage } from '@granary/core/mission-record';
import { beginMission, type MissionState, missionWord } from '@granary/core/mission-state';
import { advanceMission, type MissionInput, refuseRequest } from '@granary/core/missions';
import { foreign, type Heard, settle } from './errand-ledger.ts';
import type { Expiry } from './errands.ts';
import { holdFieldDevice } from './field-devices.ts';
import { MISSIONS, missionsAhead } from './mission-rows.ts';
import type { Sql } from './sql.ts';
import { holdDevice } from './watches.ts';

/** Each new mission is held against all of these. */
export const MISSIONS_AHEAD_MAX = 200;

export interface MissionCreation {
  readonly deviceNo: number;
  readonly missionId: string;
  readonly mission: Mission;
  /** The device has a live session and listens to its commands. */
  readonly isReachable: boolean;
  readonly nowMs: number;
}

export interface MissionWish {
  readonly deviceNo: number;
  readonly missionId: string;
  readonly control: MissionRequestKind;
  /** The device has a live session and listens to its commands. */
  readonly isReachable: boolean;
  readonly nowMs: number;
}

export interface UnsentMissionMessage {
  readonly deviceNo: number;
  readonly missionId: string;
  readonly send: 'start' | 'resume';
  readonly nowMs: number;
}

export interface MissionPage {
  readonly deviceNo: number;
  readonly status: MissionStatus | null;
  readonly beforeMissionId: string | null;
  readonly limit: number;
}

export const reads = {
  async find(sql: Sql, deviceNo: number, missionId: string): Promise<MissionState | undefined> {
    return await MISSIONS.findOf(sql, deviceNo, missionId);
  },

  async list(sql: Sql, page: MissionPage): Promise<MissionState[]> {
    const { status, beforeMissionId: beforeId, ...rest } = page;
    return await MISSIONS.list(sql, { ...rest, filter: { status }, beforeId });
  },
};

export const writes = {
  /** Removes some of those that ended long ago and answers how many. */
  async expire(sql: Sql, expiry: Expiry): Promise<number> {
    return await MISSIONS.expire(sql, expiry);
  },

  /** It waits for its time, which the next tick knows also if that is now. */
  async create(sql: Sql, creation: MissionCreation): Promise<MissionState> {
    const { deviceNo, missionId, mission, isReachable, nowMs } = creation;
    const { watch, facts } = await holdFieldDevice(sql, deviceNo);
    const ahead = await missionsAhead(sql, deviceNo, MISSIONS_AHEAD_MAX);
    const plan = planMission(mission, { ...facts, isReachable, missions: ahead }, nowMs);
    if (ahead.length >= MISSIONS_AHEAD_MAX) {
      throw new Refusal('mission_in_progress', `the device has ${ahead.length} missions ahead of it`);
    }
    const begun = beginMission({ missionId, deviceNo, name: mission.mission_name, plan }, nowMs);
    if (!(await MISSIONS.insert(sql, begun, nowMs))) throw new Error(`mission ${missionId} is there already`);
    await settle(sql, watch, MISSIONS, { before: null, after: begun, nowMs });
    return begun;
  },

  /** `undefined`: the device has no such mission. */
  async control(
    sql: Sql,
    { deviceNo, missionId, control, isReachable, nowMs }: MissionWish,
  ): Promise<{ mission: MissionState; send: FieldCommand | null } | undefined> {
    const watch = await holdDevice(sql, deviceNo);
    const before = await MISSIONS.findOf(sql, deviceNo, missionId);
    if (watch === undefined || before === undefined) return undefined;
    refuseRequest(before, control);
    if (control === 'resume') {
      const { facts } = await holdFieldDevice(sql, deviceNo);
      refuseMovement({ ...facts, isReachable }, nowMs);
    }
    const { mission, send } = advanceMission(before, { kind: control }, nowMs);
    await settle(sql, watch, MISSIONS, { before, after: mission, nowMs });
    return { mission, send: send && missionMessage(mission, send) };
  },

  /** What becomes of a mission whose start or resumption was to be sent, but was not. */
  async notSent(sql: Sql, unsent: UnsentMissionMessage): Promise<MissionState | undefined> {
    const { deviceNo, missionId, send, nowMs } = unsent;
    const watch = await holdDevice(sql, deviceNo);
    const before = await MISSIONS.findOf(sql, deviceNo, missionId);
    if (watch === undefined || before === undefined) return undefined;
    const { mission } = advanceMission(before, { kind: 'not_sent', send }, nowMs);
    await settle(sql, watch, MISSIONS, { before, after: mission, nowMs });
    return mission;
  },

  async acknowledged(
    sql: Sql,
    { deviceNo, ack, nowMs }: { deviceNo: number; ack: MissionAck; nowMs: number },
  ): Promise<Heard<FieldCommand>> {
    const input = { kind: 'ack', accepted: ack.accepted, reason: ack.reason ?? null } as const;
    return await hear(sql, deviceNo, ack.mission_id, input, nowMs);
  },

  async progressed(
    sql: Sql,
    { deviceNo, progress, nowMs }: { deviceNo: number; progress: MissionProgress; nowMs: number },
  ): Promise<Heard<FieldCommand>> {
    const input = { kind: 'progress', ...missionWord(progress) } as const;
    return await hear(sql, deviceNo, progress.mission_id, input, nowMs);
  },
};

async function hear(
  sql: Sql,
  deviceNo: number,
  missionId: string,
  input: MissionInput,
  nowMs: number,
): Promise<Heard<FieldCommand>> {
  const watch = await holdDevice(sql, deviceNo);
  const before = await MISSIONS.findOf(sql, deviceNo, missionId);
  if (watch === undefined || before === undefined) return foreign('the device was given no such mission');
  const { mission, send } = advanceMission(before, input, nowMs);
  await settle(sql, watch, MISSIONS, { before, after: mission, nowMs });
  return { kind: 'taken', send: send && missionMessage(mission, send) };
}
