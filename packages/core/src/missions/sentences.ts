import type { AlertMessage } from '@granary/contract/sentences/alerts';
import { sentence } from '@granary/contract/sentences/codes';
import type { MISSION_DETAILS } from '@granary/contract/sentences/jobs';
import type { RefusalMessage } from '@granary/contract/sentences/refusals';
import type { Sentence } from '@granary/contract/sentences/sentence';
import { toIso } from '@granary/contract/time';
import { MOTION_EXPIRY_MS } from '../jobs/polling.ts';
import type { MissionState } from './state.ts';
import { LOST_MARGIN_MS, uploadAnswerDueMs } from './steps.ts';

type Detail = Sentence<keyof typeof MISSION_DETAILS>;

/** The alert about a mission that ended badly. */
export const endedBadly = ({ name, status, result }: MissionState): AlertMessage =>
  sentence('mission_ended_badly', { mission: name, status, why: result?.message ?? null });

/** The alert about a pause or a cancel that the device has not confirmed. */
export const unconfirmedHalt = ({ name, requested }: MissionState): AlertMessage =>
  sentence(requested === 'pause' ? 'mission_pause_unconfirmed' : 'mission_end_unconfirmed', {
    mission: name,
  });

/** Why a mission cannot be paused or resumed. */
export const notRunning = (
  { status, requested }: MissionState,
  change: 'pause' | 'resume',
): RefusalMessage =>
  requested === 'cancel'
    ? sentence('mission_being_cancelled', { change })
    : sentence('mission_not_in_state', { status, change });

/** The sentence says what is known, what the service waits for, and until when. */
export function missionStatusDetail(mission: MissionState): Detail {
  const { status, plan, result } = mission;
  switch (status) {
    case 'scheduled':
      return sentence('mission_scheduled', { start: toIso(plan.startAtMs), until: toIso(plan.expiresAtMs) });
    case 'dispatched':
      return dispatchedDetail(mission);
    case 'in_progress':
      return runningDetail(mission, 'mission_under_way');
    case 'paused':
      return runningDetail(mission, 'mission_paused');
    case 'completed':
      return sentence('mission_completed');
    default:
      return sentence(`mission_${status}`, {
        why: result === null || result.reason === 'cancelled' ? null : result.message,
      });
  }
}

function dispatchedDetail(mission: MissionState): Detail {
  const { plan, acceptedAtMs, startSentAtMs, requested } = mission;
  if (requested !== null) return sentence('mission_may_have_begun', { request: requested });
  if (startSentAtMs !== null) {
    return sentence('mission_told_to_start', { told: toIso(startSentAtMs), lost: lostAt(mission) });
  }
  if (acceptedAtMs === null) {
    return sentence('mission_sent', {
      until: toIso(Math.min(uploadAnswerDueMs(mission), plan.expiresAtMs)),
    });
  }
  return sentence('mission_accepted', { start: toIso(plan.startAtMs), until: toIso(plan.expiresAtMs) });
}

function runningDetail(mission: MissionState, code: 'mission_under_way' | 'mission_paused'): Detail {
  const { requested: request, requestSentAtMs, linkLostAtMs, plan } = mission;
  const reached = mission.waypoints.filter((waypoint) => waypoint.status === 'reached').length;
  const way = { reached, waypoints: mission.waypoints.length };
  if (linkLostAtMs !== null) {
    return sentence(`${code}_silent`, {
      ...way,
      since: toIso(linkLostAtMs),
      action: plan.linkLossAction,
      lost: lostAt(mission),
    });
  }
  const until = request === 'resume' ? toIso((requestSentAtMs ?? 0) + MOTION_EXPIRY_MS) : null;
  return sentence(code, { ...way, request, until });
}

/** When a mission without reports ends as `lost`. */
function lostAt({ lastHeardAtMs, dispatchedAtMs, plan }: MissionState): string | null {
  const heardAtMs = lastHeardAtMs ?? dispatchedAtMs;
  return heardAtMs === null ? null : toIso(heardAtMs + plan.busyMs + LOST_MARGIN_MS);
}
