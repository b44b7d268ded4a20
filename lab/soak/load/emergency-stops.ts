import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './caller.ts';
import type { TimedStops } from './timed-stops.ts';

export const ROVERS = '/v1/fielddevice/devices';
const TURN_MS = 2_000;
const REPEATED_AFTER_MS = 500;

/** Somebody who stops one rover after the other, and releases each. */
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
    const path = `${ROVERS}/${rover}/remote/command`;
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
