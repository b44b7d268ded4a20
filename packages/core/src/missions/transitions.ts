import { Refusal } from '@granary/contract/errors';
import type { MissionRequestKind, MissionResult } from '@granary/contract/missions';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { isDue, isReportDue, MOTION_EXPIRY_MS } from '../devices/polling.ts';
import { FRESHNESS_MS } from '../devices/status.ts';
import { STOP_RESEND_MS } from '../operations/transitions.ts';
import { answered, reported } from './reports.ts';
import { isMissionFinished, isMissionOver, type MissionReportContent, type MissionState } from './state.ts';
import {
  CANCELLED,
  end,
  halt,
  LOST,
  type MissionSend,
  type MissionTransition,
  NOT_SENT,
  NOT_STARTED,
  possiblyRunning,
  quiet,
  request,
  UNANSWERED,
} from './steps.ts';

/** So long before its start a mission is uploaded, so that it begins on time. */
export const UPLOAD_LEAD_MS = 5 * SECOND_MS;
/** An upload moves nothing, so it is repeated until it is answered. */
export const UPLOAD_RESEND_MS = 5 * SECOND_MS;
/** A device that has not answered an upload by then, counted from the start, does not get the mission any more. */
export const UPLOAD_ANSWER_MS_MAX = 30 * SECOND_MS;
/** A device that was silent for longer than its whole mission takes, and this, is given up. */
export const LOST_MARGIN_MS = 10 * MINUTE_MS;

export interface MissionTick {
  readonly kind: 'tick';
  /** It has a live session and listens to its commands. */
  readonly deviceOnline: boolean;
  /** No other mission holds it, and it is not in maintenance. */
  readonly deviceFree: boolean;
  /** An emergency stop keeps the device from moving. */
  readonly isStopped: boolean;
}

export type MissionInput =
  | { readonly kind: MissionRequestKind }
  /** An emergency stop was requested. */
  | { readonly kind: 'emergency_stop' }
  /** A message was to be sent, but was not. */
  | { readonly kind: 'not_sent'; readonly send: MissionSend }
  | { readonly kind: 'ack'; readonly accepted: boolean; readonly reason: string | null }
  | ({ readonly kind: 'progress' } & MissionReportContent)
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
 * What an input makes of a mission, at any time and in any state. An upload, a pause and a cancellation move nothing, so they
 * are repeated until the device has answered. A start is sent once per mission and a resumption once per request: a device
 * that lost its memory would obey a second one. A mission that nothing changed is returned as the same object.
 */
export function advanceMission(mission: MissionState, input: MissionInput, nowMs: number): MissionTransition {
  switch (input.kind) {
    case 'pause':
    case 'resume':
      return isAlready(mission, input.kind) ? quiet(mission) : request(mission, input.kind, nowMs);
    case 'cancel':
      return cancel(mission, nowMs);
    case 'emergency_stop':
      return halt(mission, nowMs);
    case 'not_sent':
      return quiet(notSent(mission, input.send, nowMs));
    case 'ack':
      return answered(mission, input.accepted, input.reason, nowMs);
    case 'progress':
      return reported(mission, input, nowMs);
    case 'tick':
      return ticked(mission, input, nowMs);
  }
}

/** The latest request counts; without one, what the mission does. Nothing can be requested of one that does not run. */
function isAlready({ status, requested }: MissionState, kind: 'pause' | 'resume'): boolean {
  if (requested !== null) return requested === kind || requested === 'cancel';
  return status !== (kind === 'pause' ? 'in_progress' : 'paused');
}

/** Whatever was never told to start does not run, so nobody has to confirm that it ended. */
function cancel(mission: MissionState, nowMs: number): MissionTransition {
  if (isMissionOver(mission) || mission.requested === 'cancel') return quiet(mission);
  if (!possiblyRunning(mission)) {
    return {
      mission: end(mission, 'cancelled', CANCELLED, nowMs),
      send: mission.status === 'scheduled' ? null : 'cancel',
    };
  }
  return request(mission, 'cancel', nowMs);
}

/** A start or a resumption that was not sent is not tried again; everything else is repeated or asked for anyway. */
function notSent(mission: MissionState, send: MissionSend, nowMs: number): MissionState {
  if (send === 'resume' && mission.requested === 'resume') return { ...mission, requested: null };
  const isStarting = mission.status === 'dispatched' && mission.startSentAtMs !== null;
  return send === 'start' && isStarting ? end(mission, 'failed', NOT_SENT, nowMs) : mission;
}

function ticked(before: MissionState, tick: MissionTick, nowMs: number): MissionTransition {
  if (isMissionFinished(before, nowMs)) return quiet(before);
  if (isMissionOver(before)) return askReport(before, tick, nowMs);
  if (before.status === 'scheduled') {
    return tick.isStopped ? halt(before, nowMs) : dispatch(before, tick, nowMs);
  }
  const mission = dropOldResume(noteSilence(before, tick, nowMs), nowMs);
  if (tick.isStopped && mission.requested !== 'cancel') return halt(mission, nowMs);
  if (isLost(mission, nowMs)) return askReport(end(mission, 'failed', LOST, nowMs), tick, nowMs);
  if (mission.requested === 'pause' || mission.requested === 'cancel') {
    return requestAgain(mission, mission.requested, tick, nowMs);
  }
  return mission.status === 'dispatched' ? begin(mission, tick, nowMs) : askReport(mission, tick, nowMs);
}

function dispatch(
  mission: MissionState,
  { deviceOnline, deviceFree }: MissionTick,
  nowMs: number,
): MissionTransition {
  const { startAtMs, expiresAtMs } = mission.plan;
  if (nowMs > expiresAtMs) return quiet(end(mission, 'missed', NOT_STARTED, nowMs));
  if (nowMs < startAtMs - UPLOAD_LEAD_MS || !deviceOnline || !deviceFree) return quiet(mission);
  return {
    mission: { ...mission, status: 'dispatched', dispatchedAtMs: nowMs, uploadSentAtMs: nowMs },
    send: 'upload',
  };
}

/** A resumption that the device has not confirmed before its expiry was not obeyed; a person may request it again. */
function dropOldResume(mission: MissionState, nowMs: number): MissionState {
  const isOld = mission.requested === 'resume' && isDue(mission.requestSentAtMs, nowMs, MOTION_EXPIRY_MS);
  return isOld ? { ...mission, requested: null } : mission;
}

/** What the device does without a link is declared in its configuration; since when it has none is on record. */
function noteSilence(mission: MissionState, { deviceOnline }: MissionTick, nowMs: number): MissionState {
  const isSilent = !deviceOnline || isDue(heardAtMs(mission), nowMs, FRESHNESS_MS);
  const isNoted = mission.linkLostAtMs !== null;
  return isNoted === isSilent ? mission : { ...mission, linkLostAtMs: isSilent ? nowMs : null };
}

const heardAtMs = ({ lastHeardAtMs, dispatchedAtMs }: MissionState): number | null =>
  lastHeardAtMs ?? dispatchedAtMs;

/** Only after the service has listened for a while: if it was the service that was away, the device could not report. */
function isLost(mission: MissionState, nowMs: number): boolean {
  const { linkLostAtMs, plan } = mission;
  if (!possiblyRunning(mission) || linkLostAtMs === null || nowMs - linkLostAtMs <= FRESHNESS_MS)
    return false;
  return nowMs - (heardAtMs(mission) ?? linkLostAtMs) > plan.busyMs + LOST_MARGIN_MS;
}

function requestAgain(
  mission: MissionState,
  kind: 'pause' | 'cancel',
  { deviceOnline }: MissionTick,
  nowMs: number,
): MissionTransition {
  const isWanted = deviceOnline && isDue(mission.requestSentAtMs, nowMs, STOP_RESEND_MS);
  return isWanted ? request(mission, kind, nowMs) : quiet(mission);
}

/** From the upload to the first report that it runs. Once it was told to start, the device is only asked. */
function begin(mission: MissionState, tick: MissionTick, nowMs: number): MissionTransition {
  const { acceptedAtMs, uploadSentAtMs, startSentAtMs, plan } = mission;
  if (startSentAtMs !== null) return askReport(mission, tick, nowMs);
  if (nowMs > plan.expiresAtMs) return miss(mission, NOT_STARTED, tick, nowMs);
  if (acceptedAtMs === null) {
    if (nowMs > uploadAnswerDueMs(mission)) return miss(mission, UNANSWERED, tick, nowMs);
    if (!tick.deviceOnline || !isDue(uploadSentAtMs, nowMs, UPLOAD_RESEND_MS)) return quiet(mission);
    return { mission: { ...mission, uploadSentAtMs: nowMs }, send: 'upload' };
  }
  if (nowMs < plan.startAtMs || !tick.deviceFree) return askReport(mission, tick, nowMs);
  if (!tick.deviceOnline) return quiet(mission);
  // The device answers a start like a report, so nothing more is asked for now.
  return { mission: { ...mission, startSentAtMs: nowMs, reportAskedAtMs: nowMs }, send: 'start' };
}

export const uploadAnswerDueMs = ({ plan, dispatchedAtMs }: MissionState): number =>
  Math.max(plan.startAtMs, dispatchedAtMs ?? plan.startAtMs) + UPLOAD_ANSWER_MS_MAX;

const miss = (
  mission: MissionState,
  result: MissionResult,
  { deviceOnline }: MissionTick,
  nowMs: number,
): MissionTransition => ({
  mission: end(mission, 'missed', result, nowMs),
  send: deviceOnline ? 'cancel' : null,
});

function askReport(mission: MissionState, { deviceOnline }: MissionTick, nowMs: number): MissionTransition {
  if (!deviceOnline || !isReportDue(mission, nowMs)) return quiet(mission);
  return { mission: { ...mission, reportAskedAtMs: nowMs }, send: 'report' };
}
