import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS, toIso } from '@granary/contract/time';
import type { StartLedger } from '../accounting/start-ledger.ts';
import { POSITION } from '../fleet/fleet-rover.ts';
import type { Caller } from './caller.ts';
import { ROVERS } from './emergency-stops.ts';

const REPEATED_AFTER_MS = 300;
const BEGUN_MS_MAX = 30 * SECOND_MS;
const WAYPOINTS = [{ lat: POSITION.latitude + 0.0001, lng: POSITION.longitude, action: 'scan' }];

/** Gives each rover a mission that begins at the same moment, and waits until all of them have begun. */
export async function runMissions(
  caller: Caller,
  ledger: StartLedger,
  rovers: readonly string[],
  inMs: number,
): Promise<void> {
  const scheduled_start = toIso(Date.now() + inMs);
  const body = { mission_name: 'Scan', waypoints: WAYPOINTS, scheduled_start };
  const schedule = async (rover: string): Promise<string> => {
    const idempotencyKey = randomUUID();
    ledger.requested(idempotencyKey, rover);
    for (;;) {
      const wanted = { path: `${ROVERS}/${rover}/missions`, body, idempotencyKey };
      const { outcome, data, isFinal } = await caller.next({ method: 'POST', ...wanted });
      if (outcome === 'ok') {
        ledger.accepted(idempotencyKey, data.mission_id);
        return data.mission_id;
      }
      if (isFinal) throw new Error(`the mission of ${rover} was refused`);
      await sleep(REPEATED_AFTER_MS);
    }
  };
  const missions = await Promise.all(rovers.map(schedule));
  const untilMs = Date.now() + inMs + BEGUN_MS_MAX;
  const haveBegun = (): boolean => missions.every((mission) => ledger.timesReceived(mission) > 0);
  while (!haveBegun() && Date.now() < untilMs) await sleep(REPEATED_AFTER_MS);
}
