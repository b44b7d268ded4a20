import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { DAY_MS, SECOND_MS } from '@granary/contract/time';
import type { Store } from './store.ts';
import { describeEachEngine } from './testing/engines.ts';
import { locate, NOW_MS, readyFieldDevice, readySilo, tickDue, weigh } from './testing/fixtures.ts';

const ALL = { beforeMs: NOW_MS + DAY_MS, rowsMax: 1_000 };

let lastId = 0;
const newId = (prefix: string): string => `${prefix}_kept_${++lastId}`;

describeEachEngine('finished operations, commands, missions and alerts', (engine) => {
  let store: Store;
  before(async () => {
    store = await engine.open();
  });

  const start = async (deviceNo: number, nowMs = NOW_MS): Promise<string> => {
    await weigh(store, deviceNo, 5_000, nowMs);
    const operationId = newId('op');
    const asked = { type: 'feed', request: { amount: 100 }, isReachable: true } as const;
    await store.operations.start({ deviceNo, operationId, nowMs, ...asked });
    return operationId;
  };

  /** An operation that ended, and was weighed afterwards. */
  const finish = async (
    deviceNo: number,
    state: 'completed' | 'failed' = 'completed',
    nowMs = NOW_MS,
  ): Promise<string> => {
    const operationId = await start(deviceNo, nowMs - 1);
    const progress = { operation_id: operationId, state, amount_kg: 100, ts: nowMs };
    await store.operations.progressed({ deviceNo, progress, nowMs });
    await weigh(store, deviceNo, 5_100, nowMs + SECOND_MS);
    await tickDue(store.operations, nowMs + SECOND_MS);
    return operationId;
  };

  const isThere = async (deviceNo: number, operationId: string): Promise<boolean> =>
    (await store.operations.find(deviceNo, operationId)) !== undefined;

  it('leave when they are old enough, the oldest first and a few at a time', async () => {
    const silos = [await readySilo(store), await readySilo(store), await readySilo(store)] as const;
    const ids = [
      await finish(silos[0], 'completed', NOW_MS + 2),
      await finish(silos[1], 'completed', NOW_MS + 1),
      await finish(silos[2], 'completed', NOW_MS + 3),
    ] as const;
    const kept = () => Promise.all(silos.map((deviceNo, n) => isThere(deviceNo, ids[n] ?? '')));
    assert.equal(await store.operations.expire({ beforeMs: NOW_MS + 1, rowsMax: 10 }), 0);
    assert.equal(await store.operations.expire({ beforeMs: NOW_MS + 3, rowsMax: 1 }), 1);
    assert.deepEqual(await kept(), [true, false, true]);
    assert.equal(await store.operations.expire({ beforeMs: NOW_MS + 3, rowsMax: 10 }), 1);
    assert.deepEqual(await kept(), [false, false, true]);
  });

  it('stay as long as they are open', async () => {
    const deviceNo = await readySilo(store);
    const operationId = await start(deviceNo);
    const fieldNo = await readyFieldDevice(store);
    const commandId = newId('cmd');
    const request = { command: 'emergency_stop' } as const;
    const stop = { deviceNo: fieldNo, commandId, request, isReachable: true };
    await store.commands.issue({ ...stop, nowMs: NOW_MS });
    const missionNo = await readyFieldDevice(store);
    const missionId = newId('ms');
    const mission = { mission_name: 'm', waypoints: [{ lat: 52, lng: 13, action: 'none' as const }] };
    const wanted = { deviceNo: missionNo, missionId, isReachable: true, nowMs: NOW_MS };
    await store.missions.create({ ...wanted, mission });
    for (const jobs of [store.operations, store.commands, store.missions]) await jobs.expire(ALL);
    assert.ok(await isThere(deviceNo, operationId));
    assert.notEqual(await store.commands.find(fieldNo, commandId), undefined);
    assert.notEqual(await store.missions.find(missionNo, missionId), undefined);

    await store.missions.control({ ...wanted, control: 'cancel' });
    const progress = { command_id: commandId, state: 'succeeded', ts: NOW_MS } as const;
    await store.commands.progressed({ deviceNo: fieldNo, progress, nowMs: NOW_MS });
    await locate(store, fieldNo, {}, NOW_MS + 1);
    await tickDue(store.field, NOW_MS + SECOND_MS);
    assert.equal(await store.commands.expire(ALL), 0, 'it is in force until it is released');
    const release = {
      ...stop,
      commandId: newId('cmd'),
      request: { command: 'release_emergency_stop' },
    } as const;
    await store.commands.issue({ ...release, nowMs: NOW_MS });
    assert.equal(await store.commands.expire(ALL), 1);
    assert.equal(await store.missions.expire(ALL), 1);
    assert.equal(await store.commands.find(fieldNo, commandId), undefined);
    assert.equal(await store.missions.find(missionNo, missionId), undefined);
  });

  it('stay while an open alert is about them', async () => {
    const deviceNo = await readySilo(store);
    const operationId = await finish(deviceNo, 'failed');
    const page = { deviceNo, filter: 'open', beforeAlertId: null, limit: 10 } as const;
    assert.deepEqual(
      (await store.alerts.list(page)).map(({ cause }) => cause),
      [operationId],
    );
    await store.operations.expire(ALL);
    assert.ok(await isThere(deviceNo, operationId));
    assert.equal(await store.alerts.expire(ALL), 0);

    await finish(deviceNo, 'completed', NOW_MS + DAY_MS / 2);
    const [alert] = await store.alerts.list(page);
    assert.equal(alert?.status, 'active');
    for (const afterMs of [0, 10 * SECOND_MS]) {
      await store.alerts.evaluate({ deviceNos: [deviceNo], nowMs: NOW_MS + DAY_MS / 2 + afterMs });
    }
    const by = { acknowledged_by: 'somebody' };
    await store.alerts.acknowledge({ deviceNo, alertId: alert.alertId, by, nowMs: NOW_MS + DAY_MS / 2 });
    await store.operations.expire(ALL);
    assert.equal(await isThere(deviceNo, operationId), false);
    assert.equal(await store.alerts.expire(ALL), 1);
    assert.equal(await store.alerts.find(deviceNo, alert.alertId), undefined);
  });
});
