import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { FIELD_DEVICES } from '../bench/farm.ts';
import type { Caller } from './caller.ts';
import { POSITION } from './fleet-devices.ts';
import type { StartLedger } from './ledgers.ts';
import type { TimedStops } from './timed-stops.ts';

const TURN_MS = 2_000;
const REPEATED_AFTER_MS = 500;
const ASKED_AGAIN_AFTER_MS = 300;
const BEGUN_MS_MAX = 30 * SECOND_MS;
const WAYPOINTS = [{ lat: POSITION.latitude + 0.0001, lng: POSITION.longitude, action: 'scan' }];

/** A person who stops one rover after the other, and releases each. */
export class EmergencyStops {
  readonly #caller: Caller;
  readonly #stops: TimedStops;
  readonly #rovers: readonly string[];
  #isEnding = false;

  constructor(caller: Caller, stops: TimedStops, rovers: readonly string[]) {
    this.#caller = caller;
    this.#stops = stops;
    this.#rovers = rovers;
  }

  async run(): Promise<void> {
    const busy = new Set<string>();
    for (let turn = 0; !this.#isEnding; turn++) {
      const rover = this.#rovers[turn % this.#rovers.length];
      if (rover !== undefined && !busy.has(rover)) {
        busy.add(rover);
        void this.#stopAndRelease(rover).finally(() => busy.delete(rover));
      }
      await sleep(TURN_MS);
    }
    while (busy.size > 0) await sleep(REPEATED_AFTER_MS);
  }

  end(): void {
    this.#isEnding = true;
  }

  async #stopAndRelease(rover: string): Promise<void> {
    const path = `${FIELD_DEVICES}/${rover}/remote/command`;
    const stop = { path, body: { command: 'emergency_stop' }, idempotencyKey: randomUUID() };
    if ((await this.#stops.stop(rover, null, stop)) === null) return;
    const release = { command: 'release_emergency_stop' };
    const idempotencyKey = randomUUID();
    for (let tries = 0; tries < 60; tries++) {
      const answer = await this.#caller.next({ method: 'POST', path, body: release, idempotencyKey });
      if (answer.outcome === 'ok') return;
      await sleep(REPEATED_AFTER_MS);
    }
  }
}

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
      const wanted = { path: `${FIELD_DEVICES}/${rover}/missions`, body, idempotencyKey };
      const { outcome, data, isFinal } = await caller.next({ method: 'POST', ...wanted });
      if (outcome === 'ok') {
        ledger.accepted(idempotencyKey, data.mission_id);
        return data.mission_id;
      }
      if (isFinal) throw new Error(`the mission of ${rover} was refused`);
      await sleep(ASKED_AGAIN_AFTER_MS);
    }
  };
  const missions = await Promise.all(rovers.map(schedule));
  const untilMs = Date.now() + inMs + BEGUN_MS_MAX;
  const haveBegun = (): boolean => missions.every((mission) => ledger.timesReceived(mission) > 0);
  while (!haveBegun() && Date.now() < untilMs) await sleep(ASKED_AGAIN_AFTER_MS);
}
