import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { AlertFilter } from '@granary/contract/alerts';
import { MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { DEFAULT_DELAYS } from '@granary/core/alerts';
import { FRESHNESS_MS } from '@granary/core/devices';
import type { Store } from './store.ts';
import { describeEachEngine } from './testing/engines.ts';
import { eventsOfDevice, isRefusal, NOW_MS, readySilo, weigh } from './testing/fixtures.ts';

describeEachEngine('alerts', (engine) => {
  let store: Store;
  let other: Store;
  before(async () => {
    store = await engine.open();
    other = await engine.open();
  });

  const list = (
    deviceNo: number,
    filter: AlertFilter = 'open',
    beforeAlertId: string | null = null,
    limit = 10,
  ) => store.alerts.list({ deviceNo, filter, beforeAlertId, limit });

  const told = async (deviceNo: number): Promise<unknown[]> =>
    (await eventsOfDevice(store, deviceNo))
      .filter(({ type }) => type.startsWith('alert.') || type === 'device.status_changed')
      .map(({ type, data }) => `${type} ${data['status']}`);

  const evaluate = (deviceNo: number, nowMs: number) =>
    store.alerts.evaluate({ deviceNos: [deviceNo], nowMs });

  /** A silo that has sunk to 15 %, which is below its low level. */
  async function lowSilo(): Promise<{ deviceNo: number; alertId: string }> {
    const deviceNo = await readySilo(store);
    assert.deepEqual(await weigh(store, deviceNo, 1_500, NOW_MS + 1), [deviceNo]);
    assert.equal(await evaluate(deviceNo, NOW_MS + 1), 1);
    const [alert] = await list(deviceNo);
    assert(alert !== undefined);
    assert.deepEqual([alert.type, alert.status, alert.currentValue], ['low_level', 'active', 15]);
    return { deviceNo, alertId: alert.alertId };
  }

  async function recover(deviceNo: number): Promise<void> {
    await weigh(store, deviceNo, 5_000, NOW_MS + 2);
    await evaluate(deviceNo, NOW_MS + 2);
    await evaluate(deviceNo, NOW_MS + 2 + DEFAULT_DELAYS.offMs);
  }

  it('are raised once, however often and from however many sides silos are evaluated', async () => {
    const deviceNos = [await readySilo(store), await readySilo(store), await readySilo(store)];
    for (const deviceNo of deviceNos) await weigh(store, deviceNo, 1_500, NOW_MS + 1);
    const counts = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (n % 2 ? store : other).alerts.evaluate({
          deviceNos: n % 3 ? deviceNos : deviceNos.toReversed(),
          nowMs: NOW_MS + 1,
        }),
      ),
    );
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      3,
    );
    for (const deviceNo of deviceNos) {
      assert.equal((await list(deviceNo, 'all')).length, 1);
      assert.deepEqual(await told(deviceNo), ['device.status_changed online', 'alert.raised active']);
    }
  });

  it('are open only once for a device and type, as far as the database is concerned', async () => {
    const { deviceNo } = await lowSilo();
    const values = `'al_second', ${deviceNo}, 'low_level', 'active', '{}'`;
    await assert.rejects(
      engine.query(`INSERT INTO alerts (alert_id, device_no, type, status, body) VALUES (${values})`),
      /unique/i,
    );
  });

  it('clear after a while, and resolve when acknowledged; the next one is new', async () => {
    const { deviceNo, alertId } = await lowSilo();
    await recover(deviceNo);
    assert.equal((await store.alerts.find(deviceNo, alertId))?.status, 'cleared');
    const by = { acknowledged_by: 'Ana', note: 'refilled' };
    const acknowledge = () => store.alerts.acknowledge({ deviceNo, alertId, by, nowMs: NOW_MS + MINUTE_MS });
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
    await weigh(store, deviceNo, 1_500, NOW_MS + MINUTE_MS);
    await evaluate(deviceNo, NOW_MS + MINUTE_MS);
    assert.equal((await list(deviceNo, 'all')).filter(({ type }) => type === 'low_level').length, 2);
  });

  it('are shelved for a time, and nothing is logged of what is refused or unknown', async () => {
    const { deviceNo, alertId } = await lowSilo();
    const shelve = (untilMs: number, of = alertId) =>
      store.alerts.shelve({
        ...{ deviceNo, alertId: of, nowMs: NOW_MS + 1 },
        shelving: { until: toIso(untilMs), reason: 'cleaning' },
      });
    const before = await told(deviceNo);
    await assert.rejects(shelve(NOW_MS), isRefusal('invalid_input'));
    assert.equal(await shelve(NOW_MS + MINUTE_MS, 'al_unknown'), undefined);
    assert.deepEqual(await told(deviceNo), before);
    assert.equal((await shelve(NOW_MS + SECOND_MS))?.shelveReason, 'cleaning');
    await store.alerts.evaluateDue({ nowMs: NOW_MS + SECOND_MS, limit: 1_000 });
    assert.equal((await store.alerts.find(deviceNo, alertId))?.shelvedUntilMs, null);
    assert.deepEqual((await told(deviceNo)).slice(before.length), [
      'alert.shelved active',
      'alert.unshelved active',
    ]);
  });

  it('are of one device only', async () => {
    const { alertId } = await lowSilo();
    const strangerNo = await readySilo(store);
    const by = { acknowledged_by: 'Ana' };
    assert.equal(await store.alerts.find(strangerNo, alertId), undefined);
    const acknowledged = await store.alerts.acknowledge({ deviceNo: strangerNo, alertId, by, nowMs: NOW_MS });
    assert.equal(acknowledged, undefined);
  });

  it('are listed newest first by status, page by page', async () => {
    const { deviceNo, alertId } = await lowSilo();
    await weigh(store, deviceNo, 900, NOW_MS + 2);
    await evaluate(deviceNo, NOW_MS + 2);
    const by = { acknowledged_by: 'Ana' };
    await store.alerts.acknowledge({ deviceNo, alertId, by, nowMs: NOW_MS + 3 });
    const types = async (...args: [AlertFilter, (string | null)?, number?]) =>
      (await list(deviceNo, ...args)).map(({ type }) => type);
    assert.deepEqual(await types('open'), ['critical_level', 'low_level']);
    assert.deepEqual(await types('active'), ['critical_level']);
    assert.deepEqual(await types('acknowledged'), ['low_level']);
    assert.deepEqual(await types('resolved'), []);
    const [first] = await list(deviceNo, 'all', null, 1);
    assert.deepEqual(await types('all', first?.alertId), ['low_level']);
  });

  it('follow when the thresholds change', async () => {
    const deviceNo = await readySilo(store);
    await store.configuration.change(deviceNo, { thresholds: { low_level: 60 } }, NOW_MS + 1);
    assert.deepEqual(
      (await list(deviceNo)).map(({ type }) => type),
      ['low_level'],
    );
    const types = (await eventsOfDevice(store, deviceNo)).map(({ type }) => type);
    assert.deepEqual(types.slice(-2), ['configuration.changed', 'alert.raised']);
  });

  it('tell of silence when its time has come, and of the end of it', async () => {
    const deviceNo = await readySilo(store);
    const due = (nowMs: number) => store.alerts.evaluateDue({ nowMs, limit: 1_000 });
    await due(NOW_MS + FRESHNESS_MS);
    assert.deepEqual(await list(deviceNo), []);
    const silentMs = NOW_MS + FRESHNESS_MS + 1;
    assert.notEqual(await due(silentMs), 0);
    assert.equal(await due(silentMs), 0);
    assert.deepEqual(
      (await list(deviceNo)).map(({ type }) => type),
      ['device_offline'],
    );
    assert.deepEqual(await weigh(store, deviceNo, 5_000, silentMs + 1), [deviceNo]);
    // Nobody evaluates what the batch concerned; its time has come nevertheless.
    await due(silentMs + 1);
    assert.deepEqual((await told(deviceNo)).slice(1), [
      'device.status_changed offline',
      'alert.raised active',
      'device.status_changed online',
    ]);
  });

  it('hear of a link that ended and of maintenance with the next look', async () => {
    const deviceNo = await readySilo(store);
    await store.devices.recordLinkDown(deviceNo, NOW_MS + 1);
    await store.alerts.evaluateDue({ nowMs: NOW_MS + 1, limit: 1_000 });
    await store.devices.recordState(deviceNo, 'maintenance', NOW_MS + 2);
    await store.alerts.evaluateDue({ nowMs: NOW_MS + 2, limit: 1_000 });
    const changes = (await told(deviceNo)).filter((text) => String(text).startsWith('device.'));
    assert.deepEqual(changes.slice(1), [
      'device.status_changed offline',
      'device.status_changed maintenance',
    ]);
  });

  it('are looked at once more a second after it has changed which readings are quiet', async () => {
    const { deviceNo } = await lowSilo();
    const checkAtMs = () => engine.query(`SELECT check_at_ms FROM watches WHERE device_no = ${deviceNo}`);
    assert.deepEqual(await checkAtMs(), [[NOW_MS + 1 + SECOND_MS]]);
    await evaluate(deviceNo, NOW_MS + 1 + SECOND_MS);
    assert.deepEqual(await checkAtMs(), [[NOW_MS + 1 + FRESHNESS_MS + 1]]);
  });

  it('need no evaluation after readings that change nothing', async () => {
    const deviceNo = await readySilo(store);
    await store.alerts.evaluateDue({ nowMs: NOW_MS + SECOND_MS, limit: 1_000 });
    assert.deepEqual(await weigh(store, deviceNo, 5_001, NOW_MS + SECOND_MS), []);
    assert.equal(await store.alerts.evaluateDue({ nowMs: NOW_MS + SECOND_MS, limit: 1_000 }), 0);
  });
});
