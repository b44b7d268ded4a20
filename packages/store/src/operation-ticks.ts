import { deviceStatus } from '@granary/core/devices';
import { advance, type Tick } from '@granary/core/operations';
import { toGrams } from '@granary/core/units';
import type { ErrandLedger } from './errand-ledger.ts';
import { type TickLimits, tickErrands } from './errand-ticks.ts';
import { OPERATIONS } from './operation-rows.ts';
import { readSilos, type Silo } from './silos.ts';
import type { Sql } from './sql.ts';

export interface TickedOperation {
  readonly deviceId: string;
  readonly operationId: string;
  readonly send: 'stop' | 'report';
}

export async function tickOperations(sql: Sql, limits: TickLimits): Promise<TickedOperation[]> {
  return await tickErrands(sql, [OPERATIONS], limits, (deviceNos, ledger) =>
    tickSilos(sql, deviceNos, ledger, limits.nowMs),
  );
}

async function tickSilos(
  sql: Sql,
  deviceNos: readonly number[],
  ledger: ErrandLedger,
  nowMs: number,
): Promise<TickedOperation[]> {
  const sends: TickedOperation[] = [];
  for (const silo of await readSilos(sql, deviceNos)) {
    const tick = tickOf(silo, nowMs);
    for (const before of silo.facts.operations) {
      const { operation, send } = advance(before, tick, nowMs);
      await ledger.record(OPERATIONS, before, operation);
      const { deviceId } = silo.device;
      if (send !== null) sends.push({ deviceId, operationId: before.operationId, send });
    }
  }
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
