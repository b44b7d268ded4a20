import type { FailsafeAction } from '@granary/contract/configuration/field-configuration';
import type {
  MissionProgress,
  MissionState as ReportedState,
  WaypointProgress,
} from '@granary/contract/link/field-messages';
import {
  ACTION_RESULTS,
  type ActionResult,
  MISSION_STATUSES,
  type MissionReason,
  type MissionRequestKind,
  type MissionResult,
  type MissionStatus,
  type Preflight,
  WAYPOINT_STATUSES,
  type Waypoint,
  type WaypointStatus,
} from '@granary/contract/missions';
import { DAY_MS } from '@granary/contract/time';
import { deviceTimeMs } from '../devices/polling.ts';
import { storedJob } from '../devices/stored-job.ts';

/** How long a device that was given up is asked what became of its mission. */
const ASKED_AFTER_END_MS_MAX = DAY_MS;

/** What was asked for, and what it takes by the configuration that held when it was accepted. */
export interface MissionPlan {
  readonly waypoints: readonly Waypoint[];
  readonly startAtMs: number;
  /** A mission that has not begun by then is missed. */
  readonly expiresAtMs: number;
  /** From its start until the device is back. */
  readonly busyMs: number;
  readonly linkLossAction: FailsafeAction;
  readonly preflight: Preflight;
}

export interface WaypointState {
  readonly status: WaypointStatus;
  /** By the device's clock. */
  readonly reachedAtMs: number | null;
  readonly actionResult: ActionResult | null;
}

/** Everything known of a mission. Times are the service's own clock unless they say otherwise. */
export interface MissionState {
  readonly missionId: string;
  readonly deviceNo: number;
  readonly name: string;
  readonly plan: MissionPlan;
  readonly status: MissionStatus;
  readonly waypoints: readonly WaypointState[];
  readonly createdAtMs: number;
  readonly dispatchedAtMs: number | null;
  readonly uploadSentAtMs: number | null;
  /** When the device first showed that it has the whole mission. */
  readonly acceptedAtMs: number | null;
  readonly startSentAtMs: number | null;
  readonly startedAtMs: number | null;
  readonly lastHeardAtMs: number | null;
  /** The newest time, by the device's clock, that it reported progress for. */
  readonly lastProgressTsMs: number | null;
  readonly reportAskedAtMs: number | null;
  readonly requested: MissionRequestKind | null;
  /** When that was first sent; it is repeated until the device confirms it. */
  readonly requestedAtMs: number | null;
  readonly requestSentAtMs: number | null;
  /** Its end was requested by an emergency stop. */
  readonly isHaltedByStop: boolean;
  readonly linkLostAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly result: MissionResult | null;
}

/** A mission as it was stored, also by a version that did not know who had requested its end, or when. */
export function restoreMission(stored: unknown): MissionState {
  const mission = storedJob<MissionState>(stored, MISSION_STATUSES);
  const { isHaltedByStop = false, requestedAtMs = mission.requestSentAtMs } = mission;
  const isComplete = mission.isHaltedByStop !== undefined && mission.requestedAtMs !== undefined;
  return isComplete ? mission : { ...mission, isHaltedByStop, requestedAtMs };
}

export const isMissionOver = ({ endedAtMs }: MissionState): boolean => endedAtMs !== null;

/** It is on the device, or may be: nothing else may run there. */
export const missionHoldsDevice = ({ status }: MissionState): boolean =>
  status === 'dispatched' || status === 'in_progress' || status === 'paused';

/** Ended without a report of the device: a late report still decides. */
export const isPresumed = ({ result }: MissionState): boolean =>
  result !== null && PRESUMED_REASONS.has(result.reason);

const PRESUMED_REASONS: ReadonlySet<MissionReason> = new Set([
  'lost',
  'forgotten',
  'not_started',
  'not_sent',
  'emergency_stop_active',
]);

/** Nothing more is to be done or learnt: it needs no further ticks. */
export function isMissionFinished({ endedAtMs, result }: MissionState, nowMs: number): boolean {
  if (endedAtMs === null) return false;
  return result?.reason !== 'lost' || nowMs - endedAtMs > ASKED_AFTER_END_MS_MAX;
}

export interface NewMission {
  readonly missionId: string;
  readonly deviceNo: number;
  readonly name: string;
  readonly plan: MissionPlan;
}

/** Waits for its time; a tick sends it. */
export const beginMission = (asked: NewMission, nowMs: number): MissionState => ({
  ...asked,
  status: 'scheduled',
  waypoints: asked.plan.waypoints.map(() => ({ status: 'pending', reachedAtMs: null, actionResult: null })),
  createdAtMs: nowMs,
  dispatchedAtMs: null,
  uploadSentAtMs: null,
  acceptedAtMs: null,
  startSentAtMs: null,
  startedAtMs: null,
  lastHeardAtMs: null,
  lastProgressTsMs: null,
  reportAskedAtMs: null,
  requested: null,
  requestedAtMs: null,
  requestSentAtMs: null,
  isHaltedByStop: false,
  linkLostAtMs: null,
  endedAtMs: null,
  result: null,
});

/** How a mission stands, in the device's words. */
export interface MissionReportContent {
  readonly state: ReportedState;
  readonly waypoints: readonly WaypointProgress[];
  readonly reason: string | null;
  readonly tsMs: number;
}

export const missionReportContent = ({
  state,
  waypoints,
  reason,
  ts,
}: MissionProgress): MissionReportContent => ({
  state,
  waypoints: waypoints ?? [],
  reason: reason ?? null,
  tsMs: deviceTimeMs(ts),
});

/**
 * What is known of the waypoints with a device's word added. Knowledge only grows, so it makes no difference in which order
 * words arrive, or how often.
 */
export function learnWaypoints(
  before: readonly WaypointState[],
  { waypoints, tsMs }: MissionReportContent,
): readonly WaypointState[] {
  const learnt = before.slice();
  for (const told of waypoints) {
    const known = learnt[told.index];
    if (known !== undefined) learnt[told.index] = learn(known, told, tsMs);
  }
  return learnt.some((waypoint, index) => waypoint !== before[index]) ? learnt : before;
}

function learn(known: WaypointState, told: WaypointProgress, tsMs: number): WaypointState {
  const toldAtMs = told.reached_at === undefined ? tsMs : deviceTimeMs(told.reached_at);
  const reachedAtMs = told.state === 'reached' ? toldAtMs : null;
  const learnt: WaypointState = {
    status: greater(WAYPOINT_STATUSES, known.status, told.state),
    reachedAtMs: earlier(known.reachedAtMs, reachedAtMs),
    actionResult: greaterOrNull(known.actionResult, told.action_result ?? null),
  };
  const isSame =
    learnt.status === known.status &&
    learnt.reachedAtMs === known.reachedAtMs &&
    learnt.actionResult === known.actionResult;
  return isSame ? known : learnt;
}

const greater = <Value extends string>(order: readonly Value[], a: Value, b: Value): Value =>
  order.indexOf(a) >= order.indexOf(b) ? a : b;

const greaterOrNull = (a: ActionResult | null, b: ActionResult | null): ActionResult | null =>
  a === null || b === null ? (a ?? b) : greater(ACTION_RESULTS, a, b);

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
