import { advanceOperation } from '@granary/core/operations/transitions';
import { toGrams } from '@granary/core/units';
import type { Sql } from '@granary/store/sql';
import { type DeviceSnapshot, readDeviceSnapshots } from '../devices/device-snapshots.ts';
import {
  advanceDueJobs,
  type DeviceToTick,
  type TickOutcome,
  type TickRound,
} from '../jobs/advance-due-jobs.ts';
import type { JobChangeRecorder } from '../jobs/job-change-recorder.ts';
import { currentOperations, OPERATIONS } from './operation-jobs.ts';

export interface TickedOperation {
  readonly deviceId: string;
  readonly operationId: string;
  readonly send: 'stop' | 'report';
}

export async function advanceDueOperations(
  sql: Sql,
  round: TickRound,
): Promise<TickOutcome<TickedOperation>> {
  return await advanceDueJobs(sql, [OPERATIONS], round, (devices, ledger) =>
    tickSilos(sql, devices, ledger, round),
  );
}

/** Reads no configuration: a stop is repeated also to a silo whose configuration cannot be read. */
async function tickSilos(
  sql: Sql,
  devices: readonly DeviceToTick[],
  ledger: JobChangeRecorder,
  { nowMs, isNewSession }: TickRound,
): Promise<TickedOperation[]> {
  const deviceNos = devices.map(({ deviceNo }) => deviceNo);
  const known = new Map((await readDeviceSnapshots(sql, deviceNos)).map((one) => [one.device.deviceNo, one]));
  const reachable = new Map(devices.map(({ deviceNo, isReachable }) => [deviceNo, isReachable]));
  const operations = await currentOperations(sql, deviceNos, (item) => ledger.setAside.push(item));
  const sends: TickedOperation[] = [];
  for (const before of operations) {
    const silo = known.get(before.deviceNo);
    if (silo === undefined) continue;
    const isReachable = reachable.get(before.deviceNo) ?? false;
    const tick = { kind: 'tick', isReachable, isNewSession, ...weighed(silo) } as const;
    const decided = await ledger.attempt(OPERATIONS, before, () => {
      const { operation, send } = advanceOperation(before, tick, nowMs);
      return { after: operation, send };
    });
    const { operationId } = before;
    const { deviceId } = silo.device;
    if (decided !== null && decided.send !== null) sends.push({ deviceId, operationId, send: decided.send });
  }
  return sends;
}

function weighed({ device, latest: { weight } }: DeviceSnapshot) {
  return {
    weight: weight === undefined ? null : { valueG: weight.value, tsMs: weight.tsMs },
    capacityG: toGrams(device.capacityKg ?? 0, 'kg'),
  };
}
