import { advance } from '@granary/core/operations';
import { toGrams } from '@granary/core/units';
import type { ErrandLedger } from './errand-ledger.ts';
import { type DeviceToTick, type TickOutcome, type TickRound, tickErrands } from './errand-ticks.ts';
import { type KnownDevice, readKnownDevices } from './known-devices.ts';
import { currentOperations, OPERATIONS } from './operation-rows.ts';
import type { Sql } from './sql.ts';

export interface TickedOperation {
  readonly deviceId: string;
  readonly operationId: string;
  readonly send: 'stop' | 'report';
}

export async function tickOperations(sql: Sql, round: TickRound): Promise<TickOutcome<TickedOperation>> {
  return await tickErrands(sql, [OPERATIONS], round, (devices, ledger) =>
    tickSilos(sql, devices, ledger, round),
  );
}

/** Reads no configuration: a stop is repeated also to a silo whose configuration cannot be read. */
async function tickSilos(
  sql: Sql,
  devices: readonly DeviceToTick[],
  ledger: ErrandLedger,
  { nowMs, isNewSession }: TickRound,
): Promise<TickedOperation[]> {
  const deviceNos = devices.map(({ deviceNo }) => deviceNo);
  const known = new Map((await readKnownDevices(sql, deviceNos)).map((one) => [one.device.deviceNo, one]));
  const reachable = new Map(devices.map(({ deviceNo, isReachable }) => [deviceNo, isReachable]));
  const operations = await currentOperations(sql, deviceNos, (item) => ledger.setAside.push(item));
  const sends: TickedOperation[] = [];
  for (const before of operations) {
    const silo = known.get(before.deviceNo);
    if (silo === undefined) continue;
    const isReachable = reachable.get(before.deviceNo) ?? false;
    const tick = { kind: 'tick', isReachable, isNewSession, ...weighed(silo) } as const;
    const decided = await ledger.attempt(OPERATIONS, before, () => {
      const { operation, send } = advance(before, tick, nowMs);
      return { after: operation, send };
    });
    const { operationId } = before;
    const { deviceId } = silo.device;
    if (decided !== null && decided.send !== null) sends.push({ deviceId, operationId, send: decided.send });
  }
  return sends;
}

function weighed({ device, latest: { weight } }: KnownDevice) {
  return {
    weight: weight === undefined ? null : { valueG: weight.value, tsMs: weight.tsMs },
    capacityG: toGrams(device.capacityKg ?? 0, 'kg'),
  };
}
