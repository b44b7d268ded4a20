import { operationMessage } from '@granary/core/operations/record';
import { advanceOperation } from '@granary/core/operations/transitions';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import { isBelievable } from '@granary/core/telemetry/plausibility';
import { toGrams } from '@granary/core/units';
import type { Sql } from '@granary/store/sql';
import { type DeviceSnapshot, readDeviceSnapshots } from '../device-facts.ts';
import type { Committed, Effect } from '../effects.ts';
import {
  advanceDueJobs,
  type DeviceToTick,
  type TickOutcome,
  type TickRound,
} from '../jobs/advance-due-jobs.ts';
import type { JobChangeRecorder } from '../jobs/job-change-recorder.ts';
import type { Transaction } from '../transaction.ts';
import { currentOperations, OPERATIONS } from './operation-rows.ts';

export async function advanceDueOperations(
  tx: Transaction,
  round: TickRound,
): Promise<Committed<TickOutcome>> {
  return await advanceDueJobs(tx, [OPERATIONS], round, (devices, recorder) =>
    tickSilos(tx.sql, devices, recorder, round),
  );
}

/** Does not read the configuration, so that a stop is repeated even if the configuration of the silo cannot be read. */
async function tickSilos(
  sql: Sql,
  devices: readonly DeviceToTick[],
  recorder: JobChangeRecorder,
  { nowMs, isNewSession }: TickRound,
): Promise<Effect[]> {
  const deviceNos = devices.map(({ deviceNo }) => deviceNo);
  const known = new Map((await readDeviceSnapshots(sql, deviceNos)).map((one) => [one.device.deviceNo, one]));
  const reachable = new Map(devices.map(({ deviceNo, isReachable }) => [deviceNo, isReachable]));
  const operations = await currentOperations(sql, deviceNos, (item) => recorder.setAside.push(item));
  const sends: Effect[] = [];
  for (const before of operations) {
    const silo = known.get(before.deviceNo);
    if (silo === undefined) continue;
    const isReachable = reachable.get(before.deviceNo) ?? false;
    const tick = { kind: 'tick', isReachable, isNewSession, ...weighed(silo) } as const;
    const decided = await recorder.attempt(OPERATIONS, before, () => {
      const { operation, send } = advanceOperation(before, tick, nowMs);
      return { after: operation, send };
    });
    if (decided === null || decided.send === null) continue;
    const { deviceNo, deviceId } = silo.device;
    const message = operationMessage(before.operationId, decided.send);
    sends.push({ kind: 'send_message', deviceNo, deviceId, message });
  }
  return sends;
}

function weighed({ device, latest: { weight } }: DeviceSnapshot) {
  const capacityKg = device.capacityKg ?? 0;
  const isUsable = weight !== undefined && isBelievable(STANDARD_SENSORS.weight, weight, capacityKg);
  return {
    weight: isUsable ? { valueG: weight.value, tsMs: weight.tsMs } : null,
    capacityG: toGrams(capacityKg, 'kg'),
  };
}
