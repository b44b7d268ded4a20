import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { SensorDeclaration } from '@granary/contract/devices/sensors';
import { inEnglish } from '@granary/contract/sentences/english';
import { HOUR_MS, SECOND_MS } from '@granary/contract/time';
import { declareSensors } from '@granary/core/sensors/declare-sensors';
import {
  declaredSensors,
  NO_SENSORS,
  SENSORS_DOCUMENT,
  sensorsInUse,
} from '@granary/core/sensors/declared-sensors';
import type { Sensor } from '@granary/core/sensors/sensor';
import { acceptReading, isFault, type Reading } from '@granary/core/telemetry/readings';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  batchOf,
  eventsOfDevice,
  isRefusal,
  NOW_MS,
  newDevice,
  newFieldDevice,
  weigh,
} from '@granary/testing/app/fixtures';
import { effectsDuring } from '@granary/testing/app/recorded-effects';
import type { App } from '../app.ts';

const sensorNamed = (sensorId: string, fields: Partial<SensorDeclaration> = {}): SensorDeclaration => ({
  sensor_id: sensorId,
  type: 'temperature',
  unit: 'celsius',
  precision: 1,
  min: -40,
  max: 80,
  ...fields,
});

const documentOf = (...declarations: SensorDeclaration[]): string =>
  SENSORS_DOCUMENT.write(declareSensors(NO_SENSORS, declarations));

const WINDOW = { oldestMs: 0, newestMs: Number.MAX_SAFE_INTEGER };

describeEachEngine('declared sensors', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const register = async (...declarations: SensorDeclaration[]) =>
    await app.devices.register(newDevice({ sensorDocument: documentOf(...declarations) }));

  const declare = (deviceNo: number, ...sensors: SensorDeclaration[]) =>
    app.devices.update(deviceNo, { sensors }, NOW_MS);

  async function sensorsOfDevice(deviceId: string): Promise<readonly Sensor[]> {
    return sensorsInUse((await app.devices.find(deviceId))?.sensorDocument ?? null);
  }

  /** Stores values like a message of the device would. */
  async function send(deviceId: string, tsMs: number, sensors: Readonly<Record<string, number>>) {
    const device = await app.devices.find(deviceId);
    assert.ok(device !== undefined);
    const declared = new Map((await sensorsOfDevice(deviceId)).map((sensor) => [sensor.sensorId, sensor]));
    const accepted = acceptReading({ ...device, declared }, { ts: tsMs, sensors }, WINDOW);
    assert.ok(!isFault(accepted));
    const readings: Reading[] = accepted;
    const seen = [{ deviceNo: device.deviceNo, atMs: tsMs }];
    return await app.telemetry.append(batchOf({ readings, seen }));
  }

  async function hourOf(deviceId: string, sensorId: string) {
    const device = await app.devices.find(deviceId);
    const sensor = (await sensorsOfDevice(deviceId)).find((one) => one.sensorId === sensorId);
    assert.ok(device !== undefined && sensor !== undefined);
    const range = { interval: '1h', fromMs: NOW_MS, toMs: NOW_MS + HOUR_MS } as const;
    const found = await app.telemetry.history({ deviceNo: device.deviceNo, lane: sensor.lane, ...range });
    return found.map(({ sum, count, badCount }) => ({ sum, count, badCount }));
  }

  const latestOf = async (deviceId: string) => (await app.telemetry.current(deviceId))?.latest;

  it('have latest values and a history in several groups, good and bad values apart', async () => {
    const ids = Array.from({ length: 64 }, (_, index) => `cable-${index}`);
    const { deviceId } = await register(...ids.map((id) => sensorNamed(id)));
    const values = Object.fromEntries(ids.map((id, index) => [id, index]));
    await send(deviceId, NOW_MS, values);
    await send(deviceId, NOW_MS + 1, { 'cable-0': 81, 'cable-63': 7.5 });
    await send(deviceId, NOW_MS, values);
    assert.deepEqual(await hourOf(deviceId, 'cable-0'), [{ sum: 0, count: 1, badCount: 1 }]);
    assert.deepEqual(await hourOf(deviceId, 'cable-62'), [{ sum: 620, count: 1, badCount: 0 }]);
    assert.deepEqual(await hourOf(deviceId, 'cable-63'), [{ sum: 705, count: 2, badCount: 0 }]);
    const latest = await latestOf(deviceId);
    assert.equal(Object.keys(latest ?? {}).length, 64);
    assert.deepEqual(latest?.['cable-0'], { value: 810, tsMs: NOW_MS + 1, isBad: true });
    assert.deepEqual(latest?.['cable-62'], { value: 620, tsMs: NOW_MS });
  });

  it('do not mix with standard sensors of the same time, nor with those of other devices', async () => {
    const one = await register(sensorNamed('x'));
    const other = await register(sensorNamed('y'), sensorNamed('x'));
    await send(one.deviceId, NOW_MS, { x: 1 });
    await send(other.deviceId, NOW_MS, { y: 2, x: 3 });
    await weigh(app, one.deviceNo, 500, NOW_MS);
    const at = (value: number) => ({ value, tsMs: NOW_MS });
    assert.deepEqual(await latestOf(one.deviceId), { weight: at(500_000), x: at(10) });
    assert.deepEqual(await latestOf(other.deviceId), { y: at(20), x: at(30) });
  });

  it('are hidden when they are removed, and continue their history when they are declared again', async () => {
    const { deviceId, deviceNo } = await register(sensorNamed('kept'), sensorNamed('gone'));
    await send(deviceId, NOW_MS, { kept: 1, gone: 2 });
    await latestOf(deviceId);
    await declare(deviceNo, sensorNamed('kept'), sensorNamed('new'));
    assert.deepEqual(Object.keys((await latestOf(deviceId)) ?? {}), ['kept']);
    await send(deviceId, NOW_MS + 1, { kept: 1, new: 5 });
    assert.deepEqual(await hourOf(deviceId, 'new'), [{ sum: 50, count: 1, badCount: 0 }]);
    await declare(deviceNo, sensorNamed('gone', { max: 50 }));
    assert.deepEqual(await hourOf(deviceId, 'gone'), [{ sum: 20, count: 1, badCount: 0 }]);
    assert.deepEqual(await latestOf(deviceId), { gone: { value: 20, tsMs: NOW_MS } });
    await send(deviceId, NOW_MS + 2, { gone: 3 });
    assert.deepEqual(await hourOf(deviceId, 'gone'), [{ sum: 50, count: 2, badCount: 0 }]);
    const all = declaredSensors((await app.devices.find(deviceId))?.sensorDocument ?? null);
    const lanes = all.sensors.map(({ lane }) => `${lane.group}/${lane.slot}`);
    assert.equal(new Set(lanes).size, 3);
  });

  it('are known to the next read of current values, and to the next start', async () => {
    const { deviceId, deviceNo } = await app.devices.register(newFieldDevice());
    const shown = async (from: App) =>
      (await from.telemetry.current(deviceId))?.declared.map(({ sensorId }) => sensorId);
    assert.deepEqual(await shown(app), []);
    await declare(deviceNo, sensorNamed('first'));
    assert.deepEqual(await shown(app), ['first']);
    await declare(deviceNo, sensorNamed('second'), sensorNamed('first'));
    assert.deepEqual(await shown(app), ['second', 'first']);
    if (engine.name === 'postgres') assert.deepEqual(await shown(await engine.open()), ['second', 'first']);
  });

  it('log one event with the list when it changes, and nothing when it does not', async () => {
    const { deviceId, deviceNo } = await register(sensorNamed('one'));
    const { effects, result } = await effectsDuring(app, () =>
      declare(deviceNo, sensorNamed('two', { reporting_interval_s: 60 })),
    );
    assert.equal(result.deviceId, deviceId);
    assert.deepEqual(effects, [{ kind: 'device_updated', deviceId }, { kind: 'events_logged' }]);
    const same = await effectsDuring(app, () =>
      declare(deviceNo, sensorNamed('two', { reporting_interval_s: 60 })),
    );
    const nothing = await effectsDuring(app, () => app.devices.update(deviceNo, {}, NOW_MS));
    assert.deepEqual([same.effects, nothing.effects], [[], []]);
    const [, updated, ...more] = await eventsOfDevice(app, deviceNo);
    assert.deepEqual(more, []);
    assert.equal(updated?.type, 'device.updated');
    assert.deepEqual(JSON.parse(JSON.stringify(updated?.data)).sensors, [
      {
        type: 'temperature',
        sensor_id: 'two',
        unit: 'celsius',
        precision: 1,
        min: -40,
        max: 80,
        reporting_interval_s: 60,
      },
    ]);
  });

  it('are refused with nothing changed', async () => {
    const { deviceId, deviceNo, sensorDocument } = await register(sensorNamed('one'));
    for (const [code, sensors] of [
      ['sensor_conflict', [sensorNamed('new'), sensorNamed('one', { unit: 'kelvin' })]],
      ['sensor_conflict', [sensorNamed('level')]],
      ['invalid_input', [sensorNamed('new'), sensorNamed('new')]],
    ] as const) {
      await assert.rejects(declare(deviceNo, ...sensors), isRefusal(code));
    }
    assert.equal((await app.devices.find(deviceId))?.sensorDocument, sensorDocument);
    assert.equal((await eventsOfDevice(app, deviceNo)).length, 1);
    await assert.rejects(declare(1_000_000, sensorNamed('one')), isRefusal('device_not_found'));
  });

  it('of a registration that is repeated under its idempotency key are declared once', async () => {
    const device = newDevice({ sensorDocument: documentOf(sensorNamed('one')) });
    const key = { keyId: 'admin', key: 'declared', fingerprint: 'f', nowMs: NOW_MS, encryptedSecret: null };
    const first = await app.once(key).devices.register(device);
    await declare(first.result.deviceNo, sensorNamed('two'));
    const again = await app.once(key).devices.register(device);
    assert.deepEqual(again, { ...first, replayed: true, isAllSent: false });
    const ids = (await sensorsOfDevice(device.deviceId)).map(({ sensorId }) => sensorId);
    assert.deepEqual(ids, ['two'], 'a repetition does not undo what was declared since');
  });

  it('declared by two nodes at once never share a lane', async () => {
    const one = await engine.open();
    const other = engine.name === 'postgres' ? await engine.open() : one;
    const { deviceId, deviceNo } = await register();
    const attempts = Array.from({ length: 40 }, (_, n) =>
      (n % 2 === 0 ? one : other).devices.update(deviceNo, { sensors: [sensorNamed(`s${n}`)] }, NOW_MS),
    );
    await Promise.all(attempts);
    const { sensors } = declaredSensors((await app.devices.find(deviceId))?.sensorDocument ?? null);
    const lanes = new Set(sensors.map(({ lane }) => `${lane.group}/${lane.slot}`));
    assert.deepEqual([sensors.length, lanes.size], [40, 40]);
    assert.equal(sensors.filter(({ isRemoved }) => !isRemoved).length, 1);
  });

  it('raise sensor_fault and sensor_stale, which end when the sensor is removed', async () => {
    const { deviceId, deviceNo } = await register(sensorNamed('hot'), sensorNamed('silent'));
    const openAlerts = async (nowMs: number) => {
      await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs });
      const page = { deviceNo, filter: 'active', beforeAlertId: null, limit: 9 } as const;
      return (await app.alerts.list(page)).map(({ type, message }) => ({
        type,
        message: inEnglish(message),
      }));
    };
    await send(deviceId, NOW_MS, { hot: 20, silent: 20 });
    assert.deepEqual(await openAlerts(NOW_MS), []);
    const laterMs = NOW_MS + 31 * SECOND_MS;
    for (let tsMs = NOW_MS; tsMs <= laterMs; tsMs += SECOND_MS) await send(deviceId, tsMs, { hot: 81 });
    const alerts = await openAlerts(laterMs);
    assert.deepEqual(alerts.map(({ type }) => type).toSorted(), ['sensor_fault', 'sensor_stale']);
    assert.match(
      JSON.stringify(alerts),
      /Hot reads 81 °C, which cannot be true: it is outside -40 °C to 80 °C/,
    );
    assert.match(JSON.stringify(alerts), /No silent since/);
    await app.devices.update(deviceNo, { sensors: [] }, laterMs);
    assert.deepEqual(await openAlerts(laterMs + 10 * SECOND_MS), []);
  });

  it('become stale by their own interval, without a message that says so', async () => {
    const { deviceId, deviceNo } = await register(sensorNamed('slow', { reporting_interval_s: 60 }));
    await send(deviceId, NOW_MS, { slow: 20 });
    const openAt = async (seconds: number) => {
      const nowMs = NOW_MS + seconds * SECOND_MS;
      await weigh(app, deviceNo, 5_000, nowMs);
      await app.alerts.evaluateDue({ nowMs, limit: 1_000 });
      const page = { deviceNo, filter: 'active', beforeAlertId: null, limit: 9 } as const;
      return (await app.alerts.list(page)).map(({ type, threshold }) => ({ type, threshold }));
    };
    for (let seconds = 0; seconds <= 180; seconds += 10) assert.deepEqual(await openAt(seconds), []);
    assert.deepEqual(await openAt(181), [{ type: 'sensor_stale', threshold: 180 }]);
  });
});
