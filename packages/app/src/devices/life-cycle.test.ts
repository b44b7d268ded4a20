import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { MINUTE_MS, toIso } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  eventsOfDevice,
  isRefusal,
  missionAt,
  NOW_MS,
  newId,
  readyFieldDevice,
  readySilo,
  weigh,
} from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

const LATER_MS = NOW_MS + 10 * MINUTE_MS;

describeEachEngine('the life cycle of a device', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  const typesOf = async (deviceNo: number) => (await eventsOfDevice(app, deviceNo)).map(({ type }) => type);
  const alertsOf = async (deviceNo: number) =>
    (await app.alerts.list({ deviceNo, filter: 'all', beforeAlertId: null, limit: 100 })).map(
      ({ type, status, note }) => ({ type, status, note }),
    );
  const feed = (at: App, deviceNo: number, nowMs: number) =>
    at.operations.start({
      deviceNo,
      operationId: newId('op'),
      type: 'feed',
      request: { amount: 1 },
      isReachable: true,
      nowMs,
    });

  it('maintenance refuses starts, raises no alert about silence, and ends by itself', async () => {
    const deviceNo = await readySilo(app);
    const until = toIso(LATER_MS);
    const device = await app.devices.maintain(deviceNo, { on: true, reason: 'gate', until }, NOW_MS);
    assert.deepEqual(device.presence.maintenance, {
      sinceMs: NOW_MS,
      untilMs: LATER_MS,
      reason: 'gate',
      by: null,
    });
    await assert.rejects(feed(app, deviceNo, NOW_MS), isRefusal('device_in_maintenance'));
    await app.devices.recordLinkDown(deviceNo, NOW_MS + 1);
    await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs: LATER_MS - 1 });
    assert.deepEqual(await alertsOf(deviceNo), []);
    await app.alerts.evaluateDue({ nowMs: LATER_MS + MINUTE_MS, limit: 1_000 });
    await app.alerts.evaluateDue({ nowMs: LATER_MS + 2 * MINUTE_MS, limit: 1_000 });
    assert.deepEqual(
      (await alertsOf(deviceNo)).map(({ type }) => type),
      ['device_offline'],
    );
    const statuses = (await eventsOfDevice(app, deviceNo))
      .filter(({ type }) => type === 'device.status_changed')
      .map(({ data }) => data['status']);
    assert.deepEqual(statuses, ['online', 'maintenance', 'offline']);
  });

  it('maintenance is ended by a person, and asked for twice changes nothing', async () => {
    const deviceNo = await readySilo(app);
    await app.devices.maintain(deviceNo, { on: true, reason: 'gate' }, NOW_MS);
    await app.devices.maintain(deviceNo, { on: false }, NOW_MS + 1);
    await app.devices.maintain(deviceNo, { on: false }, NOW_MS + 2);
    assert.deepEqual((await typesOf(deviceNo)).slice(-4), [
      'device.maintenance_changed',
      'device.status_changed',
      'device.maintenance_changed',
      'device.status_changed',
    ]);
    assert.equal((await feed(app, deviceNo, NOW_MS + 3)).operation.status, 'started');
  });

  it('a removed device has no open alerts, is not listed, and is not evaluated any more', async () => {
    const deviceNo = await readySilo(app);
    await weigh(app, deviceNo, 100, NOW_MS + 1);
    await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs: NOW_MS + 1 });
    const open = (await alertsOf(deviceNo)).length;
    assert.ok(open > 0);
    const { deviceId, removedAtMs } = await app.devices.remove(deviceNo, NOW_MS + 1);
    assert.equal(removedAtMs, NOW_MS + 1);
    for (const { status, note } of await alertsOf(deviceNo)) {
      assert.deepEqual([status, note], ['resolved', 'the device was removed']);
    }
    assert.equal((await typesOf(deviceNo)).length, 0);
    const events = await app.events.after({ sequence: 0, limit: 1_000_000 });
    const own = events.filter((event) => event.deviceId === deviceId).map(({ type }) => type);
    assert.deepEqual(own.slice(-open - 1), [...Array(open).fill('alert.status_changed'), 'device.removed']);
    // A batch that was under way during the removal is stored, but schedules no evaluation.
    await weigh(app, deviceNo, 50, NOW_MS + 2);
    await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs: NOW_MS + 2 });
    await app.alerts.evaluateDue({ nowMs: LATER_MS, limit: 1_000 });
    assert.equal((await alertsOf(deviceNo)).length, open);
    const [[next]] = (await engine.query(
      `SELECT next_evaluation_at_ms FROM alert_evaluations WHERE device_no = ${deviceNo}`,
    )) as [[unknown]];
    assert.equal(next, null);
    const again = await app.devices.remove(deviceNo, LATER_MS);
    assert.equal(again.removedAtMs, NOW_MS + 1);
  });

  it('a busy device is not removed, and the refusal names what runs', async () => {
    const silo = await readySilo(app);
    await feed(app, silo, NOW_MS);
    await assert.rejects(
      app.devices.remove(silo, NOW_MS),
      (error) => isRefusal('device_busy')(error) && String(error).includes('Feed 1 kg (started)'),
    );
    const rover = await readyFieldDevice(app);
    const missionId = newId('ms');
    const mission = missionAt(LATER_MS);
    await app.missions.create({ deviceNo: rover, missionId, mission, isReachable: true, nowMs: NOW_MS });
    await assert.rejects(app.devices.remove(rover, NOW_MS), isRefusal('device_busy'));
    await app.missions.control({
      deviceNo: rover,
      missionId,
      control: 'cancel',
      isReachable: true,
      nowMs: NOW_MS,
    });
    const commandId = newId('cmd');
    const hold = { deviceNo: rover, commandId, request: { command: 'hold' }, isReachable: false } as const;
    await app.commands.issue({ ...hold, nowMs: NOW_MS });
    await assert.rejects(app.devices.remove(rover, NOW_MS), isRefusal('device_busy'));
  });

  it('of a start and a removal at the same time one is refused', async () => {
    for (let round = 0; round < 8; round++) {
      const deviceNo = await readySilo(app);
      const [start, removal] = await Promise.allSettled([
        feed(round % 2 ? app : other, deviceNo, NOW_MS),
        app.devices.remove(deviceNo, NOW_MS),
      ]);
      const refused = [start, removal].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      assert.equal(refused.length, 1, `${start.status} ${removal.status}`);
      assert.ok(isRefusal(start.status === 'rejected' ? 'device_removed' : 'device_busy')(refused[0]));
    }
  });

  it('a removed device refuses every decision about it', async () => {
    const deviceNo = await readyFieldDevice(app);
    await app.devices.remove(deviceNo, NOW_MS);
    const isRemoved = isRefusal('device_removed');
    const stop = { deviceNo, commandId: newId('cmd'), request: { command: 'emergency_stop' } } as const;
    await assert.rejects(app.commands.issue({ ...stop, isReachable: true, nowMs: NOW_MS }), isRemoved);
    await assert.rejects(app.devices.update(deviceNo, { name: 'x' }, NOW_MS), isRemoved);
    await assert.rejects(app.devices.maintain(deviceNo, { on: true, reason: 'x' }, NOW_MS), isRemoved);
  });

  it('a restored device is evaluated again, and of two restorations one is refused', async () => {
    const deviceNo = await readySilo(app);
    await app.devices.remove(deviceNo, NOW_MS);
    const outcomes = await Promise.allSettled([
      app.devices.restore(deviceNo, 'hash of one', LATER_MS),
      other.devices.restore(deviceNo, 'hash of another', LATER_MS),
    ]);
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    assert.equal(refused.length, 1);
    assert.ok(isRefusal('device_not_removed')(refused[0]));
    // The device needs its new secret first, so its silence counts from now on.
    assert.deepEqual(await alertsOf(deviceNo), []);
    await app.alerts.evaluateDue({ nowMs: LATER_MS + MINUTE_MS, limit: 1_000 });
    assert.deepEqual(await alertsOf(deviceNo), []);
    await app.alerts.evaluateDue({ nowMs: LATER_MS + MINUTE_MS + 1, limit: 1_000 });
    assert.partialDeepStrictEqual(await alertsOf(deviceNo), [{ type: 'device_offline', status: 'active' }]);
    const types = await typesOf(deviceNo);
    assert.deepEqual(types.slice(types.indexOf('device.removed')), [
      'device.removed',
      'device.restored',
      'device.status_changed',
      'alert.raised',
    ]);
    await weigh(app, deviceNo, 500, LATER_MS + 3 * MINUTE_MS);
    await feed(app, deviceNo, LATER_MS + 3 * MINUTE_MS);
  });

  it('a device whose purge was asked for is not restored', async () => {
    const deviceNo = await readySilo(app);
    await app.devices.remove(deviceNo, NOW_MS, true);
    await assert.rejects(app.devices.restore(deviceNo, 'hash', NOW_MS), isRefusal('device_removed'));
  });
});
