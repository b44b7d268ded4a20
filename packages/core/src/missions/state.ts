import type { Actor } from '@granary/contract/audit';
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
import { jobDocument } from '../documents.ts';
import type { DeclaredEnd, Ended } from '../jobs/declared-end.ts';
import { deviceTimeMs } from '../jobs/polling.ts';

/** How long the service asks a device for the outcome of a mission that ended as `lost`. */
const ASKED_AFTER_END_MS_MAX = DAY_MS;

/** The requested waypoints, and the estimate by the configuration at the time of acceptance. */
export interface MissionPlan {
  readonly waypoints: readonly Waypoint[];
  readonly startAtMs: number;
  /** A mission that has not begun at this time is missed. */
  readonly expiresAtMs: number;
  /** The estimated time from the start until the device is back. */
  readonly busyMs: number;
  readonly linkLossAction: FailsafeAction;
  readonly preflight: Preflight;
}

export interface WaypointState {
  readonly status: WaypointStatus;
  /** The time by the device's clock. */
  readonly reachedAtMs: number | null;
  readonly actionResult: ActionResult | null;
}

export type MissionEnd = Ended<MissionResult['reason']>;

/** The stored state of a mission; times come from the service's clock unless a comment says otherwise. */
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
  /** When the device first confirmed that it has the whole mission. */
  readonly acceptedAtMs: number | null;
  readonly startSentAtMs: number | null;
  readonly startedAtMs: number | null;
  readonly lastHeardAtMs: number | null;
  /** The latest timestamp of a progress report, by the device's clock. */
  readonly lastProgressTsMs: number | null;
  readonly reportAskedAtMs: number | null;
  readonly requested: MissionRequestKind | null;
  /** When the request was first sent; it is sent again until the device confirms it. */
  readonly requestedAtMs: number | null;
  readonly requestSentAtMs: number | null;
  /** An emergency stop requested the end of the mission. */
  readonly isHaltedByStop: boolean;
  readonly linkLostAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly result: MissionEnd | null;
  /** The last declaration; the mission ended with it if its result is `declared_ended`. */
  readonly declared: DeclaredEnd | null;
  /** The caller; set by the use case, because no decision depends on it. */
  readonly requestedBy: Actor | null;
  readonly cancelledBy: Actor | null;
}

export const isMissionOver = ({ endedAtMs }: MissionState): boolean => endedAtMs !== null;

/** The mission is, or may be, on the device, so no other mission may run there. */
export const missionHoldsDevice = ({ status }: MissionState): boolean =>
  status === 'dispatched' || status === 'in_progress' || status === 'paused';

/** The mission ended without a report of the device, so a late report still decides its outcome. */
export const isPresumed = ({ result }: MissionState): boolean =>
  result !== null && PRESUMED_REASONS.has(result.reason);

const PRESUMED_REASONS: ReadonlySet<MissionReason> = new Set([
  'lost',
  'forgotten',
  'not_started',
  'not_sent',
  'emergency_stop_active',
  'declared_ended',
]);

/** A finished mission needs no more ticks: nothing is left to send or to wait for. */
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

/** A new mission is `scheduled`; a tick uploads it when its start is near. */
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
  declared: null,
  requestedBy: null,
  cancelledBy: null,
});

/** The content of a device's report about a mission. */
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
 * Merges a report into the states of the waypoints. A state only advances, so repeated and reordered reports give the same
 * result.
 */
export function mergeWaypoints(
  before: readonly WaypointState[],
  { waypoints, tsMs }: MissionReportContent,
): readonly WaypointState[] {
  const merged = before.slice();
  for (const reported of waypoints) {
    const known = merged[reported.index];
    if (known !== undefined) merged[reported.index] = mergeWaypoint(known, reported, tsMs);
  }
  return merged.some((waypoint, index) => waypoint !== before[index]) ? merged : before;
}

function mergeWaypoint(known: WaypointState, reported: WaypointProgress, tsMs: number): WaypointState {
  const reportedAtMs = reported.reached_at === undefined ? tsMs : deviceTimeMs(reported.reached_at);
  const reachedAtMs = reported.state === 'reached' ? reportedAtMs : null;
  const merged: WaypointState = {
    status: greater(WAYPOINT_STATUSES, known.status, reported.state),
    reachedAtMs: earlier(known.reachedAtMs, reachedAtMs),
    actionResult: greaterOrNull(known.actionResult, reported.action_result ?? null),
  };
  const isSame =
    merged.status === known.status &&
    merged.reachedAtMs === known.reachedAtMs &&
    merged.actionResult === known.actionResult;
  return isSame ? known : merged;
}

const greater = <Value extends string>(order: readonly Value[], a: Value, b: Value): Value =>
  order.indexOf(a) >= order.indexOf(b) ? a : b;

const greaterOrNull = (a: ActionResult | null, b: ActionResult | null): ActionResult | null =>
  a === null || b === null ? (a ?? b) : greater(ACTION_RESULTS, a, b);

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** The stored form of a mission. */
export const MISSION_DOCUMENT = jobDocument<MissionState>(MISSION_STATUSES);
