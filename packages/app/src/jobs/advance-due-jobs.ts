import type { Sql } from '@granary/store/sql';
import { lockDevices, tryLockDevices } from '../alerts/evaluation-rows.ts';
import { deviceIdsOf } from '../device-rows.ts';
import { type Committed, committed, type Effect } from '../effects.ts';
import type { Transaction } from '../transaction.ts';
import type { SetAside } from '../unreadable-row.ts';
import { JobChangeRecorder } from './job-change-recorder.ts';
import type { WaitingDevice } from './job-rows.ts';

/** The functions that a tick needs for one kind of job. */
interface Waiting {
  waiting(sql: Sql, nowMs: number, limit: number): Promise<WaitingDevice[]>;
  isWaiting(sql: Sql, deviceNo: number, nowMs: number): Promise<boolean>;
  recordTick(sql: Sql, deviceNos: readonly number[], nowMs: number): Promise<void>;
}

export interface TickLimits {
  readonly nowMs: number;
  readonly limit: number;
}

interface DueDevice {
  readonly deviceNo: number;
  readonly deviceId: string;
}

export interface DueDevices {
  readonly devices: readonly DueDevice[];
  /** More devices are due than were listed. */
  readonly hasMore: boolean;
}

export interface DeviceToTick {
  readonly deviceNo: number;
  /** The link reports a live session that is subscribed to commands. */
  readonly isReachable: boolean;
}

export interface TickRound {
  readonly nowMs: number;
  readonly devices: readonly DeviceToTick[];
  /** More devices are due and follow in the next tick. */
  readonly hasMore: boolean;
  /** The devices have just become reachable, so pending messages are sent without the usual interval. */
  readonly isNewSession: boolean;
}

export interface TickOutcome {
  /** The items that could not be read or decided; all others were advanced. */
  readonly setAside: readonly SetAside[];
}

/** Advances the jobs of these devices, records each, and returns the messages to send. */
type AdvanceAll = (devices: readonly DeviceToTick[], recorder: JobChangeRecorder) => Promise<Effect[]>;

/** Returns the due devices, least recently ticked first; only the link knows whether they are reachable. */
export async function dueDevices(
  sql: Sql,
  kinds: readonly Waiting[],
  { nowMs, limit }: TickLimits,
): Promise<DueDevices> {
  const waiting = await waitingDevices(sql, kinds, nowMs, limit + 1);
  if (waiting.length === 0) return { devices: [], hasMore: false };
  const deviceNos = waiting.slice(0, limit);
  const ids = await deviceIdsOf(sql, deviceNos);
  const devices = deviceNos.flatMap((deviceNo) => {
    const deviceId = ids.get(deviceNo);
    return deviceId === undefined ? [] : [{ deviceNo, deviceId }];
  });
  return { devices, hasMore: waiting.length > limit };
}

export async function isDeviceDue(
  sql: Sql,
  kinds: readonly Waiting[],
  { deviceNo, nowMs }: { readonly deviceNo: number; readonly nowMs: number },
): Promise<boolean> {
  for (const kind of kinds) if (await kind.isWaiting(sql, deviceNo, nowMs)) return true;
  return false;
}

/**
 * Applies a tick to the jobs of devices that no other transaction has locked; the others follow in the next tick. Sent
 * messages are recorded, so two ticks at the same time send nothing twice.
 */
export async function advanceDueJobs(
  tx: Transaction,
  kinds: readonly Waiting[],
  round: TickRound,
  advanceAll: AdvanceAll,
): Promise<Committed<TickOutcome>> {
  const { nowMs, hasMore, isNewSession } = round;
  const toTick = new Map(round.devices.map((device) => [device.deviceNo, device]));
  if (toTick.size === 0) return committed({ setAside: [] });
  const lock = isNewSession ? lockDevices : tryLockDevices;
  const held = await lock(tx.sql, [...toTick.keys()]);
  const heldNos = held.map(({ deviceNo }) => deviceNo);
  const recorder = new JobChangeRecorder(tx, nowMs);
  const devices = heldNos.flatMap((deviceNo) => toTick.get(deviceNo) ?? []);
  const sends = await advanceAll(devices, recorder);
  // The tick is recorded only when more devices are due than one tick takes, so that the other devices come next.
  if (hasMore) for (const kind of kinds) await kind.recordTick(tx.sql, heldNos, nowMs);
  const logged = await recorder.close(held);
  return committed({ setAside: recorder.setAside }, ...sends, ...logged);
}

/** Returns the waiting devices, least recently ticked first. */
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
