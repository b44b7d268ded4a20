import { toIso } from '@granary/contract/time';
import { MOTION_EXPIRY_MS } from '../devices/polling.ts';
import type { MissionState } from './state.ts';
import { LOST_MARGIN_MS, uploadAnswerDueMs } from './transitions.ts';

/** One sentence for a person: what is known, what the service waits for, and until when. */
export function missionStatusDetail(mission: MissionState): string {
  const { status, plan, result } = mission;
  switch (status) {
    case 'scheduled':
      return `It begins at ${toIso(plan.startAtMs)} if the device is connected and free; it is missed if it has not begun by ${toIso(plan.expiresAtMs)}.`;
    case 'dispatched':
      return `${dispatchedDetail(mission)}.`;
    case 'in_progress':
    case 'paused':
      return `${runningDetail(mission)}.`;
    case 'completed':
      return 'The device reported that it is complete.';
    default:
      return result === null ? `It ended as ${status}.` : `It ended as ${status}: ${result.message}.`;
  }
}

function dispatchedDetail(mission: MissionState): string {
  const { plan, acceptedAtMs, startSentAtMs, requested } = mission;
  if (requested !== null) return `The device may have begun it and has yet to confirm ${REQUESTS[requested]}`;
  if (startSentAtMs !== null) {
    return `The device was told to start at ${toIso(startSentAtMs)} and has not reported that it began; it is asked every few seconds${lostAt(mission)}`;
  }
  if (acceptedAtMs === null) {
    return `It was sent to the device, whose answer is awaited until ${toIso(Math.min(uploadAnswerDueMs(mission), plan.expiresAtMs))}`;
  }
  return `The device has it; it is told to start at ${toIso(plan.startAtMs)} or as soon as it is connected and free, until ${toIso(plan.expiresAtMs)}`;
}

function runningDetail(mission: MissionState): string {
  const { status, waypoints, requested, requestSentAtMs, linkLostAtMs, plan } = mission;
  const reached = waypoints.filter((waypoint) => waypoint.status === 'reached').length;
  const state = `It ${status === 'paused' ? 'is paused' : 'is under way'}, ${reached} of ${waypoints.length} waypoints reached`;
  if (linkLostAtMs !== null) {
    return `${state} when the device was last heard of; nothing was heard since ${toIso(linkLostAtMs)}, its declared action is ${plan.linkLossAction}${lostAt(mission)}`;
  }
  if (requested === null) return state;
  const until = requested === 'resume' ? `, until ${toIso((requestSentAtMs ?? 0) + MOTION_EXPIRY_MS)}` : '';
  return `${state}; the device has yet to confirm ${REQUESTS[requested]}${until}`;
}

const REQUESTS = { pause: 'the pause', resume: 'that it goes on', cancel: 'that it has ended' } as const;

/** When a mission without reports ends as `lost`. */
function lostAt({ lastHeardAtMs, dispatchedAtMs, plan }: MissionState): string {
  const heardAtMs = lastHeardAtMs ?? dispatchedAtMs;
  return heardAtMs === null
    ? ''
    : `; without a report it fails as lost at ${toIso(heardAtMs + plan.busyMs + LOST_MARGIN_MS)}`;
}
