import { Refusal } from '@granary/contract/errors';
import type { MissionRequestKind } from '@granary/contract/missions';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { isDue, isReportDue } from './device-talk.ts';
import { FRESHNESS_MS } from './devices.ts';
import { isMissionOver, isMissionSettled, type MissionState, type MissionWord } from './mission-state.ts';
import {
  CANCELLED,
  end,
  LOST,
  type MissionAdvance,
  mayRun,
  NOT_STARTED,
  quiet,
  request,
} from './mission-steps.ts';
import { answered, reported } from './mission-words.ts';
import { STOP_RESEND_MS } from './operations.ts';

/** So long before its start a mission is uploaded, so that it begins on time. */
export const UPLOAD_LEAD_MS = 5 * SECOND_MS;
/** Before a mission runs, doing it again does no harm. */
export const UPLOAD_RESEND_MS = 5 * SECOND_MS;
/** A device that was silent for longer than its whole mission takes, and this, is given up. */
export const LOST_MARGIN_MS = 10 * MINUTE_MS;

export interface MissionTick {
  readonly kind: 'tick';
  readonly deviceOnline: boolean;
  /** No other mission holds it, and it is not in maintenance. */
  readonly deviceFree: boolean;
}

export type MissionInput =
  | { readonly kind: MissionRequestKind }
  | { readonly kind: 'ack'; readonly accepted: boolean; readonly reason: string | null }
  | ({ readonly kind: 'progress' } & MissionWord)
  | MissionTick;

/** Refuses to pause or resume what does not run. A mission may be cancelled at any time. */
export function refuseRequest({ status, requested }: MissionState, kind: MissionRequestKind): void {
  if (kind === 'cancel') return;
  const isRunning = status === 'in_progress' || status === 'paused';
  if (!isRunning) throw new Refusal('mission_not_running', `the mission is ${status}, it cannot ${kind}`);
  if (requested === 'cancel') {
    throw new Refusal('mission_not_running', `the mission is being cancelled, it cannot ${kind}`);
  }
}

/**
 * What an input makes of a mission, at any time and in any state. An upload moves nothing, so it is repeated until answered;
 * a start is repeated until the device says that the mission runs, and obeyed only as long as the upload is there. A device
 * that lost it fails it rather than run it twice. A mission that nothing changed is returned as the same object.
 */
export function advanceMission(mission: MissionState, input: MissionInput, nowMs: number): MissionAdvance {
  switch (input.kind) {
    case 'pause':
    case 'resume':
      return isAlready(mission, input.kind) ? quiet(mission) : request(mission, input.kind, nowMs);
    case 'cancel':
      return cancel(mission, nowMs);
    case 'ack':
      return answered(mission, input.accepted, input.reason, nowMs);
    case 'progress':
      return reported(mission, input, nowMs);
    case 'tick':
      return ticked(mission, input, nowMs);
  }
}

/** The latest wish counts; without one, what the mission does. Nothing can be wished of one that does not run. */
function isAlready({ status, requested }: MissionState, kind: 'pause' | 'resume'): boolean {
  if (requested !== null) return requested === kind || requested === 'cancel';
  return status !== (kind === 'pause' ? 'in_progress' : 'paused');
}

/** Whatever was never told to start does not run, so nobody has to confirm that it ended. */
function cancel(mission: MissionState, nowMs: number): MissionAdvance {
  if (isMissionOver(mission) || mission.requested === 'cancel') return quiet(mission);
  if (!mayRun(mission)) {
    return {
      mission: end(mission, 'cancelled', CANCELLED, nowMs),
      send: mission.status === 'scheduled' ? null : 'cancel',
    };
  }
  return request(mission, 'cancel', nowMs);
}

function ticked(before: MissionState, tick: MissionTick, nowMs: number): MissionAdvance {
  if (isMissionSettled(before, nowMs)) return quiet(before);
  if (isMissionOver(before)) return askReport(before, tick, nowMs);
  if (before.status === 'scheduled') return dispatch(before, tick, nowMs);
  const mission = noteSilence(before, tick, nowMs);
  if (isLost(mission, nowMs)) return askReport(end(mission, 'failed', LOST, nowMs), tick, nowMs);
  if (mission.requested !== null) return requestAgain(mission, mission.requested, tick, nowMs);
  return mission.status === 'dispatched' ? begin(mission, tick, nowMs) : askReport(mission, tick, nowMs);
}

function dispatch(
  mission: MissionState,
  { deviceOnline, deviceFree }: MissionTick,
  nowMs: number,
): MissionAdvance {
  const { startAtMs, expiresAtMs } = mission.plan;
  if (nowMs > expiresAtMs) return quiet(end(mission, 'missed', NOT_STARTED, nowMs));
  if (nowMs < startAtMs - UPLOAD_LEAD_MS || !deviceOnline || !deviceFree) return quiet(mission);
  return {
    mission: { ...mission, status: 'dispatched', dispatchedAtMs: nowMs, uploadSentAtMs: nowMs },
    send: 'upload',
  };
}

/** What the device does without a link is its own affair, and declared; that it has none is on record. */
function noteSilence(mission: MissionState, { deviceOnline }: MissionTick, nowMs: number): MissionState {
  const isSilent = !deviceOnline || isDue(heardAtMs(mission), nowMs, FRESHNESS_MS);
  const isNoted = mission.linkLostAtMs !== null;
  return isNoted === isSilent ? mission : { ...mission, linkLostAtMs: isSilent ? nowMs : null };
}

const heardAtMs = ({ lastHeardAtMs, dispatchedAtMs }: MissionState): number | null =>
  lastHeardAtMs ?? dispatchedAtMs;

/** Only after we have listened for a while: if it was the service that was away, the device had nobody to talk to. */
function isLost(mission: MissionState, nowMs: number): boolean {
  const { linkLostAtMs, plan } = mission;
  if (!mayRun(mission) || linkLostAtMs === null || nowMs - linkLostAtMs <= FRESHNESS_MS) return false;
  return nowMs - (heardAtMs(mission) ?? linkLostAtMs) > plan.busyMs + LOST_MARGIN_MS;
}

function requestAgain(
  mission: MissionState,
  kind: MissionRequestKind,
  { deviceOnline }: MissionTick,
  nowMs: number,
): MissionAdvance {
  const isWanted = deviceOnline && isDue(mission.requestSentAtMs, nowMs, STOP_RESEND_MS);
  return isWanted ? request(mission, kind, nowMs) : quiet(mission);
}

/** From the upload to the first word that it runs. */
function begin(mission: MissionState, tick: MissionTick, nowMs: number): MissionAdvance {
  const { acceptedAtMs, uploadSentAtMs, startSentAtMs, plan } = mission;
  if (nowMs > plan.expiresAtMs) {
    if (startSentAtMs !== null) return askReport(mission, tick, nowMs);
    const send = tick.deviceOnline ? 'cancel' : null;
    return { mission: end(mission, 'missed', NOT_STARTED, nowMs), send };
  }
  if (!tick.deviceOnline) return quiet(mission);
  if (acceptedAtMs === null) {
    if (!isDue(uploadSentAtMs, nowMs, UPLOAD_RESEND_MS)) return quiet(mission);
    return { mission: { ...mission, uploadSentAtMs: nowMs }, send: 'upload' };
  }
  if (nowMs < plan.startAtMs) return askReport(mission, tick, nowMs);
  if (!isDue(startSentAtMs, nowMs, UPLOAD_RESEND_MS)) return quiet(mission);
  return { mission: { ...mission, startSentAtMs: nowMs }, send: 'start' };
}

function askReport(mission: MissionState, { deviceOnline }: MissionTick, nowMs: number): MissionAdvance {
  if (!deviceOnline || !isReportDue(mission, nowMs)) return quiet(mission);
  return { mission: { ...mission, reportAskedAtMs: nowMs }, send: 'report' };
}
