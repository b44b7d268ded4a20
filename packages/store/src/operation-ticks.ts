import { deviceStatus } from '@granary/core/devices';
import { advance, type Tick } from '@granary/core/operations';
import { toGrams } from '@granary/core/units';
import { evaluateSilos } from './evaluation.ts';
import { logEvents, type NewEvent } from './events.ts';
import { concernsAlerts, operationEvents, saveOperation } from './operation-changes.ts';
import { recordTick, unsettledDevices } from './operation-rows.ts';
import { readSilos, type Silo } from './silos.ts';
import type { Sql } from './sql.ts';
import { holdFreeSilos } from './watches.ts';

export interface TickedOperation {
  readonly deviceId: string;
  readonly operationId: string;
  readonly send: 'stop' | 'report';
}

/** At most `limit` silos at a time; the others come with the next tick. */
export async function tickOperations(sql: Sql, limit: number, nowMs: number): Promise<TickedOperation[]> {
  const waiting = await unsettledDevices(sql, limit + 1);
  if (waiting.length === 0) return [];
  const held = await holdFreeSilos(sql, waiting.slice(0, limit));
  const heldNos = held.map(({ deviceNo }) => deviceNo);
  const concerned = new Set<number>();
  const events: NewEvent[] = [];
  const sends: TickedOperation[] = [];
  for (const silo of await readSilos(sql, heldNos)) {
    const tick = tickOf(silo, nowMs);
    for (const before of silo.facts.operations) {
      const { operation, send } = advance(before, tick, nowMs);
      await saveOperation(sql, before, operation, nowMs);
      events.push(...operationEvents(before, operation, nowMs));
      if (concernsAlerts(before, operation)) concerned.add(before.deviceNo);
      if (send !== null)
        sends.push({ deviceId: silo.device.deviceId, operationId: before.operationId, send });
    }
  }
  if (waiting.length > limit) await recordTick(sql, heldNos, nowMs);
  const toEvaluate = held.filter(({ deviceNo }) => concerned.has(deviceNo));
  const evaluation = await evaluateSilos(sql, toEvaluate, nowMs);
  await logEvents(sql, [...events, ...evaluation.events]);
  return sends;
}

function tickOf({ facts }: Silo, nowMs: number): Tick {
  const { presence, capacityKg, latest } = facts;
  const { weight } = latest;
  return {
    kind: 'tick',
    // In maintenance the link is up, so a stop still gets through.
    deviceOnline: deviceStatus(presence, nowMs) !== 'offline',
    weight: weight === undefined ? null : { valueG: weight.value, tsMs: weight.tsMs },
    capacityG: toGrams(capacityKg, 'kg'),
  };
}
