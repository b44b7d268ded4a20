import type { PreflightResult } from '@granary/contract/missions';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useConsole } from '../context/console.ts';
import { type Draft, startOf, waypointsOf } from './mission-draft.ts';

const PAUSE_MS = 200;
/** The preflight is requested again at this interval, because the position and the battery of the vehicle change while the plan stays. */
const AGAIN_MS = 10_000;

export interface LivePreflight {
  /** `null` until there is an answer about the present waypoints, or about nearly the same ones. */
  readonly result: PreflightResult | null;
  readonly failure: unknown;
}

/** What the drawn mission would need and whether it would be refused; requested again while a waypoint is dragged. */
export function usePreflight(deviceId: string, draft: Draft): LivePreflight {
  const { client, live } = useConsole();
  const result = useSignal<PreflightResult | null>(null);
  const failure = useSignal<unknown>(null);
  const latest = useMemo(() => new LatestOnly(PAUSE_MS), []);
  const isLive = live.connection.current.value.state === 'live';
  useEffect(() => {
    const waypoints = waypointsOf(draft);
    if (waypoints.length === 0) result.value = null;
    if (waypoints.length === 0 || !isLive) return;
    const scheduled_start = startOf(draft);
    const ask = (): void =>
      latest.run(async () => {
        try {
          result.value = await client.missions.preflight(deviceId, {
            waypoints,
            ...(scheduled_start === undefined ? {} : { scheduled_start }),
          });
          failure.value = null;
        } catch (error) {
          result.value = null;
          failure.value = error;
        }
      });
    ask();
    const timer = setInterval(ask, AGAIN_MS);
    return () => {
      clearInterval(timer);
      latest.forget();
    };
  }, [deviceId, draft.waypoints, draft.startsAt, isLive]);
  return { result: result.value, failure: failure.value };
}

/** Runs the newest of the wanted works, one after the other and with a pause between them; older ones are left out. */
export class LatestOnly {
  readonly #pauseMs: number;
  #wanted: (() => Promise<void>) | null = null;
  #isRunning = false;

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  run(work: () => Promise<void>): void {
    this.#wanted = work;
    if (!this.#isRunning) void this.#runAll();
  }

  forget(): void {
    this.#wanted = null;
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let work = this.#wanted; work !== null; work = this.#wanted) {
      this.#wanted = null;
      await work();
      await new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
    }
    this.#isRunning = false;
  }
}
