import type { MissionResult, MissionStatus } from '@granary/contract/missions';
import { MINUTE_MS } from '@granary/contract/time';
import { EXPIRY_SKEW_MS, isDue } from '../devices/polling.ts';
import {
  isMissionOver,
  isPresumed,
  learnWaypoints,
  type MissionReportContent,
  type MissionState,
  missionHoldsDevice,
} from './state.ts';
import {
  CANCELLED,
  end,
  FORGOTTEN,
  type MissionTransition,
  NOT_STARTED,
  possiblyRunning,
  quiet,
  request,
  START_ANSWER_MS_MAX,
  START_IGNORED,
  STOPPED,
} from './steps.ts';

/** Words that arrive in the wrong order are no further apart. One that is older tells of a clock that was set back. */
export const REORDER_MS_MAX = 10 * MINUTE_MS;

/** An upload is answered once. What was not wanted any more when it arrived is taken back. */
export function answered(
  before: MissionState,
  accepted: boolean,
  reason: string | null,
  nowMs: number,
): MissionTransition {
  if (isMissionOver(before)) return { mission: before, send: accepted ? 'cancel' : null };
  if (before.status !== 'dispatched' || before.acceptedAtMs !== null) return quiet(before);
  const mission = { ...before, lastHeardAtMs: nowMs };
  if (accepted) return quiet({ ...mission, acceptedAtMs: nowMs });
  const message = reason ?? 'the device refused it';
  return quiet(end(mission, 'failed', { reason: 'refused', message }, nowMs));
}

export function reported(before: MissionState, word: MissionReportContent, nowMs: number): MissionTransition {
  if (before.status === 'scheduled' && isWithoutNews(word)) return quiet(before);
  const waypoints = learnWaypoints(before.waypoints, word);
  const known = waypoints === before.waypoints ? before : { ...before, waypoints };
  if (isOutOfOrder(before, word)) return quiet(known);
  const mission = { ...known, lastHeardAtMs: nowMs, lastProgressTsMs: word.tsMs };
  switch (word.state) {
    case 'uploaded':
      return uploaded(mission, nowMs);
    case 'running':
      return goesOn(mission, 'in_progress', nowMs);
    case 'paused':
      return goesOn(mission, 'paused', nowMs);
    case 'completed':
      return ended(mission, 'completed', null, nowMs);
    case 'aborted': {
      if (mission.requested === 'cancel') {
        return mission.isHaltedByStop
          ? ended(mission, 'aborted', STOPPED, nowMs)
          : ended(mission, 'cancelled', CANCELLED, nowMs);
      }
      const message = word.reason ?? 'the device ended it early';
      return ended(mission, 'aborted', { reason: 'ended_by_device', message }, nowMs);
    }
    case 'failed': {
      const message = word.reason ?? 'the device reported a fault';
      return ended(mission, 'failed', { reason: 'device_fault', message }, nowMs);
    }
    case 'unknown':
      return unknown(mission, nowMs);
  }
}

/** It has not begun. */
const isWithoutNews = ({ state }: MissionReportContent): boolean =>
  state === 'uploaded' || state === 'unknown';

/** Of the words of one moment, those without news came first, and an end came last. */
function isOutOfOrder(mission: MissionState, word: MissionReportContent): boolean {
  if (mission.lastProgressTsMs === null) return false;
  const agoMs = mission.lastProgressTsMs - word.tsMs;
  if (agoMs === 0) return isMissionOver(mission) || isWithoutNews(word);
  return agoMs > 0 && agoMs <= REORDER_MS_MAX;
}

/** Only the device's word ends what it may be running; the first such word stands. */
function ended(
  mission: MissionState,
  status: MissionStatus,
  result: MissionResult | null,
  nowMs: number,
): MissionTransition {
  const isDecided = isMissionOver(mission) && !isPresumed(mission);
  return quiet(isDecided ? mission : end(mission, status, result, nowMs));
}

/** What runs although it is over is on record as what it is. It was wanted no longer, unless it was only given up. */
function goesOn(before: MissionState, status: 'in_progress' | 'paused', nowMs: number): MissionTransition {
  const isDone = before.requested === (status === 'paused' ? 'pause' : 'resume');
  const mission: MissionState = {
    ...before,
    status,
    acceptedAtMs: before.acceptedAtMs ?? nowMs,
    startedAtMs: before.startedAtMs ?? nowMs,
    requested: isDone ? null : before.requested,
    endedAtMs: null,
    result: null,
  };
  const isWanted = !isMissionOver(before) || before.result?.reason === 'lost';
  return isWanted ? quiet(mission) : request(mission, 'cancel', nowMs);
}

/** It is there and has not begun. If it was seen running before, the device has lost its progress. */
function uploaded(mission: MissionState, nowMs: number): MissionTransition {
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
  return quiet(acceptedAtMs === null ? { ...mission, acceptedAtMs: nowMs } : mission);
}

/** The device knows no such mission. It is sent anew only as long as it cannot have begun. */
function unknown(mission: MissionState, nowMs: number): MissionTransition {
  if (!missionHoldsDevice(mission)) return quiet(mission);
  if (mission.requested === 'cancel' && !mission.isHaltedByStop) {
    return quiet(end(mission, 'cancelled', CANCELLED, nowMs));
  }
  if (possiblyRunning(mission)) return quiet(end(mission, 'failed', FORGOTTEN, nowMs));
  return quiet(mission.acceptedAtMs === null ? mission : { ...mission, acceptedAtMs: null });
}
