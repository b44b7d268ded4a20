import type { MissionProgress, MissionUpload, WaypointProgress } from '@granary/contract/link/field-messages';
import type { Waypoint, WaypointAction } from '@granary/contract/missions';
import { SECOND_MS } from '@granary/contract/time';

/** A mission on the device that has not ended. */
export interface MissionRun {
  readonly upload: MissionUpload;
  readonly state: 'uploaded' | 'running' | 'paused';
  /** The reason of the state, if it was not requested. */
  readonly reason: string | null;
  /** One entry for each waypoint of the upload. */
  readonly waypoints: readonly WaypointProgress[];
  /** The index of the waypoint that the device approaches or is at. */
  readonly index: number;
  /** The time for which the device has been at the waypoint; `null` on the way. */
  readonly stayMs: number | null;
}

/** The duration of an action at a waypoint, or of a command. */
export const WORK_MS: Record<WaypointAction, number> = {
  scan: 2 * SECOND_MS,
  collect_sample: 3 * SECOND_MS,
  photograph: SECOND_MS,
  wait: 0,
  none: 0,
};
const WAIT_MS_DEFAULT = 30 * SECOND_MS;

export const uploadedRun = (upload: MissionUpload): MissionRun => ({
  upload,
  state: 'uploaded',
  reason: null,
  waypoints: upload.waypoints.map((_, index) => ({ index, state: 'pending' })),
  index: 0,
  stayMs: null,
});

export const setOut = (run: MissionRun): MissionRun =>
  withWaypoint({ ...run, state: 'running' }, { index: 0, state: 'active' });

export const pauseRun = (run: MissionRun, reason: string | null): MissionRun =>
  run.state === 'running' ? { ...run, state: 'paused', reason } : run;

export const resumeRun = (run: MissionRun): MissionRun =>
  run.state === 'paused' ? { ...run, state: 'running', reason: null } : run;

/** The next target; `undefined` while the device performs an action. */
export const nextStop = ({ upload, state, index, stayMs }: MissionRun): Waypoint | undefined =>
  state === 'running' && stayMs === null ? upload.waypoints[index] : undefined;

export interface MissionStep {
  /** The device is at its target waypoint. */
  readonly isThere: boolean;
  readonly elapsedMs: number;
  readonly nowMs: number;
  readonly skipsWaypoints: boolean;
}

/** Advances a running mission in time; it is complete when every waypoint was reached or skipped. */
export function proceedRun(run: MissionRun, step: MissionStep): MissionRun {
  const { index, stayMs } = run;
  const waypoint = run.upload.waypoints[index];
  if (run.state !== 'running' || waypoint === undefined) return run;
  if (stayMs === null) {
    if (!step.isThere) return run;
    return withWaypoint({ ...run, stayMs: 0 }, { index, state: 'reached', reached_at: step.nowMs });
  }
  const stayedMs = stayMs + step.elapsedMs;
  if (stayedMs < workMs(waypoint)) return { ...run, stayMs: stayedMs };
  return goOn(withResult(run, waypoint), step.skipsWaypoints);
}

export const isDone = ({ upload, index }: MissionRun): boolean => index >= upload.waypoints.length;

export const isHalfDone = ({ upload, state, index }: MissionRun): boolean =>
  state === 'running' && index * 2 >= upload.waypoints.length;

const workMs = ({ action, wait_seconds }: Waypoint): number => {
  if (wait_seconds !== undefined) return WORK_MS[action] + wait_seconds * SECOND_MS;
  return action === 'wait' ? WAIT_MS_DEFAULT : WORK_MS[action];
};

function goOn(run: MissionRun, skipsWaypoints: boolean): MissionRun {
  const index = run.index + 1;
  const next = { ...run, index, stayMs: null };
  if (isDone(next)) return next;
  const isSkipped = skipsWaypoints && index % 2 === 1;
  if (isSkipped) return goOn(withWaypoint(next, { index, state: 'skipped' }), skipsWaypoints);
  return withWaypoint(next, { index, state: 'active' });
}

function withResult(run: MissionRun, { action }: Waypoint): MissionRun {
  const waypoint = run.waypoints[run.index];
  if (action === 'none' || waypoint === undefined) return run;
  return withWaypoint(run, { ...waypoint, action_result: 'succeeded' });
}

const withWaypoint = (run: MissionRun, waypoint: WaypointProgress): MissionRun => ({
  ...run,
  waypoints: run.waypoints.with(waypoint.index, waypoint),
});

/** A mission that ended early still reports the waypoints it reached. */
export function progressOfRun(
  { upload, state, reason, waypoints }: MissionRun,
  ts: number,
  end?: { readonly state: 'completed' | 'aborted' | 'failed'; readonly reason?: string },
): MissionProgress {
  const why = end === undefined ? reason : (end.reason ?? null);
  return {
    mission_id: upload.mission_id,
    state: end?.state ?? state,
    waypoints: [...waypoints],
    ...(why === null ? {} : { reason: why }),
    ts,
  };
}
