import {
  advanceReception,
  changesAlerts,
  isClockRight,
  type MessageReception,
  RECEPTION_DOCUMENT,
  type Reception,
} from '@granary/core/reception/reception';
import type { Reading } from '@granary/core/telemetry/readings';
import type { Sql } from '@granary/store/sql';
import { receptionsOf, saveReceptions } from '@granary/store/tables/device-health';
import type { LastSeenUpdate } from '@granary/store/tables/presence';

interface ReceivedBatch {
  readonly readings: readonly Reading[];
  readonly seen: readonly LastSeenUpdate[];
  /** In the order of arrival, every message of the devices of which one was not as it should be. */
  readonly receptions: readonly MessageReception[];
}

/** Stores how the messages of a batch were received, where that has changed, and returns the devices whose alerts it can change. */
export async function recordReceptions(sql: Sql, batch: ReceivedBatch): Promise<ReadonlySet<number>> {
  const messages = Map.groupBy(batch.receptions, ({ deviceNo }) => deviceNo);
  const newestMs = newestTimes(batch.readings);
  const deviceNos = new Set([...messages.keys(), ...newestMs.keys()]);
  const toEvaluate = new Set<number>();
  if (deviceNos.size === 0) return toEvaluate;
  const stored = await receptionsOf(sql, RECEPTION_DOCUMENT, [...deviceNos]);
  if (stored.size === 0 && messages.size === 0) return toEvaluate;
  const seenAtMs = new Map(batch.seen.map(({ deviceNo, atMs }) => [deviceNo, atMs]));
  const changed = new Map<number, Reception | null>();
  for (const deviceNo of deviceNos) {
    const before = stored.get(deviceNo) ?? null;
    const own = messages.get(deviceNo) ?? usualMessages(deviceNo, newestMs, seenAtMs);
    const after = own.reduce(advanceReception, before);
    if (after === before) continue;
    changed.set(deviceNo, after);
    if (changesAlerts(before, after)) toEvaluate.add(deviceNo);
  }
  if (changed.size > 0) await saveReceptions(sql, RECEPTION_DOCUMENT, changed);
  return toEvaluate;
}

function newestTimes(readings: readonly Reading[]): Map<number, number> {
  const newest = new Map<number, number>();
  for (const { deviceNo, tsMs } of readings) {
    if (tsMs > (newest.get(deviceNo) ?? Number.NEGATIVE_INFINITY)) newest.set(deviceNo, tsMs);
  }
  return newest;
}

/** A batch may hold only the old readings of a long message, which say nothing about the clock. */
function usualMessages(
  deviceNo: number,
  newestMs: ReadonlyMap<number, number>,
  seenAtMs: ReadonlyMap<number, number>,
): MessageReception[] {
  const atMs = seenAtMs.get(deviceNo) ?? 0;
  const clockOffsetMs = (newestMs.get(deviceNo) ?? atMs) - atMs;
  return isClockRight(clockOffsetMs) ? [{ deviceNo, atMs, refusal: null, clockOffsetMs }] : [];
}
