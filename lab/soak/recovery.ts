import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './caller.ts';
import type { Database } from './database.ts';
import type { FleetProcess } from './fleet-process.ts';
import type { ReadingLedger } from './ledgers.ts';
import type { SoakNode } from './site.ts';

const POLL_MS = 200;
const READY_MS_MAX = 3_000;
const GIVEN_UP_MS = 90_000;

interface RecoveryParts {
  readonly caller: Caller;
  readonly database: Database;
  readonly fleet: FleetProcess;
  readonly readings: ReadingLedger;
}

export interface Recovery {
  readonly ms: number;
  /** When each part had recovered. */
  readonly detail: string;
}

/**
 * The time until all of these are true: the nodes are ready and answer a request, every device is connected, and every reading that
 * was acknowledged before now is in the database.
 */
export async function measureRecovery(parts: RecoveryParts, nodes: readonly SoakNode[]): Promise<Recovery> {
  const { caller, database, fleet, readings } = parts;
  const beganMs = Date.now();
  const isReady = async (node: SoakNode): Promise<boolean> => {
    const signal = AbortSignal.timeout(READY_MS_MAX);
    const isUp = await fetch(`${node.url}/readyz`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    return isUp && (await caller.ask(node, { path: '/v1/overview' })).outcome === 'ok';
  };
  const missing = async (): Promise<number> => {
    await database.lookFor(readings).catch(() => undefined);
    return readings.missing(beganMs).length;
  };
  const doneMs = new Map<string, number>();
  /** When each was true first, of those that are true now. */
  const note = (what: string, isDone: boolean): void => {
    if (!isDone) doneMs.delete(what);
    else if (!doneMs.has(what)) doneMs.set(what, Date.now() - beganMs);
  };
  let left = '';
  while (Date.now() - beganMs < GIVEN_UP_MS) {
    const [ready, missingCount] = await Promise.all([Promise.all(nodes.map(isReady)), missing()]);
    for (const [index, isDone] of ready.entries()) note(`node ${nodes[index]?.number}`, isDone);
    note('readings', missingCount === 0);
    note('devices', fleet.isComplete);
    if (ready.every(Boolean) && missingCount === 0 && fleet.isComplete) {
      const detail = [...doneMs].map(([what, ms]) => `${what} ${ms}`).join(', ');
      return { ms: Date.now() - beganMs, detail };
    }
    left = `ready: ${ready.join(' ')}, missing readings: ${missingCount}, connected devices: ${fleet.connectedCount}`;
    await sleep(POLL_MS);
  }
  throw new Error(`no recovery within ${GIVEN_UP_MS / 1_000} s (${left})`);
}
