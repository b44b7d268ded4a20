import type { Mission, PreflightResult, Waypoint, WaypointAction } from '@granary/contract/missions';
import { WAYPOINTS_MAX } from '@granary/contract/outline';
import type { Point } from '@granary/contract/positions';

const WAYPOINT = /^\/waypoints\/(\d+)/;

/** The number of decimals of a degree; it is exact to about a centimetre. */
const DECIMALS = 7;

const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/;

export interface DraftWaypoint extends Point {
  /** The id stays the same while waypoints are moved and reordered. */
  readonly id: number;
  readonly action: WaypointAction;
  /** `null`: the vehicle keeps its altitude. */
  readonly altitude: number | null;
  /** `null`: the vehicle waits as long as the action takes. */
  readonly waitSeconds: number | null;
}

/** A mission that is being drawn. */
export interface Draft {
  readonly name: string;
  /** The start as a minute of UTC, empty while it is not complete; `null`: now. */
  readonly startsAt: string | null;
  readonly waypoints: readonly DraftWaypoint[];
  readonly selectedId: number | null;
}

export const EMPTY_DRAFT: Draft = { name: '', startsAt: null, waypoints: [], selectedId: null };

const rounded = (value: number): number => Number(value.toFixed(DECIMALS));

/** A new waypoint has the action of the one before it, because fields are usually scanned or sampled throughout. */
export function withWaypoint(draft: Draft, { lat, lng }: Point): Draft {
  const { waypoints } = draft;
  if (waypoints.length >= WAYPOINTS_MAX) return draft;
  const before = waypoints.at(-1);
  const id = Math.max(0, ...waypoints.map((one) => one.id)) + 1;
  const waypoint: DraftWaypoint = {
    id,
    lat: rounded(lat),
    lng: rounded(lng),
    action: before?.action ?? 'scan',
    altitude: before?.altitude ?? null,
    waitSeconds: before?.waitSeconds ?? null,
  };
  return { ...draft, waypoints: [...waypoints, waypoint], selectedId: id };
}

export const withoutWaypoint = (draft: Draft, id: number): Draft => ({
  ...draft,
  waypoints: draft.waypoints.filter((one) => one.id !== id),
  selectedId: draft.selectedId === id ? null : draft.selectedId,
});

export function withChange(draft: Draft, id: number, change: Partial<Omit<DraftWaypoint, 'id'>>): Draft {
  const place = {
    ...(change.lat === undefined ? {} : { lat: rounded(change.lat) }),
    ...(change.lng === undefined ? {} : { lng: rounded(change.lng) }),
  };
  const waypoints = draft.waypoints.map((one) => (one.id === id ? { ...one, ...change, ...place } : one));
  return { ...draft, waypoints };
}

/** Moves a waypoint to another place of the order; a place outside the list is the nearer end of the list. */
export function withOrder(draft: Draft, id: number, index: number): Draft {
  const moved = draft.waypoints.find((one) => one.id === id);
  if (moved === undefined) return draft;
  const others = draft.waypoints.filter((one) => one.id !== id);
  return { ...draft, waypoints: others.toSpliced(Math.max(0, index), 0, moved) };
}

export const waypointsOf = ({ waypoints }: Draft): Waypoint[] =>
  waypoints.map(({ lat, lng, action, altitude, waitSeconds }) => ({
    lat,
    lng,
    action,
    ...(altitude === null ? {} : { altitude }),
    ...(waitSeconds === null ? {} : { wait_seconds: waitSeconds }),
  }));

/** Whether the start is now, or at a complete time: a mission for later must never begin now. */
export const hasStart = (draft: Draft): boolean => draft.startsAt === null || startOf(draft) !== undefined;

/** The start in the form of the service; `undefined` for now. */
export function startOf({ startsAt }: Draft): string | undefined {
  const time = startsAt !== null && MINUTE.test(startsAt) ? Date.parse(startsAt) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

export function missionOf(draft: Draft, nameWithout: string): Mission {
  const scheduled_start = startOf(draft);
  return {
    mission_name: draft.name.trim() || nameWithout,
    waypoints: waypointsOf(draft),
    ...(scheduled_start === undefined ? {} : { scheduled_start }),
  };
}

type WaypointFault = 'outside' | 'unreachable' | 'other';

const FAULTS: Readonly<Partial<Record<string, WaypointFault>>> = {
  waypoint_outside_fence: 'outside',
  waypoints_outside_fence: 'outside',
  waypoint_not_reachable: 'unreachable',
};

/** The parts of the way because of which the mission would be refused. */
export interface LegFaults {
  /** The fault of a waypoint or of the way to it, by the index of the waypoint. */
  readonly waypoints: ReadonlyMap<number, WaypointFault>;
  /** The legs for which the battery does not last, by the index of the waypoint to which they lead. */
  readonly tooFar: ReadonlySet<number>;
  readonly isWayBackTooFar: boolean;
}

export function legFaults({ preflight, refusal }: PreflightResult): LegFaults {
  const fault = FAULTS[refusal?.message_code ?? ''] ?? 'other';
  const named = (refusal?.details ?? []).flatMap(({ path }) => {
    const index = WAYPOINT.exec(path)?.[1];
    return index === undefined ? [] : [[Number(index), fault] as const];
  });
  const tooFar = new Set<number>();
  const isInfeasible = refusal?.code === 'mission_infeasible' && preflight !== null;
  if (isInfeasible) {
    let left = preflight.battery_available - preflight.battery_reserve;
    for (const [index, { battery }] of preflight.legs.entries()) {
      left -= battery;
      if (left < 0) tooFar.add(index);
    }
  }
  return { waypoints: new Map(named), tooFar, isWayBackTooFar: isInfeasible };
}
