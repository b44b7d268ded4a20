import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { MISSIONS_AHEAD_MAX, withoutBase } from '@granary/core/missions/planning/plan';
import type { Sql } from '@granary/store/sql';
import type { NewEvent } from '../events/event-rows.ts';
import { MISSIONS, missionsNotEnded } from './mission-rows.ts';

/** Changes the missions of a locked device that has no base any more; returns the events, which the write must log as its last step. */
export async function saveMissionsWithoutBase(
  sql: Sql,
  deviceNo: number,
  configuration: DeviceConfiguration,
  nowMs: number,
): Promise<NewEvent[]> {
  if (!('base' in configuration) || configuration.base !== null) return [];
  const events: NewEvent[] = [];
  for (const before of await missionsNotEnded(sql, deviceNo, MISSIONS_AHEAD_MAX)) {
    const change = MISSIONS.changeOf(before, withoutBase(before), nowMs);
    await MISSIONS.save(sql, change);
    events.push(...change.events);
  }
  return events;
}
