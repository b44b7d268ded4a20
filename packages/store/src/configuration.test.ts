import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import { initialConfiguration } from '@granary/core/configuration';
import type { Store } from './store.ts';
import { describeEachEngine } from './testing/engines.ts';
import { isRefusal, NOW_MS, registerDevice } from './testing/fixtures.ts';

describeEachEngine('configuration', (engine) => {
  let store: Store;
  before(async () => {
    store = await engine.open();
  });

  it('merges a change and counts versions', async () => {
    const deviceNo = await registerDevice(store);
    const changed = await store.configuration.change(deviceNo, { thresholds: { low_level: 25 } }, NOW_MS);
    const initial = initialConfiguration(NOW_MS);
    const thresholds = { ...initial.thresholds, low_level: 25 };
    assert.deepEqual(changed, { configuration: { ...initial, thresholds }, version: 2 });
    assert.deepEqual(await store.configuration.get(deviceNo), changed);
  });

  it('changes nothing when the version is stale or the whole would contradict itself', async () => {
    const deviceNo = await registerDevice(store);
    const before = await store.configuration.get(deviceNo);
    const patch = { thresholds: { low_level: 95 } };
    await assert.rejects(store.configuration.change(deviceNo, {}, NOW_MS, 7), isRefusal('stale_version'));
    await assert.rejects(store.configuration.change(deviceNo, patch, NOW_MS, 1), (error) => {
      assert(error instanceof Refusal && error.code === 'invalid_input');
      assert.equal(error.details?.[0]?.path, '/thresholds/low_level');
      return true;
    });
    assert.deepEqual(await store.configuration.get(deviceNo), before);
  });

  it('refuses a device without a configuration', async () => {
    const deviceNo = await registerDevice(store, { kind: 'field', configuration: null });
    await assert.rejects(store.configuration.change(deviceNo, {}, NOW_MS), isRefusal('device_not_found'));
  });

  it('lets one of many win that start from the same version, and loses no change without one', async () => {
    const deviceNo = await registerDevice(store);
    const other = await engine.open();
    const conditional = Array.from({ length: 6 }, (_, n) =>
      (n % 2 ? store : other).configuration.change(
        deviceNo,
        { thresholds: { low_level: 30 + n } },
        NOW_MS,
        1,
      ),
    );
    const outcomes = await Promise.allSettled(conditional);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    await Promise.all([
      store.configuration.change(deviceNo, { thresholds: { high_level: 80 } }, NOW_MS),
      other.configuration.change(deviceNo, { maintenance: { interval_hours: 5 } }, NOW_MS),
    ]);
    const after = await store.configuration.get(deviceNo);
    assert.equal(after?.version, 4);
    assert.equal(after?.configuration.thresholds.high_level, 80);
    assert.equal(after?.configuration.maintenance.interval_hours, 5);
  });
});
