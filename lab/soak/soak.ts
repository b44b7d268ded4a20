import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '@granary/contract/time';
import { SILOS } from '../bench/farm.ts';
import type { Outcome } from './accounting/verdict.ts';
import type { Fault } from './faults/fault.ts';
import { WAVE_CONFIGURATION } from './load/alert-waves.ts';
import { Caller } from './load/caller.ts';
import { type Progress, SoakRun } from './run.ts';
import { Database } from './site/database.ts';
import { registerFleet } from './site/register.ts';
import { startSite } from './site/site.ts';

/** Without a fault at the beginning and at the end, and at least between two. */
const CALM_MS = 10 * SECOND_MS;

export interface SoakPlan {
  readonly durationMs: number;
  readonly devices: number;
  readonly faults: readonly Fault[];
  /** Gets the logs of the nodes, if any. */
  readonly logFolder: string | null;
  readonly progress: Progress;
  readonly interruption: AbortSignal;
}

export interface SoakResult {
  readonly outcome: Outcome;
  readonly postgres: string;
}

/** One whole run with its own database, broker, nodes and devices, which are removed at its end. */
export async function soak(plan: SoakPlan): Promise<SoakResult> {
  const { durationMs, devices, faults, logFolder, progress, interruption } = plan;
  const ownFileSystem = faults.some(({ needsFileSystem }) => needsFileSystem);
  const site = await startSite({ ownFileSystem, logFolder });
  let run: SoakRun | undefined;
  try {
    const [first] = site.nodes;
    if (first === undefined) throw new Error('there is no node');
    const postgres = await new Database(site.postgres.url).version();
    const registered = await registerFleet(first.process, devices);
    const caller = new Caller(site.nodes);
    for (const silo of registered.emptying) {
      await caller.ask(first, { method: 'PUT', path: `${SILOS}/${silo}/config`, body: WAVE_CONFIGURATION });
    }
    progress(`${site.nodes.length} nodes on PostgreSQL ${postgres}, ${devices} devices registered`);
    run = new SoakRun(site, registered, progress);
    await run.begin();
    const beganMs = Date.now();
    const untilMs = beganMs + durationMs;
    const slotMs = (durationMs - 2 * CALM_MS) / faults.length;
    for (const [index, fault] of faults.entries()) {
      const atMs = beganMs + CALM_MS + index * slotMs;
      await sleep(Math.max(CALM_MS, atMs - Date.now()), undefined, { signal: interruption });
      await run.inject(fault);
    }
    await sleep(Math.max(CALM_MS, untilMs - Date.now()), undefined, { signal: interruption });
    progress('the load ends …');
    return { outcome: await run.end(), postgres };
  } finally {
    await run?.stop();
    await site.stop();
  }
}
