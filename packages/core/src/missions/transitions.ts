import { Refusal } from '@granary/contract/errors';
import type { MissionRequestKind } from '@granary/contract/missions';
import { SECOND_MS } from '@granary/contract/time';
import { FRESHNESS_MS } from '../devices/status.ts';
import type { DeclarationInput } from '../jobs/declared-end.ts';
import { isDue, isReportDue, MOTION_EXPIRY_MS, STOP_RESEND_MS } from '../jobs/polling.ts';
import { declareEnded } from './declared-end.ts';
import { applyAcknowledgement, applyReport } from './reports.ts';
import { notRunning } from './sentences.ts';
import {
  isMissionFinished,
  isMissionOver,
  type MissionEnd,
  type MissionReportContent,
  type MissionState,
} from './state.ts';
import {
  CANCELLED,
  end,
  halt,
  LOST,
  LOST_MARGIN_MS,
  type MissionSend,
  type MissionTransition,
  NOT_SENT,
  NOT_STARTED,
  possiblyRunning,
  request,
  UNANSWERED,
  uploadAnswerDueMs,
  withoutMessage,
} from './steps.ts';

/** A mission is uploaded this long before its start, so that it begins on time. */
export const UPLOAD_LEAD_MS = 5 * SECOND_MS;
/** An upload causes no movement, so it is sent again until the device answers. */
export const UPLOAD_RESEND_MS = 5 * SECOND_MS;

export interface MissionTick {
  readonly kind: 'tick';
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
  /** The device runs no other mission and is not in maintenance. */
  readonly deviceFree: boolean;
  /** An emergency stop is in force on the device. */
  readonly isStopped: boolean;
}

export type MissionInput =
  | { readonly kind: MissionRequestKind }
  /** An emergency stop was requested. */
  | { readonly kind: 'emergency_stop' }
  /** The link could not write a message to the device's connection. */
  | { readonly kind: 'not_sent'; readonly send: MissionSend }
  | {
      readonly kind: 'declare_ended';
      readonly declaration: DeclarationInput;
      readonly isReachable: boolean;
    }
  | { readonly kind: 'ack'; readonly accepted: boolean; readonly reason: string | null }
  | ({ readonly kind: 'progress' } & MissionReportContent)
  | MissionTick;

/** Only a running mission can be paused or resumed; a mission may be cancelled at any time. */
export function refuseRequest(mission: MissionState, kind: MissionRequestKind): void {
  if (kind === 'cancel') return;
  const isRunning = mission.status === 'in_progress' || mission.status === 'paused';
  if (isRunning && mission.requested !== 'cancel') return;
  throw new Refusal('mission_not_running', notRunning(mission, kind));
}

/**
 * The state machine of a mission: accepts every input in every state. An upload, a pause and a cancel cause no movement, so
 * they are sent again until the device answers. A start is sent once per mission and a resume once per request, because a
 * device that lost its memory would carry out a second one. An unchanged mission is returned as the same object.
 */
export function advanceMission(mission: MissionState, input: MissionInput, nowMs: number): MissionTransition {
  switch (input.kind) {
    case 'pause':
    case 'resume':
      return isAlreadyRequested(mission, input.kind)
        ? withoutMessage(mission)
        : request(mission, input.kind, nowMs);
    case 'cancel':
      return cancel(mission, nowMs);
    case 'emergency_stop':
      return halt(mission, nowMs);
    case 'not_sent':
      return withoutMessage(applyNotSent(mission, input.send, nowMs));
    case 'declare_ended':
      return withoutMessage(
        declareEnded(mission, input.declaration, { isReachable: input.isReachable, nowMs }),
      );
    case 'ack':
      return applyAcknowledgement(mission, input.accepted, input.reason, nowMs);
    case 'progress':
      return applyReport(mission, input, nowMs);
    case 'tick':
      return applyTick(mission, input, nowMs);
  }
}

/** Whether the request changes nothing: it equals the pending request or, if there is none, the present status. */
function isAlreadyRequested({ status, requested }: MissionState, kind: 'pause' | 'resume'): boolean {
  if (requested !== null) return requested === kind || requested === 'cancel';
  return status !== (kind === 'pause' ? 'in_progress' : 'paused');
}

/** A mission that was never started does not run, so it ends without a confirmation of the device. */
function cancel(mission: MissionState, nowMs: number): MissionTransition {
  if (isMissionOver(mission) || mission.requested === 'cancel') return withoutMessage(mission);
  if (!possiblyRunning(mission)) {
    return {
      mission: end(mission, 'cancelled', CANCELLED, nowMs),
      send: mission.status === 'scheduled' ? null : 'cancel',
    };
  }
  return request(mission, 'cancel', nowMs);
}

/** A start or a resume that could not be sent is not sent again; every other message is repeated by later ticks. */
function applyNotSent(mission: MissionState, send: MissionSend, nowMs: number): MissionState {
  if (send === 'resume' && mission.requested === 'resume') return { ...mission, requested: null };
  const isStarting = mission.status === 'dispatched' && mission.startSentAtMs !== null;
  return send === 'start' && isStarting ? end(mission, 'failed', NOT_SENT, nowMs) : mission;
}

function applyTick(before: MissionState, tick: MissionTick, nowMs: number): MissionTransition {
  if (isMissionFinished(before, nowMs)) return withoutMessage(before);
  if (isMissionOver(before)) return requestReport(before, tick, nowMs);
  if (before.status === 'scheduled') {
    return tick.isStopped ? halt(before, nowMs) : dispatch(before, tick, nowMs);
  }
  const mission = dropExpiredResume(recordSilence(before, tick, nowMs), nowMs);
  if (isLost(mission, nowMs)) return requestReport(end(mission, 'failed', LOST, nowMs), tick, nowMs);
  if (tick.isStopped && mission.requested !== 'cancel') return halt(mission, nowMs);
  if (mission.requested === 'pause' || mission.requested === 'cancel') {
    return resendRequest(mission, mission.requested, tick, nowMs);
  }
  return mission.status === 'dispatched'
    ? startWhenUploaded(mission, tick, nowMs)
    : requestReport(mission, tick, nowMs);
}

function dispatch(
  mission: MissionState,
  { isReachable, deviceFree }: MissionTick,
  nowMs: number,
): MissionTransition {
  const { startAtMs, expiresAtMs } = mission.plan;
  if (nowMs > expiresAtMs) return withoutMessage(end(mission, 'missed', NOT_STARTED, nowMs));
  if (nowMs < startAtMs - UPLOAD_LEAD_MS || !isReachable || !deviceFree) return withoutMessage(mission);
  return {
    mission: { ...mission, status: 'dispatched', dispatchedAtMs: nowMs, uploadSentAtMs: nowMs },
    send: 'upload',
  };
}

/** A resume that the device did not confirm before its expiry had no effect, and may be requested again. */
function dropExpiredResume(mission: MissionState, nowMs: number): MissionState {
  const isExpired = mission.requested === 'resume' && isDue(mission.requestSentAtMs, nowMs, MOTION_EXPIRY_MS);
  return isExpired ? { ...mission, requested: null } : mission;
}

/** Records since when the device has been silent, because it then follows the link loss action of its configuration. */
function recordSilence(mission: MissionState, { isReachable }: MissionTick, nowMs: number): MissionState {
  const isSilent = !isReachable || isDue(lastContactAtMs(mission), nowMs, FRESHNESS_MS);
  const isRecorded = mission.linkLostAtMs !== null;
  return isRecorded === isSilent ? mission : { ...mission, linkLostAtMs: isSilent ? nowMs : null };
}

const lastContactAtMs = ({ lastHeardAtMs, dispatchedAtMs }: MissionState): number | null =>
  lastHeardAtMs ?? dispatchedAtMs;

/** The silence must be observed for some time: if the service itself was down, the device could not report. */
function isLost(mission: MissionState, nowMs: number): boolean {
  const { linkLostAtMs, plan } = mission;
  if (!possiblyRunning(mission) || linkLostAtMs === null || nowMs - linkLostAtMs <= FRESHNESS_MS)
    return false;
  return nowMs - (lastContactAtMs(mission) ?? linkLostAtMs) > plan.busyMs + LOST_MARGIN_MS;
}

function resendRequest(
  mission: MissionState,
  kind: 'pause' | 'cancel',
  { isReachable }: MissionTick,
  nowMs: number,
): MissionTransition {
  const isStillWanted = isReachable && isDue(mission.requestSentAtMs, nowMs, STOP_RESEND_MS);
  return isStillWanted ? request(mission, kind, nowMs) : withoutMessage(mission);
}

/** Uploads and starts a dispatched mission; after the start was sent, the device is only asked for reports. */
function startWhenUploaded(mission: MissionState, tick: MissionTick, nowMs: number): MissionTransition {
  const { acceptedAtMs, uploadSentAtMs, startSentAtMs, plan } = mission;
  if (startSentAtMs !== null) return requestReport(mission, tick, nowMs);
  if (nowMs > plan.expiresAtMs) return endAsMissed(mission, NOT_STARTED, tick, nowMs);
  if (acceptedAtMs === null) {
    if (nowMs > uploadAnswerDueMs(mission)) return endAsMissed(mission, UNANSWERED, tick, nowMs);
    if (!tick.isReachable || !isDue(uploadSentAtMs, nowMs, UPLOAD_RESEND_MS)) return withoutMessage(mission);
    return { mission: { ...mission, uploadSentAtMs: nowMs }, send: 'upload' };
  }
  if (nowMs < plan.startAtMs || !tick.deviceFree) return requestReport(mission, tick, nowMs);
  if (!tick.isReachable) return withoutMessage(mission);
  // The device answers a start with a report, so none is requested now.
  return { mission: { ...mission, startSentAtMs: nowMs, reportAskedAtMs: nowMs }, send: 'start' };
}

const endAsMissed = (
  mission: MissionState,
  result: MissionEnd,
  { isReachable }: MissionTick,
  nowMs: number,
): MissionTransition => ({
  mission: end(mission, 'missed', result, nowMs),
  send: isReachable ? 'cancel' : null,
});

function requestReport(
  mission: MissionState,
  { isReachable }: MissionTick,
  nowMs: number,
): MissionTransition {
  if (!isReachable || !isReportDue(mission, nowMs)) return withoutMessage(mission);
  return { mission: { ...mission, reportAskedAtMs: nowMs }, send: 'report' };
}
