import { ErrandLedger } from './errand-ledger.ts';
import type { WaitingDevice } from './errands.ts';
import type { Sql } from './sql.ts';
import { holdFreeDevices } from './watches.ts';

/** What a tick needs of a kind of errand. */
interface Waiting {
  waiting(sql: Sql, nowMs: number, limit: number): Promise<WaitingDevice[]>;
  recordTick(sql: Sql, deviceNos: readonly number[], nowMs: number): Promise<void>;
}

export interface TickLimits {
  readonly nowMs: number;
  readonly limit: number;
}

/** Advances the errands of these devices, records each, and answers what to send. */
type AdvanceAll<Send> = (deviceNos: readonly number[], ledger: ErrandLedger) => Promise<Send[]>;

/**
 * What time makes of the errands of at most `limit` devices that nobody else is looking after; the others come with the
 * next tick. What was sent is stored, so two ticks at once send nothing twice.
 */
export async function tickErrands<Send>(
  sql: Sql,
  kinds: readonly Waiting[],
  { nowMs, limit }: TickLimits,
  advanceAll: AdvanceAll<Send>,
): Promise<Send[]> {
  const waiting = await waitingDevices(sql, kinds, nowMs, limit + 1);
  if (waiting.length === 0) return [];
  const held = await holdFreeDevices(sql, waiting.slice(0, limit));
  const heldNos = held.map(({ deviceNo }) => deviceNo);
  const ledger = new ErrandLedger(sql, nowMs);
  const sends = await advanceAll(heldNos, ledger);
  // Only when there are more than could be ticked at once, so that the others come next.
  if (waiting.length > limit) for (const kind of kinds) await kind.recordTick(sql, heldNos, nowMs);
  await ledger.close(held);
  return sends;
}

/** Those first that were ticked longest ago. */
async function waitingDevices(
  sql: Sql,
  kinds: readonly Waiting[],
  nowMs: number,
  limit: number,
): Promise<number[]> {
  const sinceMs = new Map<number, number>();
  for (const kind of kinds) {
    for (const { deviceNo, waitsSinceMs } of await kind.waiting(sql, nowMs, limit)) {
      sinceMs.set(deviceNo, Math.min(waitsSinceMs, sinceMs.get(deviceNo) ?? waitsSinceMs));
    }
  }
  const inOrder = [...sinceMs].toSorted(([aNo, aMs], [bNo, bMs]) => aMs - bMs || aNo - bNo);
  return inOrder.slice(0, limit).map(([deviceNo]) => deviceNo);
}
