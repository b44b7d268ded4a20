import type { EndDeclaration } from '@granary/contract/declared-end';
import type { MissionAck, MissionProgress } from '@granary/contract/link/field-messages';
import type {
  Mission,
  MissionRequestKind,
  MissionStatus,
  PreflightRequest,
  PreflightResult,
} from '@granary/contract/missions';
import { refuseMovement } from '@granary/core/commands/refusals';
import { refuseDeclaration } from '@granary/core/missions/declared-end';
import { MISSIONS_AHEAD_MAX, planMission, previewMission } from '@granary/core/missions/planning/plan';
import { missionMessage } from '@granary/core/missions/record';
import {
  beginMission,
  isMissionOver,
  type MissionState,
  missionReportContent,
} from '@granary/core/missions/state';
import { advanceMission, type MissionInput, refuseRequest } from '@granary/core/missions/transitions';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { lockDevice } from '../alerts/evaluation-rows.ts';
import { lockDeviceFor, readDeviceFor } from '../device-facts.ts';
import { alertEvaluation, type Committed, committed } from '../effects.ts';
import {
  appliedReply,
  messageEffects,
  type ReplyResult,
  recordJobChange,
  unknownReference,
} from '../jobs/job-change-recorder.ts';
import { keptFor } from '../slice.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import { MISSIONS, missionsNotEnded } from './mission-rows.ts';

export interface MissionCreation {
  readonly deviceNo: number;
  readonly missionId: string;
  readonly mission: Mission;
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
  readonly nowMs: number;
}

export interface MissionPreview {
  readonly deviceNo: number;
  readonly mission: PreflightRequest;
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
  /** How long a shift is. */
  readonly shiftMs: number;
  readonly nowMs: number;
}

export interface MissionControlRequest {
  readonly deviceNo: number;
  readonly missionId: string;
  readonly control: MissionRequestKind;
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
  readonly nowMs: number;
}

export interface MissionEndDeclaration {
  readonly deviceNo: number;
  readonly missionId: string;
  readonly declaration: EndDeclaration;
  /** The device has a live MQTT session that is subscribed to its commands. */
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

  /** Decides in the same way as `create`. */
  async preflight(sql: Sql, preview: MissionPreview): Promise<PreflightResult> {
    const { deviceNo, mission, isReachable, shiftMs, nowMs } = preview;
    const { facts } = await readDeviceFor(sql, deviceNo, 'missions');
    const ahead = await missionsNotEnded(sql, deviceNo, MISSIONS_AHEAD_MAX);
    return previewMission(mission, { ...facts, isReachable, missions: ahead }, shiftMs, nowMs);
  },
};

export const expiry = keptFor('jobRetentionDays');

export const writes = {
  /** Removes a limited number of jobs that ended long ago and returns how many. */
  expire: longWrite(async (tx, expiry: Expiry) => committed(await MISSIONS.expire(tx.sql, expiry))),

  /** Stores a mission that waits for its start. The next tick dispatches it, even if it starts now. */
  async create(tx: Transaction, creation: MissionCreation): Promise<Committed<MissionState>> {
    const { deviceNo, missionId, mission, isReachable, nowMs } = creation;
    const { evaluation, facts } = await lockDeviceFor(tx, deviceNo, 'missions');
    const ahead = await missionsNotEnded(tx.sql, deviceNo, MISSIONS_AHEAD_MAX);
    const plan = planMission(mission, { ...facts, isReachable, missions: ahead }, nowMs);
    const wanted = { missionId, deviceNo, name: mission.mission_name, plan };
    const begun = { ...beginMission(wanted, nowMs), requestedBy: tx.actor };
    if (!(await MISSIONS.insert(tx.sql, begun, nowMs)))
      throw new Error(`mission ${missionId} is there already`);
    const logged = await recordJobChange(tx, evaluation, MISSIONS, { before: null, after: begun, nowMs });
    return committed(begun, ...logged);
  },

  /** Returns `undefined` if the device has no such mission. */
  async control(
    tx: Transaction,
    { deviceNo, missionId, control, isReachable, nowMs }: MissionControlRequest,
  ): Promise<Committed<{ mission: MissionState } | undefined>> {
    const evaluation = await lockDevice(tx, deviceNo);
    const before = await MISSIONS.findOf(tx.sql, deviceNo, missionId);
    if (evaluation === undefined || before === undefined) return committed(undefined);
    refuseRequest(before, control);
    if (control === 'resume') {
      const { facts } = await lockDeviceFor(tx, deviceNo, 'missions');
      refuseMovement({ ...facts, isReachable }, nowMs);
    }
    const { mission: advanced, send } = advanceMission(before, { kind: control }, nowMs);
    const isCancel = control === 'cancel' && before.cancelledBy === null && !isMissionOver(before);
    const mission = isCancel ? { ...advanced, cancelledBy: tx.actor } : advanced;
    const sends = await messageEffects(tx.sql, deviceNo, send && missionMessage(mission, send));
    const logged = await recordJobChange(tx, evaluation, MISSIONS, { before, after: mission, nowMs });
    return committed({ mission }, ...sends, ...alertEvaluation([deviceNo]), ...logged);
  },

  /** Returns `undefined` if the device has no such mission. */
  async declareEnded(
    tx: Transaction,
    { deviceNo, missionId, declaration, isReachable, nowMs }: MissionEndDeclaration,
  ): Promise<Committed<MissionState | undefined>> {
    const evaluation = await lockDevice(tx, deviceNo);
    const before = await MISSIONS.findOf(tx.sql, deviceNo, missionId);
    if (evaluation === undefined || before === undefined) return committed(undefined);
    refuseDeclaration(before, { isReachable, nowMs });
    const by = tx.actor;
    const input = { kind: 'declare_ended', declaration: { ...declaration, by }, isReachable } as const;
    const { mission } = advanceMission(before, input, nowMs);
    const logged = await recordJobChange(tx, evaluation, MISSIONS, { before, after: mission, nowMs });
    return committed(mission, ...alertEvaluation([deviceNo]), ...logged);
  },

  /** Records that the start or the resume of the mission could not be sent. */
  async notSent(tx: Transaction, unsent: UnsentMissionMessage): Promise<Committed<void>> {
    const { deviceNo, missionId, send, nowMs } = unsent;
    const evaluation = await lockDevice(tx, deviceNo);
    const before = await MISSIONS.findOf(tx.sql, deviceNo, missionId);
    if (evaluation === undefined || before === undefined) return committed(undefined);
    const { mission } = advanceMission(before, { kind: 'not_sent', send }, nowMs);
    const logged = await recordJobChange(tx, evaluation, MISSIONS, { before, after: mission, nowMs });
    return committed(undefined, ...logged);
  },

  async acknowledged(
    tx: Transaction,
    { deviceNo, ack, nowMs }: { deviceNo: number; ack: MissionAck; nowMs: number },
  ): Promise<Committed<ReplyResult>> {
    const input = { kind: 'ack', accepted: ack.accepted, reason: ack.reason ?? null } as const;
    return await handleReply(tx, deviceNo, ack.mission_id, input, nowMs);
  },

  async progressed(
    tx: Transaction,
    { deviceNo, progress, nowMs }: { deviceNo: number; progress: MissionProgress; nowMs: number },
  ): Promise<Committed<ReplyResult>> {
    const input = { kind: 'progress', ...missionReportContent(progress) } as const;
    return await handleReply(tx, deviceNo, progress.mission_id, input, nowMs);
  },
};

async function handleReply(
  tx: Transaction,
  deviceNo: number,
  missionId: string,
  input: MissionInput,
  nowMs: number,
): Promise<Committed<ReplyResult>> {
  const evaluation = await lockDevice(tx, deviceNo);
  const before = await MISSIONS.findOf(tx.sql, deviceNo, missionId);
  if (evaluation === undefined || before === undefined)
    return unknownReference('the device was given no such mission');
  const { mission, send } = advanceMission(before, input, nowMs);
  const sends = await messageEffects(tx.sql, deviceNo, send && missionMessage(mission, send));
  const logged = await recordJobChange(tx, evaluation, MISSIONS, { before, after: mission, nowMs });
  return appliedReply(...sends, ...alertEvaluation([deviceNo]), ...logged);
}
