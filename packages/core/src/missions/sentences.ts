import type { MissionStatus } from '@granary/contract/missions';
import { toIso } from '@granary/contract/time';
import { MOTION_EXPIRY_MS } from '../jobs/polling.ts';
import { capitalized, withReason } from '../words.ts';
import type { MissionPlan, MissionState } from './state.ts';
import { LOST_MARGIN_MS, uploadAnswerDueMs } from './steps.ts';

/** What a device is to do by itself, as the end of a sentence. */
export const FAILSAFE_WORDS: Readonly<Record<MissionPlan['linkLossAction'], string>> = {
  continue: 'go on',
  hold: 'hold',
  return_to_base: 'return to its base',
};

/** What a mission is called, such as `Mission Field survey`. */
export const missionName = ({ name }: Pick<MissionState, 'name'>): string =>
  /^mission\b/i.test(name) ? capitalized(name) : `Mission ${name}`;

const STATUS_WORDS: Readonly<Record<MissionStatus, string>> = {
  scheduled: 'planned for later',
  dispatched: 'sent to the device, but not begun',
  in_progress: 'under way',
  paused: 'paused',
  completed: 'complete',
  aborted: 'aborted',
  failed: 'failed',
  missed: 'missed',
  cancelled: 'cancelled',
};

export const missionStatusWords = ({ status }: Pick<MissionState, 'status'>): string => STATUS_WORDS[status];

/** The text of the alert about a mission that ended badly. */
export const endedBadlyText = ({ name, status, result }: MissionState): string =>
  withReason(`${missionName({ name })} ${STATUS_WORDS[status]}`, result?.message);

export const unansweredStartText = (mission: MissionState): string =>
  `${missionName(mission)} was told to start, and the device does not say whether it began`;

/** The text of the alert about a pause or a cancel that the device has not confirmed. */
export const unconfirmedHaltText = (mission: MissionState): string =>
  `${missionName(mission)}: the device has not confirmed ${mission.requested === 'pause' ? 'the pause' : 'that it has ended'}, so it may still be moving; it is told again until it does`;

const REFUSED_REQUESTS = { pause: 'paused', resume: 'resumed' } as const;

/** Why a mission cannot be paused or resumed. */
export const notRunningText = (
  { status, requested }: MissionState,
  kind: keyof typeof REFUSED_REQUESTS,
): string =>
  requested === 'cancel'
    ? `the mission is being cancelled, so it cannot be ${REFUSED_REQUESTS[kind]}`
    : `the mission is ${STATUS_WORDS[status]}, so it cannot be ${REFUSED_REQUESTS[kind]}`;

const OUTCOMES = {
  aborted: 'was aborted',
  failed: 'failed',
  missed: 'was missed',
  cancelled: 'was cancelled',
} as const;

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
      return result === null || result.reason === 'cancelled'
        ? `It ${OUTCOMES[status]}.`
        : `It ${OUTCOMES[status]}: ${result.message}.`;
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
    return `${state} when the device was last heard of; nothing was heard since ${toIso(linkLostAtMs)}, and then it is to ${FAILSAFE_WORDS[plan.linkLossAction]}${lostAt(mission)}`;
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
