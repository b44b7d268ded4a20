import type { MissionRequestKind, MissionStatus } from '@granary/contract/missions';
import { sentence } from '@granary/contract/sentences/codes';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { MOTION_EXPIRY_MS, REPORT_SPACING_MS } from '../jobs/polling.ts';
import { isMissionOver, type MissionEnd, type MissionState } from './state.ts';

/**
 * After a start has expired, the device is asked for one more report. If it still has not begun, the mission is missed and,
 * should the device begin it later, cancelled. If the device reports nothing, an alert is raised.
 */
export const START_ANSWER_MS_MAX = MOTION_EXPIRY_MS + REPORT_SPACING_MS;

/** A mission whose upload the device has not answered this long after the start is missed. */
export const UPLOAD_ANSWER_MS_MAX = 30 * SECOND_MS;
/** A mission ends as `lost` when the device has been silent for its whole duration plus this margin. */
export const LOST_MARGIN_MS = 10 * MINUTE_MS;

/** Long enough for a reachable device to confirm a pause or a cancel; after this time an alert is raised. */
export const HALT_CONFIRMATION_MS_MAX = 15 * SECOND_MS;

export type MissionSend = 'upload' | 'start' | MissionRequestKind | 'report';

/** The new state of a mission, and the message to send to its device. */
export interface MissionTransition {
  readonly mission: MissionState;
  readonly send: MissionSend | null;
}

export const withoutMessage = (mission: MissionState): MissionTransition => ({ mission, send: null });

export function request(mission: MissionState, kind: MissionRequestKind, nowMs: number): MissionTransition {
  const requestedAtMs = mission.requested === kind ? (mission.requestedAtMs ?? nowMs) : nowMs;
  return { mission: { ...mission, requested: kind, requestedAtMs, requestSentAtMs: nowMs }, send: kind };
}

/**
 * Applies an emergency stop: a mission that was never started ends at once; one that may be running is cancelled at the
 * device. A mission scheduled for later is missed only if the stop is still in force at its start.
 */
export function halt(mission: MissionState, nowMs: number): MissionTransition {
  if (isMissionOver(mission) || mission.requested === 'cancel') return withoutMessage(mission);
  if (mission.status === 'scheduled') {
    const isDue = nowMs >= mission.plan.startAtMs;
    return withoutMessage(isDue ? end(mission, 'missed', STOP_ACTIVE, nowMs) : mission);
  }
  if (!possiblyRunning(mission))
    return { mission: end(mission, 'missed', STOP_ACTIVE, nowMs), send: 'cancel' };
  return request({ ...mission, isHaltedByStop: true }, 'cancel', nowMs);
}

export function end(
  mission: MissionState,
  status: MissionStatus,
  result: MissionEnd | null,
  nowMs: number,
): MissionState {
  return { ...mission, status, requested: null, linkLostAtMs: null, endedAtMs: nowMs, result };
}

export const CANCELLED: MissionEnd = { reason: 'cancelled', message: sentence('was_cancelled') };
export const NOT_STARTED: MissionEnd = { reason: 'not_started', message: sentence('could_not_begin') };
export const UNANSWERED: MissionEnd = {
  reason: 'not_started',
  message: sentence('upload_unanswered'),
};
export const START_IGNORED: MissionEnd = {
  reason: 'not_started',
  message: sentence('start_ignored'),
};
export const NOT_SENT: MissionEnd = {
  reason: 'not_sent',
  message: sentence('mission_not_sent'),
};
export const STOPPED: MissionEnd = { reason: 'emergency_stop', message: sentence('stop_ended_it') };
const STOP_ACTIVE: MissionEnd = {
  reason: 'emergency_stop_active',
  message: sentence('stop_was_in_force'),
};
export const FORGOTTEN: MissionEnd = {
  reason: 'forgotten',
  message: sentence('mission_forgotten'),
};
export const LOST: MissionEnd = {
  reason: 'lost',
  message: sentence('not_heard_again'),
};

export const uploadAnswerDueMs = ({ plan, dispatchedAtMs }: MissionState): number =>
  Math.max(plan.startAtMs, dispatchedAtMs ?? plan.startAtMs) + UPLOAD_ANSWER_MS_MAX;

/** The deadline for the device to report whether it began after a start was sent; `null` when no such report is expected. */
export const startAnswerDueMs = ({ status, startSentAtMs }: MissionState): number | null =>
  status === 'dispatched' && startSentAtMs !== null ? startSentAtMs + START_ANSWER_MS_MAX : null;

/** When an unconfirmed pause or cancel raises an alert; `null` when none is requested. */
export function haltOverdueAtMs(mission: MissionState, observedSinceMs: number): number | null {
  const { requested, requestedAtMs } = mission;
  if (requestedAtMs === null || (requested !== 'pause' && requested !== 'cancel')) return null;
  return Math.max(requestedAtMs, observedSinceMs) + HALT_CONFIRMATION_MS_MAX;
}

/** True unless it is certain that the mission does not run. */
export const possiblyRunning = ({ status, startSentAtMs }: MissionState): boolean =>
  status === 'in_progress' || status === 'paused' || startSentAtMs !== null;
