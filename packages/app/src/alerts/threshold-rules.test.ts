import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import { RULES_MAX, type ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import { PROFILES } from '@granary/contract/profiles/profiles';
import { inEnglish } from '@granary/contract/sentences/english';
import { CHANNELS } from '@granary/contract/telemetry/channels';
import { SECOND_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  batchOf,
  evaluatedAfter,
  eventsOfDevice,
  isRefusal,
  NOW_MS,
  readyFieldDevice,
  readySilo,
  SILO_CAPACITY_KG,
} from '@granary/testing/app/fixtures';
import { type NamedValues, readingsOf } from '@granary/testing/core/readings';
import type { App } from '../app.ts';

const WARM: ThresholdRule = { sensor_id: 'temperature', above: 30, severity: 'warning' };
const HOT: ThresholdRule = { sensor_id: 'temperature', above: 40, severity: 'critical' };

describeEachEngine('threshold rules', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const restart = async (): Promise<void> => {
    await app.close();
    app = await engine.open();
  };

  /** Stores one reading, and evaluates the device if the reading requires it. Returns whether it did. */
  const report = async (deviceNo: number, values: NamedValues, nowMs: number): Promise<boolean> => {
    const readings = readingsOf(deviceNo, nowMs, values);
    const toEvaluate = await evaluatedAfter(app, batchOf({ readings, seen: [{ deviceNo, atMs: nowMs }] }));
    await app.alerts.evaluate({ deviceNos: toEvaluate, nowMs });
    return toEvaluate.length > 0;
  };

  const celsius = (degrees: number): NamedValues => ({
    weight: SILO_CAPACITY_KG * 500,
    temperature: degrees * 1_000,
  });

  const siloWith = async (...rules: ThresholdRule[]): Promise<number> => {
    const deviceNo = await readySilo(app);
    await report(deviceNo, celsius(20), NOW_MS);
    await app.configuration.change(deviceNo, { rules }, NOW_MS);
    // This is the second evaluation, which follows soon after the ranges have changed.
    await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs: NOW_MS + SECOND_MS });
    return deviceNo;
  };

  const alertsOf = async (deviceNo: number) => {
    const page = { deviceNo, filter: 'all', beforeAlertId: null, limit: 100 } as const;
    return (await app.alerts.list(page)).toReversed();
  };

  const statuses = async (deviceNo: number) =>
    (await alertsOf(deviceNo)).map(({ rule, status }) => `${rule} ${status}`);

  it('raise one alert each, which change by themselves', async () => {
    const deviceNo = await siloWith(WARM, HOT);
    const at = (seconds: number) => NOW_MS + seconds * SECOND_MS;
    await report(deviceNo, celsius(41), at(2));
    assert.deepEqual(await statuses(deviceNo), [
      'temperature above warning active',
      'temperature above critical active',
    ]);
    await report(deviceNo, celsius(35), at(3));
    await app.alerts.evaluate({ deviceNos: [deviceNo], nowMs: at(9) });
    assert.deepEqual(await statuses(deviceNo), [
      'temperature above warning active',
      'temperature above critical cleared',
    ]);
    const [warm, hot] = await alertsOf(deviceNo);
    assert.equal(warm && inEnglish(warm.message), 'Temperature is 35 °C, at or above the limit of 30 °C');
    assert.equal(warm?.currentValue, 35);
    assert.equal(hot?.threshold, 40);
  });

  it('wait for their delays and dead band, also when the service restarts in between', async () => {
    const rule = { ...WARM, dead_band: 2, on_delay_s: 10, off_delay_s: 20, message: 'Hot grain' };
    const deviceNo = await siloWith(rule);
    const at = (seconds: number) => NOW_MS + seconds * SECOND_MS;
    await report(deviceNo, celsius(30), at(2));
    assert.deepEqual(await statuses(deviceNo), []);
    await restart();
    await report(deviceNo, celsius(31), at(11));
    assert.equal((await app.alerts.evaluateDue({ nowMs: at(11), limit: 1_000 })).changes, 0);
    assert.deepEqual(await statuses(deviceNo), []);
    assert.ok((await app.alerts.evaluateDue({ nowMs: at(12), limit: 1_000 })).changes >= 1);
    const [alert] = await alertsOf(deviceNo);
    assert.equal(alert?.status, 'active');
    assert.equal(
      alert && inEnglish(alert.message),
      'Hot grain: temperature is 31 °C, at or above the limit of 30 °C',
    );
    await report(deviceNo, celsius(28), at(13));
    await report(deviceNo, celsius(27.999), at(14));
    await restart();
    await report(deviceNo, celsius(27), at(33));
    await app.alerts.evaluateDue({ nowMs: at(33), limit: 1_000 });
    assert.deepEqual(await statuses(deviceNo), ['temperature above warning active']);
    await app.alerts.evaluateDue({ nowMs: at(34), limit: 1_000 });
    assert.deepEqual(await statuses(deviceNo), ['temperature above warning cleared']);
  });

  it('keep their alert when the threshold changes, and clear it when they are removed', async () => {
    const deviceNo = await siloWith(WARM);
    await report(deviceNo, celsius(35), NOW_MS + 2 * SECOND_MS);
    const [raised] = await alertsOf(deviceNo);
    await app.configuration.change(deviceNo, { rules: [{ ...WARM, above: 33 }] }, NOW_MS + 3 * SECOND_MS);
    const [changed] = await alertsOf(deviceNo);
    assert.deepEqual(
      [changed?.alertId, changed?.status, changed?.threshold],
      [raised?.alertId, 'active', 33],
    );
    const rules = [{ ...WARM, above: 33, message: 'Hot grain' }];
    await report(deviceNo, celsius(35.1), NOW_MS + 3 * SECOND_MS);
    await app.configuration.change(deviceNo, { rules }, NOW_MS + 4 * SECOND_MS);
    const [named] = await alertsOf(deviceNo);
    assert.equal(
      named && inEnglish(named.message),
      'Hot grain: temperature is 35.1 °C, at or above the limit of 33 °C',
    );
    await app.configuration.change(deviceNo, { rules: [] }, NOW_MS + 4 * SECOND_MS);
    assert.deepEqual(await statuses(deviceNo), ['temperature above warning cleared']);
    const events = (await eventsOfDevice(app, deviceNo)).map(({ type }) => type);
    assert.deepEqual(events.slice(-5), [
      'alert.raised',
      'configuration.changed',
      'configuration.changed',
      'configuration.changed',
      'alert.status_changed',
    ]);
  });

  it('see the level of a silo in percent and its weight in kilograms', async () => {
    const level: ThresholdRule = { sensor_id: 'level', below: 40, severity: 'info' };
    const weight: ThresholdRule = { sensor_id: 'weight', above: 6_000, severity: 'info' };
    const deviceNo = await siloWith(level, weight);
    const percent = (value: number) => ({ weight: (SILO_CAPACITY_KG * 1_000 * value) / 100 });
    assert.equal(await report(deviceNo, percent(59.9999), NOW_MS + 2 * SECOND_MS), false);
    assert.equal(await report(deviceNo, percent(60), NOW_MS + 3 * SECOND_MS), true);
    assert.equal(await report(deviceNo, percent(40), NOW_MS + 4 * SECOND_MS), true);
    const alerts = await alertsOf(deviceNo);
    assert.deepEqual(
      alerts.map(({ message, currentValue }) => [inEnglish(message), currentValue]),
      [
        ['Weight is 6000 kg, at or above the limit of 6000 kg', 6_000],
        ['Level is 40 %, at or below the limit of 40 %', 40],
      ],
    );
  });

  it('need no evaluation for readings that change nothing', async () => {
    const deviceNo = await siloWith({ ...WARM, dead_band: 1 }, HOT);
    let seconds = 2;
    const needsEvaluation = async (degrees: number) =>
      await report(deviceNo, celsius(degrees), NOW_MS + seconds++ * SECOND_MS);
    for (const degrees of [20, 25, 29.9, 15]) assert.equal(await needsEvaluation(degrees), false);
    assert.equal(await needsEvaluation(31), true);
    for (const degrees of [31.2, 30.5, 31.9, 30.1]) assert.equal(await needsEvaluation(degrees), false);
    assert.equal(await needsEvaluation(32), true);
    assert.equal(await needsEvaluation(28), true);
  });

  it('can be many, each with its own alert', async () => {
    const deviceNo = await readyFieldDevice(app);
    const { channels } = PROFILES.rover;
    const all = channels.flatMap((sensor_id) =>
      ALERT_SEVERITIES.flatMap((severity): ThresholdRule[] => [
        { sensor_id, severity, above: 20 },
        { sensor_id, severity, below: 80 },
      ]),
    );
    const rules = all.filter(({ sensor_id }) => sensor_id !== 'atmospheric_pressure').slice(0, RULES_MAX);
    assert.ok(rules.length >= 60);
    await app.configuration.change(deviceNo, { rules }, NOW_MS);
    const values = Object.fromEntries(channels.map((channel) => [channel, 50 * CHANNELS[channel].scale]));
    await report(deviceNo, { ...values, atmospheric_pressure: 1_000_000 }, NOW_MS + 2 * SECOND_MS);
    const open = (await statuses(deviceNo)).filter((text) => text.endsWith(' active'));
    assert.equal(new Set(open).size, rules.length);
  });

  it('that are bad are refused, and nothing is changed', async () => {
    const deviceNo = await siloWith(WARM);
    const before = await app.configuration.get(deviceNo);
    const bad: ThresholdRule[] = [HOT, { ...HOT, sensor_id: 'co2' }];
    await assert.rejects(
      app.configuration.change(deviceNo, { rules: bad }, NOW_MS),
      isRefusal('invalid_input'),
    );
    assert.deepEqual(await app.configuration.get(deviceNo), before);
  });

  it('do not hide each other when the alert of one cannot be read', async () => {
    const deviceNo = await siloWith(WARM, HOT);
    await report(deviceNo, celsius(35), NOW_MS + 2 * SECOND_MS);
    await engine.query(`UPDATE alerts SET body = '{}' WHERE device_no = ${deviceNo}`);
    await report(deviceNo, celsius(45), NOW_MS + 3 * SECOND_MS);
    assert.deepEqual(await statuses(deviceNo), ['temperature above critical active']);
  });
});
