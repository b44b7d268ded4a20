import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import type { Mission } from '@granary/contract/missions';
import { SECOND_MS } from '@granary/contract/time';
import type { Store } from './store.ts';
import { describePostgres } from './testing/engines.ts';
import { batchOf, NOW_MS, reading, readyFieldDevice, readySilo } from './testing/fixtures.ts';

const ROUNDS = 12;

let lastMission = 0;

/** Every kind of write that holds more than one row, on the same few silos and field devices. */
function writesOf(store: Store, silos: readonly number[], rovers: readonly number[], round: number) {
  return [...writesOfSilos(store, silos, round), ...writesOfRovers(store, rovers, round)];
}

function writesOfRovers(store: Store, deviceNos: readonly number[], round: number): Promise<unknown>[] {
  const nowMs = NOW_MS + round * SECOND_MS;
  const seen = deviceNos.map((deviceNo) => ({ deviceNo, atMs: nowMs }));
  const values = {
    latitude: 520_000_000,
    longitude: 130_000_000,
    battery_level: round % 2 ? 100_000 : 20_000,
  };
  const readings = deviceNos.map((deviceNo) => reading(deviceNo, nowMs, values));
  return [
    store.telemetry.append(batchOf({ readings, seen })),
    store.telemetry.append(batchOf({ readings: readings.toReversed(), seen: seen.toReversed() })),
    store.alerts.evaluate({ deviceNos: deviceNos.toReversed(), nowMs }),
    store.field.tick({ nowMs, limit: 100 }),
    ...deviceNos.flatMap((deviceNo) => {
      const [commandId, missionId] = [`cmd_${deviceNo}_${round}`, `ms_${++lastMission}`];
      const request = { command: round % 3 ? 'hold' : 'emergency_stop' } as const;
      const mission: Mission = { mission_name: 'm', waypoints: [{ lat: 52, lng: 13, action: 'none' }] };
      const command = { command_id: commandId, state: 'succeeded', ts: nowMs } as const;
      const progress = { mission_id: missionId, state: 'running', ts: nowMs } as const;
      return [
        store.commands.issue({ deviceNo, commandId, request, nowMs }),
        store.commands.progressed({ deviceNo, progress: command, nowMs }),
        store.missions.create({ deviceNo, missionId, mission, nowMs }),
        store.missions.progressed({ deviceNo, progress, nowMs }),
        store.missions.control({ deviceNo, missionId, control: 'cancel', nowMs }),
        store.configuration.change(deviceNo, { thresholds: { low_battery: 25 + (round % 5) } }, nowMs),
        store.plants.create({ id: `${round}`, name: 'Fern', tag: null, nowMs }),
      ];
    }),
  ];
}

function writesOfSilos(store: Store, deviceNos: readonly number[], round: number): Promise<unknown>[] {
  const nowMs = NOW_MS + round;
  const orders = [deviceNos, deviceNos.toReversed()];
  const weight = round % 2 ? 1_500_000 : 5_000_000;
  const guard = { keyId: 'key', key: `${round}`, fingerprint: '', nowMs, sealed: null };
  return [
    ...orders.map((order) =>
      store.telemetry.append(
        batchOf({
          readings: order.map((deviceNo) => reading(deviceNo, nowMs, { weight })),
          seen: order.map((deviceNo) => ({ deviceNo, atMs: nowMs })),
        }),
      ),
    ),
    ...orders.map((order) => store.alerts.evaluate({ deviceNos: order, nowMs })),
    store.alerts.evaluateDue({ nowMs, limit: 100 }),
    store.operations.tick({ nowMs, limit: 100 }),
    ...deviceNos.flatMap((deviceNo) => {
      const operationId = `op_${deviceNo}_${round}`;
      const start = { deviceNo, operationId, type: 'feed', request: { amount: 1 }, nowMs } as const;
      const progress = { operation_id: operationId, state: 'completed', amount_kg: 1, ts: nowMs } as const;
      return [
        store.guarded(guard).operations.start(start),
        store.operations.progressed({ deviceNo, progress, nowMs }),
        store.operations.stop({ deviceNo, operationId, nowMs }),
        store.configuration.change(deviceNo, { thresholds: { low_level: 20 + (round % 5) } }, nowMs),
        store.devices.recordState(deviceNo, 'online', nowMs),
      ];
    }),
  ];
}

describePostgres('writes of every kind at once', (engine) => {
  it('never wait for each other in a circle', async () => {
    const stores = [await engine.open(), await engine.open()];
    const [store] = stores;
    assert(store !== undefined);
    const silos = [await readySilo(store), await readySilo(store), await readySilo(store)];
    const rovers = [await readyFieldDevice(store), await readyFieldDevice(store)];
    for (let round = 1; round <= ROUNDS; round++) {
      const writes = stores.flatMap((each) => writesOf(each, silos, rovers, round));
      for (const outcome of await Promise.allSettled(writes)) {
        if (outcome.status === 'fulfilled') continue;
        assert(outcome.reason instanceof Refusal, outcome.reason);
        assert.notEqual(outcome.reason.code, 'storage_unavailable');
      }
    }
    // What a connection has counted is known at the latest when it ends.
    for (const each of stores) await each.close();
    const [counted] = await engine.query(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    assert.deepEqual(counted, [0]);
  });
});
