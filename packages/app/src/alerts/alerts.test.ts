import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { AlertFilter } from '@granary/contract/alerts';
import { inEnglish } from '@granary/contract/sentences/english';
import { HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { FRESHNESS_MS, NEVER_SEEN } from '@granary/core/devices/status';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  batchOf,
  eventsOfDevice,
  isRefusal,
  NOW_MS,
  reading,
  readySilo,
  registerDevice,
  SILO_CAPACITY_KG,
  weigh,
} from '@granary/testing/app/fixtures';
import type { NamedValues } from '@granary/testing/core/readings';
import type { App } from '../app.ts';

const OFF_DELAY_MS = 5 * SECOND_MS;
const OFFLINE_ALARM_MS = FRESHNESS_MS + NEVER_SEEN.offlineDelayMs + 1;

describeEachEngine('alerts', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  const list = (
    deviceNo: number,
    filter: AlertFilter = 'open',
    beforeAlertId: string | null = null,
    limit = 10,
  ) => app.alerts.list({ deviceNo, filter, beforeAlertId, limit });

  const told = async (deviceNo: number): Promise<unknown[]> =>
    (await eventsOfDevice(app, deviceNo))
      .filter(({ type }) => type.startsWith('alert.') || type === 'device.status_changed')
      .map(({ type, data }) => `${type} ${data['status']}`);

  const evaluate = async (deviceNo: number, nowMs: number) =>
    (await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs })).changes;

  const evaluateDue = async (nowMs: number) =>
    (await app.alerts.evaluateDue({ nowMs, limit: 1_000 })).devices;

  /** A silo that has sunk to 15 %, which is below its low level. */
  async function lowSilo(): Promise<{ deviceNo: number; alertId: string }> {
    const deviceNo = await readySilo(app);
    assert.deepEqual(await weigh(app, deviceNo, 1_500, NOW_MS + 1), [deviceNo]);
    assert.equal(await evaluate(deviceNo, NOW_MS + 1), 1);
    const [alert] = await list(deviceNo);
    assert(alert !== undefined);
    assert.deepEqual([alert.type, alert.status, alert.currentValue], ['low_level', 'active', 15]);
    return { deviceNo, alertId: alert.alertId };
  }

  async function recover(deviceNo: number): Promise<void> {
    await weigh(app, deviceNo, 5_000, NOW_MS + 2);
    await evaluate(deviceNo, NOW_MS + 2);
    await evaluate(deviceNo, NOW_MS + 2 + OFF_DELAY_MS);
  }

  it('are raised once, however often and from however many sides silos are evaluated', async () => {
    const deviceNos = [await readySilo(app), await readySilo(app), await readySilo(app)];
    for (const deviceNo of deviceNos) await weigh(app, deviceNo, 1_500, NOW_MS + 1);
    const counts = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (n % 2 ? app : other).alerts.evaluate({
          deviceNos: n % 3 ? deviceNos : deviceNos.toReversed(),
          nowMs: NOW_MS + 1,
        }),
      ),
    );
    assert.equal(
      counts.reduce((sum, { changes }) => sum + changes, 0),
      3,
    );
    for (const deviceNo of deviceNos) {
      assert.equal((await list(deviceNo, 'all')).length, 1);
      assert.deepEqual(await told(deviceNo), ['device.status_changed online', 'alert.raised active']);
    }
  });

  it('are open only once for a device and type, as far as the database is concerned', async () => {
    const { deviceNo } = await lowSilo();
    const values = `'al_second', ${deviceNo}, 'low_level', '', 'warning', 'active', '{}'`;
    await assert.rejects(
      engine.query(
        `INSERT INTO alerts (alert_id, device_no, type, rule, severity, status, body) VALUES (${values})`,
      ),
      /unique/i,
    );
  });

  it('clear after a while, and resolve when acknowledged; the next one is new', async () => {
    const { deviceNo, alertId } = await lowSilo();
    await recover(deviceNo);
    assert.equal((await app.alerts.find(deviceNo, alertId))?.status, 'cleared');
    const by = { acknowledged_by: 'Ana', note: 'refilled' };
    const acknowledge = () => app.alerts.acknowledge({ deviceNo, alertId, by, nowMs: NOW_MS + MINUTE_MS });
    const [first, second] = [await acknowledge(), await acknowledge()];
    assert.deepEqual([first?.status, first?.acknowledgedBy, first?.note], ['resolved', 'Ana', 'refilled']);
    assert.deepEqual(second, first);
    assert.deepEqual(await list(deviceNo, 'resolved'), [first]);
    assert(!(await list(deviceNo, 'open')).some((alert) => alert.alertId === alertId));
    assert.deepEqual((await told(deviceNo)).slice(1, 4), [
      'alert.raised active',
      'alert.status_changed cleared',
      'alert.status_changed resolved',
    ]);
    await weigh(app, deviceNo, 1_500, NOW_MS + MINUTE_MS);
    await evaluate(deviceNo, NOW_MS + MINUTE_MS);
    assert.equal((await list(deviceNo, 'all')).filter(({ type }) => type === 'low_level').length, 2);
  });

  it('are shelved for a time, and nothing is logged of what is refused or unknown', async () => {
    const { deviceNo, alertId } = await lowSilo();
    const shelve = (untilMs: number, of = alertId) =>
      app.alerts.shelve({
        deviceNo,
        alertId: of,
        nowMs: NOW_MS + 1,
        shelving: { until: toIso(untilMs), reason: 'cleaning' },
      });
    const before = await told(deviceNo);
    await assert.rejects(shelve(NOW_MS), isRefusal('invalid_input'));
    assert.equal(await shelve(NOW_MS + MINUTE_MS, 'al_unknown'), undefined);
    assert.deepEqual(await told(deviceNo), before);
    assert.equal((await shelve(NOW_MS + SECOND_MS))?.shelveReason, 'cleaning');
    const shownBy = async (filter: AlertFilter) => (await list(deviceNo, filter)).length;
    for (const filter of ['open', 'active', 'acknowledged', 'cleared', 'resolved'] as const) {
      assert.equal(await shownBy(filter), 0, filter);
    }
    for (const filter of ['shelved', 'all'] as const) assert.equal(await shownBy(filter), 1, filter);
    await evaluateDue(NOW_MS + SECOND_MS);
    assert.equal((await app.alerts.find(deviceNo, alertId))?.shelvedUntilMs, null);
    assert.deepEqual([await shownBy('open'), await shownBy('shelved')], [1, 0]);
    await shelve(NOW_MS + MINUTE_MS);
    const unshelve = () => app.alerts.unshelve({ deviceNo, alertId, nowMs: NOW_MS + 2 * SECOND_MS });
    const unshelved = await unshelve();
    assert.deepEqual([unshelved?.shelvedUntilMs, unshelved?.shelveReason], [null, null]);
    assert.deepEqual(await unshelve(), unshelved);
    assert.equal(await shownBy('open'), 1);
    assert.deepEqual((await told(deviceNo)).slice(before.length), [
      'alert.shelved active',
      'alert.unshelved active',
      'alert.shelved active',
      'alert.unshelved active',
    ]);
  });

  it('are of one device only', async () => {
    const { alertId } = await lowSilo();
    const strangerNo = await readySilo(app);
    const by = { acknowledged_by: 'Ana' };
    assert.equal(await app.alerts.find(strangerNo, alertId), undefined);
    const acknowledged = await app.alerts.acknowledge({ deviceNo: strangerNo, alertId, by, nowMs: NOW_MS });
    assert.equal(acknowledged, undefined);
  });

  it('follow when the thresholds change', async () => {
    const deviceNo = await readySilo(app);
    await app.configuration.change(deviceNo, { thresholds: { low_level: 60 } }, NOW_MS + 1);
    assert.deepEqual(
      (await list(deviceNo)).map(({ type }) => type),
      ['low_level'],
    );
    const types = (await eventsOfDevice(app, deviceNo)).map(({ type }) => type);
    assert.deepEqual(types.slice(-2), ['configuration.changed', 'alert.raised']);
  });

  it('tell of silence when its delay is over, and of the end of it', async () => {
    const deviceNo = await readySilo(app);
    await evaluateDue(NOW_MS + FRESHNESS_MS);
    assert.deepEqual((await told(deviceNo)).slice(1), []);
    await evaluateDue(NOW_MS + FRESHNESS_MS + 1);
    assert.deepEqual((await told(deviceNo)).slice(1), ['device.status_changed offline']);
    await evaluateDue(NOW_MS + OFFLINE_ALARM_MS - 1);
    assert.deepEqual(await list(deviceNo), []);
    const alarmMs = NOW_MS + OFFLINE_ALARM_MS;
    assert.notEqual(await evaluateDue(alarmMs), 0);
    assert.equal(await evaluateDue(alarmMs), 0);
    assert.deepEqual(
      (await list(deviceNo)).map(({ type }) => type),
      ['device_offline'],
    );
    assert.deepEqual(await weigh(app, deviceNo, 5_000, alarmMs + 1), [deviceNo]);
    // Nobody evaluates the devices of the batch at once, but the time of their evaluation has come.
    await evaluateDue(alarmMs + 1);
    assert.deepEqual((await told(deviceNo)).slice(2), [
      'alert.raised active',
      'device.status_changed online',
    ]);
  });

  it('blame no device for what the service did not notice', async () => {
    const deviceNo = await readySilo(app);
    const hadAlarm = await readySilo(app);
    await evaluateDue(NOW_MS + OFFLINE_ALARM_MS);
    await weigh(app, deviceNo, 5_000, NOW_MS + OFFLINE_ALARM_MS + 1);
    await evaluateDue(NOW_MS + OFFLINE_ALARM_MS + 1);
    await evaluateDue(NOW_MS + OFFLINE_ALARM_MS + OFF_DELAY_MS + 1);
    const before = await told(deviceNo);
    const [alarm] = await list(hadAlarm);
    const startMs = NOW_MS + 60 * MINUTE_MS;
    await app.alerts.beginObservation(startMs);
    for (const sinceMs of [0, SECOND_MS, FRESHNESS_MS]) {
      await evaluate(deviceNo, startMs + sinceMs);
      await evaluate(hadAlarm, startMs + sinceMs);
    }
    assert.deepEqual(await told(deviceNo), before);
    assert.deepEqual(await list(hadAlarm), [alarm]);
    await evaluateDue(startMs + FRESHNESS_MS + 1);
    await evaluateDue(startMs + OFFLINE_ALARM_MS);
    assert.deepEqual((await told(deviceNo)).slice(before.length), [
      'device.status_changed offline',
      'alert.status_changed active',
    ]);
    await app.alerts.beginObservation(0);
  });

  it('show what is the case while they are open', async () => {
    const { deviceNo, alertId } = await lowSilo();
    const shown = async () => {
      const alert = await app.alerts.find(deviceNo, alertId);
      return [alert?.currentValue, alert && inEnglish(alert.message)];
    };
    await evaluate(deviceNo, NOW_MS + 2 * SECOND_MS);
    assert.deepEqual(await weigh(app, deviceNo, 1_590, NOW_MS + 3 * SECOND_MS), []);
    assert.deepEqual(await weigh(app, deviceNo, 1_400, NOW_MS + 4 * SECOND_MS), [deviceNo]);
    const before = await told(deviceNo);
    await evaluate(deviceNo, NOW_MS + 4 * SECOND_MS);
    assert.deepEqual(await shown(), [14, 'Level is 14.0 %, at or below the limit of 20 %']);
    await app.configuration.change(deviceNo, { thresholds: { low_level: 30 } }, NOW_MS + 5 * SECOND_MS);
    assert.deepEqual(await shown(), [14, 'Level is 14.0 %, at or below the limit of 30 %']);
    assert.deepEqual(await told(deviceNo), before);
  });

  it('of sensors are about those that are silent or wrong now', async () => {
    const deviceNo = await registerDevice(app, { capacityKg: SILO_CAPACITY_KG });
    const send = async (values: NamedValues, atMs: number) => {
      const readings = [reading(deviceNo, atMs, values)];
      const batch = batchOf({ readings, seen: [{ deviceNo, atMs }] });
      await app.telemetry.append(batch);
      await evaluateDue(atMs);
    };
    const texts = async () => (await list(deviceNo)).map(({ type, cause }) => `${type} ${cause}`);
    await send({ weight: 5_000_000, temperature: 20_000, humidity: 40_000 }, NOW_MS);
    const silentMs = NOW_MS + FRESHNESS_MS + 1;
    await send({ humidity: 40_000 }, NOW_MS + FRESHNESS_MS);
    await send({ humidity: 40_000 }, silentMs);
    assert.deepEqual(await texts(), ['sensor_stale weight,temperature']);
    await send({ weight: 5_000_000, humidity: 400_000 }, silentMs + 1);
    assert.deepEqual(await texts(), ['sensor_fault humidity', 'sensor_stale temperature']);
    const [, stale] = await list(deviceNo);
    assert.doesNotMatch(stale === undefined ? '' : inEnglish(stale.message), /weight/);
    await send({ weight: 5_000_000, temperature: 20_000, humidity: 40_000 }, silentMs + 2);
    await evaluateDue(silentMs + 2 + OFF_DELAY_MS);
    assert.deepEqual(
      (await list(deviceNo)).map(({ status }) => status),
      ['cleared', 'cleared'],
    );
    assert.deepEqual((await told(deviceNo)).slice(1), [
      'alert.raised active',
      'alert.updated active',
      'alert.raised active',
      'alert.status_changed cleared',
      'alert.status_changed cleared',
    ]);
  });

  it('are raised by a reading that was stored shortly before the service was down for long', async () => {
    const statuses = async (deviceNo: number) =>
      (await list(deviceNo)).map(({ type, status }) => `${type} ${status}`);
    const upAgainMs = NOW_MS + 10 * MINUTE_MS;
    const atOnce = await readySilo(app);
    await weigh(app, atOnce, 1_500, NOW_MS + 1);
    const delayed = await readySilo(app);
    await app.configuration.change(delayed, { alarms: { on_delay_s: 2 } }, NOW_MS);
    await weigh(app, delayed, 1_500, NOW_MS + 1);
    await evaluate(delayed, NOW_MS + 1);

    await app.alerts.beginObservation(upAgainMs);
    for (let round = 0; round < 5; round++) await evaluateDue(upAgainMs + round);
    assert.deepEqual(await statuses(atOnce), ['low_level active']);
    assert.deepEqual(await statuses(delayed), ['low_level active']);
    await evaluateDue(upAgainMs + FRESHNESS_MS);
    assert.deepEqual(await statuses(atOnce), ['low_level active']);
    await app.alerts.beginObservation(0);
  });

  it('are not raised by a reading that was already old when it came', async () => {
    const deviceNo = await registerDevice(app, { capacityKg: SILO_CAPACITY_KG });
    const readings = [reading(deviceNo, NOW_MS - HOUR_MS, { weight: 1_500_000 })];
    await app.telemetry.append(batchOf({ readings, seen: [{ deviceNo, atMs: NOW_MS }] }));
    await app.alerts.beginObservation(NOW_MS + MINUTE_MS);
    for (let round = 0; round < 5; round++) await evaluateDue(NOW_MS + MINUTE_MS + round);
    assert.deepEqual(await list(deviceNo), []);
    await app.alerts.beginObservation(0);
  });

  it('give the sensors of a device that was away time to report', async () => {
    const deviceNo = await readySilo(app);
    await evaluateDue(NOW_MS + FRESHNESS_MS + 1);
    const backMs = NOW_MS + 10 * MINUTE_MS;
    await app.telemetry.append(batchOf({ seen: [{ deviceNo, atMs: backMs }] }));
    await evaluateDue(backMs);
    const types = async () =>
      (await list(deviceNo)).filter(({ type }) => type.startsWith('sensor')).map(({ type }) => type);
    assert.deepEqual(await types(), []);
    const stillMs = backMs + FRESHNESS_MS + 1;
    await app.telemetry.append(batchOf({ seen: [{ deviceNo, atMs: stillMs }] }));
    await evaluateDue(stillMs);
    assert.deepEqual(await types(), ['sensor_stale']);
  });

  it('wait and clear as the device is configured', async () => {
    const deviceNo = await readySilo(app);
    const alarms = { dead_band: 10, on_delay_s: 2, off_delay_s: 60 };
    await app.configuration.change(deviceNo, { alarms }, NOW_MS);
    const statuses = async () => (await list(deviceNo)).map(({ type, status }) => `${type} ${status}`);
    await weigh(app, deviceNo, 1_500, NOW_MS + 1);
    await evaluateDue(NOW_MS + 1);
    assert.deepEqual(await statuses(), []);
    await evaluateDue(NOW_MS + 1 + 2 * SECOND_MS);
    assert.deepEqual(await statuses(), ['low_level active']);
    await weigh(app, deviceNo, 2_900, NOW_MS + 3 * SECOND_MS);
    await evaluate(deviceNo, NOW_MS + 3 * SECOND_MS);
    await evaluate(deviceNo, NOW_MS + 20 * SECOND_MS);
    assert.deepEqual(await statuses(), ['low_level active']);
    await weigh(app, deviceNo, 3_001, NOW_MS + 20 * SECOND_MS);
    for (const sinceMs of [20_000, 50_000, 79_999]) {
      await weigh(app, deviceNo, 3_001, NOW_MS + sinceMs);
      await evaluate(deviceNo, NOW_MS + sinceMs);
    }
    assert.deepEqual(await statuses(), ['low_level active']);
    await evaluate(deviceNo, NOW_MS + 80_000);
    assert.deepEqual(await statuses(), ['low_level cleared']);
  });

  it('hear of a link that ended and of maintenance with the next look', async () => {
    const deviceNo = await readySilo(app);
    await app.devices.recordLinkDown(deviceNo, NOW_MS + 1);
    await evaluateDue(NOW_MS + 1);
    await app.devices.recordState(deviceNo, 'maintenance', NOW_MS + 2);
    await evaluateDue(NOW_MS + 2);
    const changes = (await told(deviceNo)).filter((text) => String(text).startsWith('device.'));
    assert.deepEqual(changes.slice(1), [
      'device.status_changed offline',
      'device.status_changed maintenance',
    ]);
  });

  it('are looked at once more a second after it has changed which readings are quiet', async () => {
    const { deviceNo } = await lowSilo();
    const nextEvaluationAtMs = () =>
      engine.query(`SELECT next_evaluation_at_ms FROM alert_evaluations WHERE device_no = ${deviceNo}`);
    assert.deepEqual(await nextEvaluationAtMs(), [[NOW_MS + 1 + SECOND_MS]]);
    await evaluate(deviceNo, NOW_MS + 1 + SECOND_MS);
    assert.deepEqual(await nextEvaluationAtMs(), [[NOW_MS + 1 + FRESHNESS_MS + 1]]);
  });

  it('need no evaluation after readings that change nothing', async () => {
    const deviceNo = await readySilo(app);
    await evaluateDue(NOW_MS + SECOND_MS);
    assert.deepEqual(await weigh(app, deviceNo, 5_001, NOW_MS + SECOND_MS), []);
    assert.equal(await evaluateDue(NOW_MS + SECOND_MS), 0);
  });
});
