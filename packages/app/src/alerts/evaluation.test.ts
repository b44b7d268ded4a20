import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { MINUTE_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import { eventsOfDevice, NOW_MS, readySilo, weigh } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

describeEachEngine('an evaluation of several devices', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const silos = async (count: number): Promise<number[]> => {
    const deviceNos: number[] = [];
    for (let n = 0; n < count; n++) deviceNos.push(await readySilo(app));
    return deviceNos;
  };

  const sink = async (deviceNos: readonly number[], nowMs: number) => {
    for (const deviceNo of deviceNos) await weigh(app, deviceNo, 1_500, nowMs);
    return await app.alerts.evaluateDue({ nowMs, limit: 1_000 });
  };

  const openTypes = async (deviceNo: number) => {
    const page = { deviceNo, filter: 'open', beforeAlertId: null, limit: 10 } as const;
    return (await app.alerts.list(page)).map(({ type }) => type);
  };

  const configure = (deviceNo: number, body: string) =>
    engine.query(`UPDATE configurations SET body = '${body}' WHERE device_no = ${deviceNo}`);

  it('sets aside those whose configuration is damaged, and evaluates the others', async () => {
    const [broken = 0, empty = 0, wrong = 0, ...healthy] = await silos(5);
    await configure(broken, '{"thresholds":');
    await configure(empty, '{}');
    const maintenance = `{"next_scheduled":"2026-09-01T00:00:00Z","interval_hours":1}`;
    await configure(wrong, `{"thresholds":{"low_level":"x"},"maintenance":${maintenance}}`);
    const { setAside } = await sink([broken, empty, wrong, ...healthy], NOW_MS + 1);
    assert.equal(setAside.length, 3);
    for (const deviceNo of [broken, empty, wrong]) assert.deepEqual(await openTypes(deviceNo), []);
    for (const deviceNo of healthy) assert.deepEqual(await openTypes(deviceNo), ['low_level']);
    const again = await app.alerts.evaluateDue({ nowMs: NOW_MS + 2, limit: 1_000 });
    assert.deepEqual(again.setAside, []);
    await weigh(app, wrong, 1_500, NOW_MS + 1 + MINUTE_MS);
    const later = await app.alerts.evaluateDue({ nowMs: NOW_MS + 1 + MINUTE_MS, limit: 1_000 });
    assert.equal(later.setAside.length, 3);
  });

  it('sets aside those whose declared sensors are damaged, and evaluates the others', async () => {
    const documents = [
      '{"sensors":',
      '{}',
      '{"v":99,"sensors":[]}',
      '{"sensors":[null]}',
      '{"sensors":[{}]}',
    ];
    const [healthy = 0, ...damaged] = await silos(documents.length + 1);
    for (const [index, deviceNo] of damaged.entries()) {
      await engine.query(`UPDATE devices SET sensors = '${documents[index]}' WHERE device_no = ${deviceNo}`);
    }
    const { setAside } = await sink([...damaged, healthy], NOW_MS + 1);
    const kinds = setAside.map(({ kind }) => kind).filter((kind) => kind === 'sensors');
    assert.equal(kinds.length, documents.length);
    for (const deviceNo of damaged) assert.deepEqual(await openTypes(deviceNo), []);
    assert.deepEqual(await openTypes(healthy), ['low_level']);
    await engine.query(`UPDATE devices SET sensors = NULL WHERE device_no IN (${damaged.join(', ')})`);
    await app.alerts.evaluateDue({ nowMs: NOW_MS + 2 * MINUTE_MS, limit: 1_000 });
  });

  it('sets aside an alert that cannot be read, and raises no second one of its type', async () => {
    const [damaged = 0, healthy = 0] = await silos(2);
    await sink([damaged, healthy], NOW_MS + 1);
    for (const body of ['{"status":', '{}', 'null']) {
      await engine.query(
        `UPDATE alerts SET body = '${body}' WHERE device_no = ${damaged} AND type = 'low_level'`,
      );
      await weigh(app, damaged, 500, NOW_MS + 2);
      await weigh(app, healthy, 500, NOW_MS + 2);
      const both = { deviceNos: [damaged, healthy], nowMs: NOW_MS + 2 };
      const { setAside } = await app.alerts.evaluate(both);
      assert.deepEqual(
        setAside.map(({ kind }) => kind),
        ['alert'],
        body,
      );
      assert.deepEqual(await openTypes(damaged), ['critical_level']);
      assert.deepEqual(await openTypes(healthy), ['critical_level', 'low_level']);
    }
  });

  it('sets aside an operation that cannot be read, and evaluates its silo all the same', async () => {
    const [deviceNo = 0] = await silos(1);
    const operationId = `op_unread_${engine.name}`;
    const request = { amount: 10 };
    const start = { deviceNo, operationId, type: 'feed', request, isReachable: true, nowMs: NOW_MS } as const;
    await app.operations.start(start);
    await engine.query(`UPDATE operations SET body = '[]' WHERE operation_id = '${operationId}'`);
    const { setAside } = await sink([deviceNo], NOW_MS + 1);
    assert.deepEqual(
      setAside.filter(({ id }) => id === operationId).map(({ kind }) => kind),
      ['operation'],
    );
    assert.deepEqual(await openTypes(deviceNo), ['low_level']);
  });

  it('tells the event log of a device that is back although another one is damaged', async () => {
    const [broken = 0, healthy = 0] = await silos(2);
    await configure(broken, 'no');
    await app.devices.recordState(broken, 'maintenance', NOW_MS + 3);
    await app.devices.recordState(healthy, 'maintenance', NOW_MS + 3);
    await app.alerts.evaluateDue({ nowMs: NOW_MS + 3, limit: 1_000 });
    const last = (await eventsOfDevice(app, healthy)).at(-1);
    assert.deepEqual([last?.type, last?.data['status']], ['device.status_changed', 'maintenance']);
  });
});
