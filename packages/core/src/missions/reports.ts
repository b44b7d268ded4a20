import type { MissionReason, MissionStatus } from '@granary/contract/missions';
import { MINUTE_MS } from '@granary/contract/time';
import { EXPIRY_SKEW_MS, isDue } from '../jobs/polling.ts';
import { deviceReason } from '../words.ts';
import {
  isMissionOver,
  isPresumed,
  type MissionEnd,
  type MissionReportContent,
  type MissionState,
  mergeWaypoints,
  missionHoldsDevice,
} from './state.ts';
import {
  CANCELLED,
  end,
  FORGOTTEN,
  type MissionTransition,
  NOT_STARTED,
  possiblyRunning,
  request,
  START_ANSWER_MS_MAX,
  START_IGNORED,
  STOPPED,
  withoutMessage,
} from './steps.ts';

/** Reports that arrive out of order differ by at most this; an older timestamp means that the device clock was set back. */
export const REORDER_MS_MAX = 10 * MINUTE_MS;

/** Only the first answer to an upload counts; if the mission has ended meanwhile, the device is sent a cancel. */
export function applyAcknowledgement(
  before: MissionState,
  accepted: boolean,
  reason: string | null,
  nowMs: number,
): MissionTransition {
  if (isMissionOver(before)) return { mission: before, send: accepted ? 'cancel' : null };
  if (before.status !== 'dispatched' || before.acceptedAtMs !== null) return withoutMessage(before);
  const mission = { ...before, lastHeardAtMs: nowMs };
  if (accepted) return withoutMessage({ ...mission, acceptedAtMs: nowMs });
  const refused = { reason: 'refused', message: deviceReason(reason) } as const;
  return withoutMessage(end(mission, 'failed', refused, nowMs));
}

export function applyReport(
  before: MissionState,
  report: MissionReportContent,
  nowMs: number,
): MissionTransition {
  if (before.status === 'scheduled' && hasNotBegun(report)) return withoutMessage(before);
  const waypoints = mergeWaypoints(before.waypoints, report);
  const known = waypoints === before.waypoints ? before : { ...before, waypoints };
  if (isOutOfOrder(before, report)) return withoutMessage(known);
  const mission = { ...known, lastHeardAtMs: nowMs, lastProgressTsMs: report.tsMs };
  switch (report.state) {
    case 'uploaded':
      return applyUploaded(mission, nowMs);
    case 'running':
      return markRunning(mission, 'in_progress', nowMs);
    case 'paused':
      return markRunning(mission, 'paused', nowMs);
    case 'completed':
      return endByReport(mission, 'completed', null, nowMs);
    case 'aborted': {
      if (isUnbegun(mission)) return withoutMessage(mission);
      if (mission.requested === 'cancel') {
        return mission.isHaltedByStop
          ? endByReport(mission, 'aborted', STOPPED, nowMs)
          : endByReport(mission, 'cancelled', CANCELLED, nowMs);
      }
      const message = deviceReason(report.reason, 'ended_early');
      return endByReport(mission, 'aborted', { reason: 'ended_by_device', message }, nowMs);
    }
    case 'failed': {
      const fault = { reason: 'device_fault', message: deviceReason(report.reason) } as const;
      return endByReport(mission, 'failed', fault, nowMs);
    }
    case 'unknown':
      return applyUnknown(mission, nowMs);
  }
}

const hasNotBegun = ({ state }: MissionReportContent): boolean => state === 'uploaded' || state === 'unknown';

/** Among reports with the same time, `uploaded` and `unknown` come first and an end comes last. */
function isOutOfOrder(mission: MissionState, report: MissionReportContent): boolean {
  if (mission.lastProgressTsMs === null) return false;
  const agoMs = mission.lastProgressTsMs - report.tsMs;
  if (agoMs === 0) return isMissionOver(mission) || hasNotBegun(report);
  return agoMs > 0 && agoMs <= REORDER_MS_MAX;
}

/** The mission ended before its start, so the device was told to cancel it, and `aborted` only confirms that. */
const isUnbegun = ({ startedAtMs, result, waypoints }: MissionState): boolean =>
  result !== null &&
  UNBEGUN_REASONS.has(result.reason) &&
  startedAtMs === null &&
  waypoints.every(({ status }) => status === 'pending');

const UNBEGUN_REASONS: ReadonlySet<MissionReason> = new Set([
  'not_started',
  'not_sent',
  'emergency_stop_active',
]);

/** Only a report ends a mission that may be running on the device, and the first such report is final. */
function endByReport(
  mission: MissionState,
  status: MissionStatus,
  result: MissionEnd | null,
  nowMs: number,
): MissionTransition {
  const isDecided = isMissionOver(mission) && !isPresumed(mission);
  return withoutMessage(isDecided ? mission : end(mission, status, result, nowMs));
}

/** A mission that the device runs although it has ended is recorded as running, and cancelled unless it had ended as `lost`. */
function markRunning(
  before: MissionState,
  status: 'in_progress' | 'paused',
  nowMs: number,
): MissionTransition {
  const isRequestFulfilled = before.requested === (status === 'paused' ? 'pause' : 'resume');
  const mission: MissionState = {
    ...before,
    status,
    acceptedAtMs: before.acceptedAtMs ?? nowMs,
    startedAtMs: before.startedAtMs ?? nowMs,
    requested: isRequestFulfilled ? null : before.requested,
    endedAtMs: null,
    result: null,
  };
  const isStillWanted = !isMissionOver(before) || before.result?.reason === 'lost';
  return isStillWanted ? withoutMessage(mission) : request(mission, 'cancel', nowMs);
}

/** The device has the mission and has not begun it; if it was reported running before, the device has lost its progress. */
function applyUploaded(mission: MissionState, nowMs: number): MissionTransition {
  const { status, acceptedAtMs, startSentAtMs, plan } = mission;
  if (isMissionOver(mission)) return { mission, send: 'cancel' };
  if (status === 'in_progress' || status === 'paused') {
    return { mission: end(mission, 'failed', FORGOTTEN, nowMs), send: 'cancel' };
  }
  if (startSentAtMs !== null && isDue(startSentAtMs, nowMs, START_ANSWER_MS_MAX)) {
    return { mission: end(mission, 'missed', START_IGNORED, nowMs), send: 'cancel' };
  }
  if (nowMs > plan.expiresAtMs + EXPIRY_SKEW_MS) {
    return { mission: end(mission, 'missed', NOT_STARTED, nowMs), send: 'cancel' };
  }
  return withoutMessage(acceptedAtMs === null ? { ...mission, acceptedAtMs: nowMs } : mission);
}

/** The device does not know the mission; it is uploaded again only if it cannot have begun. */
function applyUnknown(mission: MissionState, nowMs: number): MissionTransition {
  if (!missionHoldsDevice(mission)) return withoutMessage(mission);
  if (mission.requested === 'cancel' && !mission.isHaltedByStop) {
    return withoutMessage(end(mission, 'cancelled', CANCELLED, nowMs));
  }
  if (possiblyRunning(mission)) return withoutMessage(end(mission, 'failed', FORGOTTEN, nowMs));
  return withoutMessage(mission.acceptedAtMs === null ? mission : { ...mission, acceptedAtMs: null });
}
