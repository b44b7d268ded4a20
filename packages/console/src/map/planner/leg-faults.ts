import type { PreflightResult } from '@granary/contract/missions/missions';

/** Which parts of the way the mission would be refused for. */
export interface LegFaults {
  /** What is wrong with a waypoint or the way to it, by its index. */
  readonly waypoints: ReadonlyMap<number, string>;
  /** The legs, by the index of the waypoint they lead to, for which the battery does not last. */
  readonly tooFar: ReadonlySet<number>;
  readonly isWayBackTooFar: boolean;
}

const WAYPOINT = /^\/waypoints\/(\d+)/;

export function legFaults({ preflight, refusal }: PreflightResult): LegFaults {
  const named = (refusal?.details ?? []).flatMap(({ path, message }) => {
    const index = WAYPOINT.exec(path)?.[1];
    return index === undefined ? [] : [[Number(index), message] as const];
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
