import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { DAY_MS, SECOND_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  locate,
  NOW_MS,
  newId,
  readyFieldDevice,
  readySilo,
  tickDue,
  weigh,
} from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

const ALL = { beforeMs: NOW_MS + DAY_MS, rowsMax: 1_000 };

describeEachEngine('finished operations, commands, missions and alerts', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const start = async (deviceNo: number, nowMs = NOW_MS): Promise<string> => {
    await weigh(app, deviceNo, 5_000, nowMs);
    const operationId = newId('op');
    const startRequest = { type: 'feed', request: { amount: 100 }, isReachable: true } as const;
    await app.operations.start({ deviceNo, operationId, nowMs, ...startRequest });
    return operationId;
  };

  /** Creates an operation that ended and was weighed afterwards. */
  const finish = async (
    deviceNo: number,
    state: 'completed' | 'failed' = 'completed',
    nowMs = NOW_MS,
  ): Promise<string> => {
    const operationId = await start(deviceNo, nowMs - 1);
    const progress = { operation_id: operationId, state, amount_kg: 100, ts: nowMs };
    await app.operations.progressed({ deviceNo, progress, nowMs });
    await weigh(app, deviceNo, 5_100, nowMs + SECOND_MS);
    await tickDue(app, 'operations', nowMs + SECOND_MS);
    return operationId;
  };

  const isThere = async (deviceNo: number, operationId: string): Promise<boolean> =>
    (await app.operations.find(deviceNo, operationId)) !== undefined;

  it('are removed when they are old enough, the oldest first and a few at a time', async () => {
    const silos = [await readySilo(app), await readySilo(app), await readySilo(app)] as const;
    const ids = [
      await finish(silos[0], 'completed', NOW_MS + 2),
      await finish(silos[1], 'completed', NOW_MS + 1),
      await finish(silos[2], 'completed', NOW_MS + 3),
    ] as const;
    const kept = () => Promise.all(silos.map((deviceNo, n) => isThere(deviceNo, ids[n] ?? '')));
    assert.equal(await app.operations.expire({ beforeMs: NOW_MS + 1, rowsMax: 10 }), 0);
    assert.equal(await app.operations.expire({ beforeMs: NOW_MS + 3, rowsMax: 1 }), 1);
    assert.deepEqual(await kept(), [true, false, true]);
    assert.equal(await app.operations.expire({ beforeMs: NOW_MS + 3, rowsMax: 10 }), 1);
    assert.deepEqual(await kept(), [false, false, true]);
  });

  it('are kept as long as they are not finished', async () => {
    const deviceNo = await readySilo(app);
    const operationId = await start(deviceNo);
    const fieldNo = await readyFieldDevice(app);
    const commandId = newId('cmd');
    const request = { command: 'emergency_stop' } as const;
    const stop = { deviceNo: fieldNo, commandId, request, isReachable: true };
    await app.commands.issue({ ...stop, nowMs: NOW_MS });
    const missionNo = await readyFieldDevice(app);
    const missionId = newId('ms');
    const mission = { mission_name: 'm', waypoints: [{ lat: 52, lng: 13, action: 'none' as const }] };
    const creation = { deviceNo: missionNo, missionId, isReachable: true, nowMs: NOW_MS };
    await app.missions.create({ ...creation, mission });
    for (const jobs of [app.operations, app.commands, app.missions]) await jobs.expire(ALL);
    assert.ok(await isThere(deviceNo, operationId));
    assert.notEqual(await app.commands.find(fieldNo, commandId), undefined);
    assert.notEqual(await app.missions.find(missionNo, missionId), undefined);

    await app.missions.control({ ...creation, control: 'cancel' });
    const progress = { command_id: commandId, state: 'succeeded', ts: NOW_MS } as const;
    await app.commands.progressed({ deviceNo: fieldNo, progress, nowMs: NOW_MS });
    await locate(app, fieldNo, {}, NOW_MS + 1);
    await tickDue(app, 'field', NOW_MS + SECOND_MS);
    assert.equal(await app.commands.expire(ALL), 0, 'it is in force until it is released');
    const release = {
      ...stop,
      commandId: newId('cmd'),
      request: { command: 'release_emergency_stop' },
    } as const;
    await app.commands.issue({ ...release, nowMs: NOW_MS });
    assert.equal(await app.commands.expire(ALL), 1);
    assert.equal(await app.missions.expire(ALL), 1);
    assert.equal(await app.commands.find(fieldNo, commandId), undefined);
    assert.equal(await app.missions.find(missionNo, missionId), undefined);
  });

  it('are kept while an open alert is about them', async () => {
    const deviceNo = await readySilo(app);
    const operationId = await finish(deviceNo, 'failed');
    const page = { deviceNo, filter: 'open', beforeAlertId: null, limit: 10 } as const;
    assert.deepEqual(
      (await app.alerts.list(page)).map(({ cause }) => cause),
      [operationId],
    );
    await app.operations.expire(ALL);
    assert.ok(await isThere(deviceNo, operationId));
    await app.alerts.expire(ALL);
    assert.equal((await app.alerts.list(page)).length, 1);

    await finish(deviceNo, 'completed', NOW_MS + DAY_MS / 2);
    const [alert] = await app.alerts.list(page);
    assert.equal(alert?.status, 'active');
    for (const afterMs of [0, 10 * SECOND_MS]) {
      await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs: NOW_MS + DAY_MS / 2 + afterMs });
    }
    const by = { acknowledged_by: 'Ada' };
    await app.alerts.acknowledge({ deviceNo, alertId: alert.alertId, by, nowMs: NOW_MS + DAY_MS / 2 });
    await app.operations.expire(ALL);
    assert.equal(await isThere(deviceNo, operationId), false);
    await app.alerts.expire(ALL);
    assert.equal(await app.alerts.find(deviceNo, alert.alertId), undefined);
  });
});
